import math
from typing import Literal

import pytest

from fieldproof.assertions import (
    FAILED,
    PASSED,
    AssertionType,
    Checker,
    EvaluationError,
    Evaluator,
    PlannedAssertion,
    assertion_types,
)
from fieldproof.model import AssertionBase
from fieldproof.samples import Sample, SampleError

from .streams import (
    action,
    clock,
    collector,
    contact,
    end,
    evaluator,
    no_collision,
    planned,
    pose,
    reach_pose,
    start,
    topic_value,
    value,
    verdicts,
    within_time,
)


class Probe(AssertionBase):
    type: Literal["probe"]


class ProbeType(AssertionType):
    type = "probe"
    Spec = Probe
    summary = "Whatever a test wants."

    def __init__(self, *checkers):
        self.checkers = {one.__name__.lower(): one for one in checkers}

    def plan(self, spec, context):
        return PlannedAssertion(spec)

    def checker(self, planned):
        return self.checkers[planned.spec.name](planned)


def probes(*checkers, mode="lockstep", on_fail="continue", extra=()):
    plans = [planned("probe", one.__name__.lower(), {"on_fail": on_fail}) for one in checkers]
    types = {**assertion_types(), "probe": ProbeType(*checkers)}
    return Evaluator({"assertions": [*plans, *extra]}, mode, types=types)


def fed(judge, *samples):
    return [result for sample in samples for result in judge.feed(sample)]


def test_verdicts_come_with_the_sample_that_brings_them():
    judge = evaluator(reach_pose("reach"), no_collision("touch"))
    assert fed(judge, start(), pose(1, 3.0)) == []
    assert [one.name for one in judge.feed(pose(2, 0.0))] == ["reach"]
    assert [one.status for one in judge.results()] == ["passed", "pending"]
    assert [one.name for one in judge.feed(end(3))] == ["touch"]
    assert judge.finished
    assert judge.feed(contact(4)) == []


def test_deadlines_that_pass_together_come_in_the_order_of_their_times():
    judge = evaluator(
        reach_pose("late", within_s=4),
        reach_pose("early", within_s=2),
        reach_pose("mid", within_s=3),
    )
    news = fed(judge, start(), clock(9))
    assert [(one.name, one.t_s) for one in news] == [("early", 2.0), ("mid", 3.0), ("late", 4.0)]


def test_time_moves_before_a_sample_is_handed_over():
    results = verdicts([reach_pose(within_s=2)], [start(), pose(2.05, 0.0)])
    assert (results[0].status, results[0].t_s) == ("failed", 2.0)


@pytest.mark.parametrize("status", ["failed", "timeout", "error", "interrupted"])
def test_what_is_pending_when_a_run_does_not_complete_is_skipped(status):
    judge = evaluator(reach_pose(), within_time(1, "in_time"))
    news = fed(judge, start(), action(0, "started"), clock(2), end(3, status))
    assert [(one.name, one.status, one.t_s) for one in news] == [
        ("in_time", "failed", 1.0),
        ("it", "skipped", 3.0),
    ]
    assert news[1].reason == f"the run ended before it was decided ({status})"


def test_a_stream_without_an_end_is_finished_by_its_reader():
    judge = evaluator(no_collision())
    fed(judge, start(), clock(2))
    (result,) = judge.finish(None, completed=False, status="cut")
    assert (result.status, result.t_s, result.sim_s) == ("skipped", 2.0, 5.5)
    assert judge.finish(None, completed=True) == []


def test_finishing_at_a_time_passes_the_deadlines_before_it():
    judge = evaluator(reach_pose("reach", within_s=3), no_collision("touch"))
    fed(judge, start())
    news = judge.finish(5.0, completed=True)
    assert [(one.name, one.status, one.t_s) for one in news] == [
        ("reach", "failed", 3.0),
        ("touch", "passed", 5.0),
    ]


def test_a_timeline_that_never_started_leaves_everything_skipped():
    judge = evaluator(no_collision())
    assert fed(judge, pose(1, 0.0), contact(1)) == []
    (result,) = judge.feed(end(2, "error"))
    assert (result.status, result.t_s, result.sim_s) == ("skipped", None, None)
    assert result.reason == "the timeline never started (error)"


def test_a_start_without_the_clock_of_the_mode_is_refused():
    with pytest.raises(SampleError):
        evaluator(no_collision(), mode="realtime").feed(start())


def test_only_a_failure_that_shall_abort_aborts():
    judge = evaluator(
        topic_value("value > 0", "soft"), topic_value("value > 1", "hard", on_fail="abort")
    )
    fed(judge, start(), value(1, 2))
    assert judge.abort is None
    news = fed(judge, value(2, 0))
    assert [(one.name, one.aborts) for one in news] == [("soft", False), ("hard", True)]
    assert judge.abort.name == "hard"
    assert "on_fail" not in judge.abort.to_data()


def test_time_does_not_go_back_and_late_samples_keep_their_own_time():
    judge = evaluator(reach_pose())
    fed(judge, start(), clock(5))
    (result,) = fed(judge, pose(3, 0.0))
    assert (result.t_s, result.sim_s) == (3.0, 6.5)


def test_a_sample_without_the_clock_comes_at_the_present_time():
    judge = evaluator(no_collision())
    fed(judge, start(), clock(5))
    touched = Sample("contact", None, None, contact(0).data)
    (result,) = fed(judge, touched)
    assert result.t_s == 5.0


def test_on_the_wall_clock_a_verdict_names_the_deciding_samples_simulation_time():
    judge = evaluator(within_time(5, "in_time"), reach_pose("reach", within_s=3), mode="sim")
    wall = 1.7e9
    samples = [
        Sample("timeline", wall, 40.0, {"event": "start"}),
        Sample("action", wall + 1, 40.5, action(0, "started").data),
        Sample("clock", wall + 3.5, 42.0, {}),
        Sample("action", wall + 4, 42.5, action(0, "finished", "ok").data),
    ]
    reach, in_time = fed(judge, *samples)
    assert (reach.name, reach.t_s, reach.sim_s) == ("reach", 3.0, None)
    assert (in_time.name, in_time.t_s, in_time.sim_s) == ("in_time", 4.0, 42.5)


def test_a_second_start_is_ignored():
    judge = evaluator(reach_pose(within_s=2))
    fed(judge, start(), clock(1), Sample("timeline", None, 4.5, {"event": "start"}))
    (result,) = fed(judge, clock(2.05))
    assert result.t_s == 2.0


class Recorder(Checker):
    """Remembers every call; wants every sample."""

    def __init__(self, planned):
        super().__init__(planned)
        self.calls = []

    def on_sample(self, sample, t):
        self.calls.append((sample.kind, t))

    def on_tick(self, t):
        self.calls.append(("tick", t))

    def on_action(self, label, event, t, status):
        self.calls.append((label, event, t, status))

    def on_verdict(self, result, t):
        self.calls.append((result.name, result.status, t))

    def on_finish(self, t):
        self.calls.append(("finish", t))
        self.resolve(PASSED, "seen enough", t)


def test_a_checker_without_wishes_sees_everything_in_order():
    judge = probes(Recorder, extra=[reach_pose("reach", within_s=1)])
    recorder = judge._checkers[0]
    fed(judge, pose(-1, 3.0), pose(-0.5, 4.0), start(), action(1, "started"), clock(2), end(3))
    assert recorder.calls == [
        ("pose", -0.5),
        ("tick", 0.0),
        ("timeline", 0.0),
        ("tick", 1.0),
        ("action", 1.0),
        ("drive", "started", 1.0, "running"),
        ("tick", 2.0),
        ("reach", "failed", 1.0),
        ("clock", 2.0),
        ("tick", 3.0),
        ("timeline", 3.0),
        ("finish", 3.0),
    ]


def test_a_due_time_spares_a_checker_the_ticks_before_it():
    class Due(Recorder):
        def __init__(self, planned):
            super().__init__(planned)
            self.due_s = 2.0

    judge = probes(Due)
    fed(judge, start(), clock(1), clock(2), clock(3))
    ticks = [call for call in judge._checkers[0].calls if call[0] == "tick"]
    assert ticks == [("tick", 2.0), ("tick", 3.0)]


def test_a_due_time_set_by_a_sample_is_kept():
    class Late(Recorder):
        def __init__(self, planned):
            super().__init__(planned)
            self.due_s = math.inf

        def on_sample(self, sample, t):
            if sample.kind == "pose":
                self.due_s = t + 1

    judge = probes(Late)
    fed(judge, start(), clock(1), pose(2, 0.0), clock(2.5), clock(3))
    assert judge._checkers[0].calls == [("tick", 3.0)]


def test_assertions_that_others_wait_for_are_settled_first():
    class Last(Checker):
        def depends_on(self):
            return ("middle",)

        def on_verdict(self, result, t):
            if result.name == "middle":
                self.resolve(result.status, "as the middle one", t)

    class Middle(Checker):
        def depends_on(self):
            return ("first",)

        def on_finish(self, t):
            self.resolve(FAILED, "waited", t)

    class First(Checker):
        def on_finish(self, t):
            self.resolve(PASSED, "done", t)

    judge = probes(Last, Middle, First)
    news = fed(judge, start(), end(4))
    assert [(one.name, one.status) for one in news] == [
        ("first", "passed"),
        ("middle", "failed"),
        ("last", "failed"),
    ]


def test_assertions_that_wait_for_each_other_are_refused():
    class One(Checker):
        def depends_on(self):
            return ("two",)

    class Two(Checker):
        def depends_on(self):
            return ("one",)

    with pytest.raises(EvaluationError, match="one -> two -> one"):
        probes(One, Two)

    class Lost(Checker):
        def depends_on(self):
            return ("nobody",)

    with pytest.raises(EvaluationError, match="nobody, which does not exist"):
        probes(Lost)


@pytest.mark.parametrize("hook", ["on_sample", "on_tick", "on_action", "on_finish"])
def test_a_checker_that_raises_fails_its_assertion_and_no_other(hook):
    def raises(self, *args):
        raise KeyError("oops\n")

    broken = type("Broken", (Recorder,), {hook: raises})
    judge = probes(broken, Recorder, on_fail="abort")
    fed(judge, start(), action(1, "started"), clock(2), end(3))
    results = {one.name: one for one in judge.results()}
    assert results["recorder"].status == "passed"
    assert results["broken"].status == "failed"
    assert results["broken"].reason == "its checker raised KeyError: 'oops\\n'"
    assert judge.abort is results["broken"]


@pytest.mark.parametrize(
    ("status", "evidence", "what"),
    [("splendid", {}, "no verdict"), ("passed", {"thing": object()}, "object is not JSON data")],
)
def test_nonsense_as_a_verdict_fails_the_assertion(status, evidence, what):
    class Odd(Checker):
        def on_finish(self, t):
            self.resolve(status, "odd", t, **evidence)

    (result,) = fed(probes(Odd), start(), end(1))
    assert result.status == "failed"
    assert what in result.reason


def test_a_checker_that_gives_no_verdict_fails():
    class Silent(Checker):
        pass

    (result,) = fed(probes(Silent), start(), end(1))
    assert (result.status, result.reason) == ("failed", "its checker gave no verdict")


@pytest.mark.parametrize("hook", ["__init__", "subjects", "depends_on"])
def test_a_checker_that_raises_before_the_stream_begins_is_named(hook):
    def raises(self, *args):
        raise KeyError("oops")

    with pytest.raises(EvaluationError, match=r"broken: it.* raised KeyError: 'oops'"):
        probes(type("Broken", (Checker,), {hook: raises}))


def test_only_the_first_verdict_counts():
    class Twice(Checker):
        def on_sample(self, sample, t):
            self.resolve(PASSED, "first", t)
            self.resolve(FAILED, "second", t)

    news = fed(probes(Twice), start(), clock(1), end(2))
    assert [(one.status, one.reason) for one in news] == [("passed", "first")]


def test_evidence_is_a_copy_and_not_a_number_is_text():
    class Sharing(Checker):
        def __init__(self, planned):
            super().__init__(planned)
            self.shared = []

        def on_sample(self, sample, t):
            self.shared.append(math.nan)
            self.note(t, sample, x=math.inf)
            self.resolve(PASSED, "red \x1b[31m", t, shared=self.shared, pair=(1, 2))

        def metrics(self):
            return {"count": (len(self.shared), ""), "odd": (math.nan, "m"), "none": (None, "m")}

    judge = probes(Sharing)
    (result,) = fed(judge, start())
    fed(judge, clock(1))
    assert result.evidence["shared"] == ["nan"]
    assert result.evidence["pair"] == [1, 2]
    assert result.evidence["excerpt"][0]["x"] == "inf"
    assert result.metrics == {"count": 1, "odd": None, "none": None}
    assert result.reason == "red "
    assert judge.kpis() == {"sharing.count": {"value": 2, "unit": "", "source": "assertion:probe"}}


@pytest.mark.parametrize(
    ("plan", "what"),
    [
        ({"assertions": [planned("reach_pse", "it", {})]}, "nearest: reach_pose"),
        ({"assertions": [no_collision(), no_collision()]}, "two assertions are called it"),
        ({"assertions": [topic_value("value >")]}, "condition"),
        ({"schema_version": 2, "assertions": []}, "version 2"),
        (
            {"assertions": [], "kpis": [{"name": "it", "type": "pth"}]},
            "collector type pth .nearest: path",
        ),
        (
            {"assertions": [], "kpis": [collector("mission_time")] * 2},
            "two collectors are called it",
        ),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused(plan, what):
    with pytest.raises(EvaluationError, match=what):
        Evaluator(plan, "lockstep")


def test_no_assertions_give_no_verdicts():
    judge = evaluator()
    assert fed(judge, start(), clock(1), end(2)) == []
    assert judge.finished
    assert judge.kpis() == {}


def test_a_verdicts_line_is_canonical():
    (result,) = verdicts([no_collision()], [start(), end(2)])
    assert result.to_line() == (
        '{"evidence":{"excerpt":[],"ignored_contacts":0,"messages":0},"metrics":{"contacts":0},'
        '"name":"it","reason":"ugv1 touched nothing","sim_s":5.5,"status":"passed","t_s":2.0,'
        '"type":"no_collision"}\n'
    )
