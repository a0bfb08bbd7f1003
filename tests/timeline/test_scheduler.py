import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldproof.samples import Sample
from fieldproof.timeline import Scheduler

from .reference import Reference

TICK = 50_000_000


def entry(label, *, at=0, after=(), limit=None, within=None, every=None, count=None, until=None):
    """An entry in ticks, and the same in the form of an execution plan."""

    def ns(ticks):
        return None if ticks is None else ticks * TICK

    when = {"metric": "x", "model": "ugv1", "condition": f"value > {limit}"}
    return {
        "label": label,
        "action": "test",
        "vehicle": None,
        "trigger": {
            "at_ns": at * TICK,
            "after": list(after) or None,
            "when": None if limit is None else when,
            "within_ns": ns(within),
            "every_ns": ns(every),
            "count": count,
            "until_ns": ns(until),
        },
        "params": {},
        "resolved": {},
        "limit_ns": None,
    }


def pose(x):
    rest = dict.fromkeys(("y", "z", "yaw", "qx", "qy", "qz", "qw"), 0.0)
    return Sample.of("pose", sim=0.0, model="ugv1", x=x, **rest)


class Run:
    """Drives a scheduler tick by tick; occurrences last as long as they are told to."""

    def __init__(self, *entries, lasts=None, ends=None, xs=()):
        self.scheduler = Scheduler.from_plan(entries)
        self.lasts = lasts or {}
        self.ends = ends or {}
        self.xs = dict(xs)
        self.starts = []
        self.ending = {}

    def until_finished(self, limit=100):
        for tick in range(limit):
            t_ns = tick * TICK
            if tick in self.xs:
                self.scheduler.on_sample(pose(self.xs[tick]), t_ns)
            while True:
                for label in [one for one, end in self.ending.items() if end <= tick]:
                    del self.ending[label]
                    self.scheduler.ended(label, self.ends.get(label, "ok"), t_ns)
                started = self.scheduler.advance(t_ns)
                for one in started:
                    self.starts.append((one.label, tick))
                    self.ending[one.label] = tick + self.lasts.get(one.label, 1)
                if not started and min(self.ending.values(), default=tick + 1) > tick:
                    break
            if self.scheduler.finished:
                self.scheduler.settle(t_ns)
                return tick
        return None

    def statuses(self):
        return {one.label: one.status for one in self.scheduler.occurrences}

    def details(self):
        return {one.label: one.detail for one in self.scheduler.occurrences}


def test_entries_start_at_their_offset_the_earliest_due_first():
    run = Run(entry("late", at=4), entry("early", at=2), entry("also_late", at=4))
    assert run.until_finished() == 5
    assert run.starts == [("early", 2), ("late", 4), ("also_late", 4)]


def test_a_coarse_clock_still_starts_in_the_order_of_due_times():
    scheduler = Scheduler.from_plan([entry("b", at=3), entry("a", at=1)])
    assert [one.label for one in scheduler.advance(10 * TICK)] == ["a", "b"]


def test_an_entry_comes_its_offset_after_the_last_of_its_list_ended_ok():
    run = Run(
        entry("a"),
        entry("b", at=1),
        entry("c", at=5, after=["a", "b"]),
        lasts={"a": 3, "b": 6},
    )
    run.until_finished()
    assert run.starts[-1] == ("c", 12)
    changes = run.scheduler.take_changes()
    assert [(one.kind, one.label, one.detail) for one in changes] == [
        ("triggered", "c", "a, b ended ok")
    ]


@pytest.mark.parametrize("status", ["timeout", "cancelled"])
def test_what_comes_after_an_entry_that_did_not_end_ok_is_skipped_along_the_chain(status):
    run = Run(
        entry("a"),
        entry("b", after=["a"]),
        entry("c", after=["b"]),
        entry("other", at=9),
        ends={"a": status},
    )
    run.until_finished()
    assert run.statuses() == {"a": status, "b": "skipped", "c": "skipped", "other": "ok"}
    assert run.details()["b"] == f"a ended {status}"
    assert run.details()["c"] == "b ended skipped"


def test_a_failed_occurrence_ends_the_timeline_and_cancels_what_runs():
    run = Run(
        entry("a"), entry("b"), entry("c", at=5), lasts={"a": 2, "b": 9}, ends={"a": "failed"}
    )
    assert run.until_finished() == 2
    assert run.statuses() == {"a": "failed", "b": "cancelled", "c": "skipped"}
    assert run.scheduler.failure.label == "a"
    assert run.scheduler.next_due_ns is None


def test_a_condition_triggers_on_the_first_sample_that_satisfies_it():
    run = Run(
        entry("w", at=2, limit=1.0),
        entry("drive"),
        lasts={"drive": 20},
        xs={3: 1.0, 4: 1.1, 5: 9.0},
    )
    run.until_finished()
    assert ("w", 6) in run.starts
    assert len(run.starts) == 2


def test_a_condition_may_trigger_at_the_end_of_within_and_not_after():
    in_time = Run(entry("w", limit=1.0, within=5), xs={5: 2.0})
    in_time.until_finished()
    assert in_time.starts == [("w", 5)]
    late = Run(entry("w", limit=1.0, within=5), entry("n", after=["w"]), xs={6: 2.0})
    assert late.until_finished() == 6
    assert late.statuses() == {"w": "skipped", "n": "skipped"}
    assert late.details()["w"].startswith("condition never held within 0.25 s (")


def test_samples_from_before_the_start_trigger_nothing():
    scheduler = Scheduler.from_plan([entry("w", limit=1.0)])
    scheduler.on_sample(pose(2.0), -1)
    assert scheduler.advance(0) == []


def test_a_condition_that_cannot_be_evaluated_does_not_trigger():
    plan = entry("w", limit=1.0)
    plan["trigger"]["when"] = {"topic": "/a", "field": "data", "condition": "value > 1"}
    scheduler = Scheduler.from_plan([plan])
    scheduler.on_sample(Sample.of("value", sim=0.0, topic="/a", field="data", value="high"), 0)
    assert scheduler.advance(0) == []
    scheduler.on_sample(Sample.of("value", sim=0.0, topic="/a", field="data", value=2), 0)
    assert [one.label for one in scheduler.advance(0)] == ["w"]


def on_field(label, *, within=None, condition="value > 1"):
    plan = entry(label, limit=1.0, within=within)
    plan["trigger"]["when"] = {"topic": "/a", "field": "data", "condition": condition}
    return plan


def field_error(message, **more):
    return Sample.of("field_error", sim=0.0, topic="/a", field="data", message=message, **more)


@pytest.mark.parametrize("within", [None, 50])
def test_an_entry_whose_signal_cannot_be_read_fails_at_once_and_ends_the_timeline(within):
    scheduler = Scheduler.from_plan(
        [on_field("w", within=within), entry("n", after=["w"]), entry("late", at=40)]
    )
    assert scheduler.advance(0) == []
    scheduler.on_sample(field_error("no field 'data'"), TICK)
    assert scheduler.finished
    assert scheduler.failure.label == "w"
    assert scheduler.failure.detail == "/a data cannot be read: no field 'data'"
    assert scheduler.failure.started_ns is None
    assert [(one.kind, one.label) for one in scheduler.take_changes()] == [
        ("failed", "w"),
        ("skipped", "n"),
    ]
    scheduler.settle(2 * TICK)
    statuses = {one.label: one.status for one in scheduler.occurrences}
    assert statuses == {"w": "failed", "n": "skipped", "late": "skipped"}


@pytest.mark.parametrize("t_ns", [-1, 4 * TICK])
def test_a_field_error_outside_the_time_of_a_condition_fails_nothing(t_ns):
    scheduler = Scheduler.from_plan([on_field("w", within=3)])
    scheduler.on_sample(field_error("no field 'data'"), t_ns)
    scheduler.advance(4 * TICK)
    assert [one.status for one in scheduler.occurrences] == ["skipped"]


def test_a_list_that_is_too_short_may_be_longer_in_the_next_message():
    scheduler = Scheduler.from_plan([on_field("w", within=3), on_field("v")])
    scheduler.on_sample(field_error("'data' has 0 elements", short=True), 0)
    assert not scheduler.failure
    scheduler.advance(4 * TICK)
    assert [(one.label, one.detail) for one in scheduler.occurrences] == [
        ("w", "condition never held within 0.15 s ('data' has 0 elements)")
    ]
    scheduler.on_sample(Sample.of("value", sim=0.0, topic="/a", field="data", value=2), 5 * TICK)
    assert [one.label for one in scheduler.advance(5 * TICK)] == ["v"]


@pytest.mark.parametrize(
    ("values", "seen"),
    [
        ([], "no value of /a data was seen"),
        ([0.5], "looked at once, last 0.5 at 0 s"),
        ([0.5, 0.25], "looked at 2 times, last 0.25 at 0.05 s"),
        (
            ["high"],
            "looked at once, last 'high' at 0 s; the condition cannot take it: value > 1: ",
        ),
        (
            [0.5, "high", "low"],
            "looked at 3 times, last 'low' at 0.1 s; the condition cannot take 2 of them: value ",
        ),
    ],
    ids=["nothing", "once", "twice", "unfit", "partly_unfit"],
)
def test_an_entry_that_never_ran_says_what_was_seen_of_its_signal(values, seen):
    scheduler = Scheduler.from_plan([on_field("w", within=3)])
    for place, value in enumerate(values):
        sample = Sample.of("value", sim=0.0, topic="/a", field="data", value=value)
        scheduler.on_sample(sample, place * TICK)
    scheduler.advance(4 * TICK)
    [skipped] = scheduler.occurrences
    assert skipped.detail.startswith(f"condition never held within 0.15 s ({seen}")


@pytest.mark.parametrize(
    ("metric", "samples", "fires"),
    [
        (
            "sim_time",
            [Sample.of("clock", sim=0.5, rtf=9.0), Sample.of("clock", sim=1.5, rtf=0.1)],
            1,
        ),
        ("rtf", [Sample.of("clock", sim=9.0), Sample.of("clock", sim=0.5, rtf=2.0)], 1),
    ],
)
def test_the_clock_metrics_read_the_clock_samples(metric, samples, fires):
    plan = entry("w", limit=0)
    plan["trigger"]["when"] = {"metric": metric, "condition": "value > 1"}
    scheduler = Scheduler.from_plan([plan])
    for place, sample in enumerate(samples):
        scheduler.on_sample(sample, place)
        assert bool(scheduler.advance(place)) == (place == fires)


def test_repetitions_keep_their_period_and_their_labels():
    run = Run(entry("hello", at=1, every=3, count=3))
    run.until_finished()
    assert run.starts == [("hello", 1), ("hello#2", 4), ("hello#3", 7)]


def test_an_occurrence_that_overruns_its_period_delays_the_next_until_it_ends():
    run = Run(entry("r", every=3, count=4), lasts={"r": 5})
    run.until_finished()
    assert run.starts == [("r", 0), ("r#2", 5), ("r#3", 8), ("r#4", 11)]


def test_repetition_stops_after_until():
    run = Run(entry("r", every=3, until=6))
    run.until_finished()
    assert run.starts == [("r", 0), ("r#2", 3), ("r#3", 6)]


def test_a_repeated_entry_whose_first_occurrence_comes_after_until_is_skipped():
    run = Run(entry("a"), entry("r", at=3, after=["a"], every=1, until=2))
    run.until_finished()
    assert run.statuses() == {"a": "ok", "r": "skipped"}


def test_passive_entries_run_with_the_rest_and_do_not_keep_it_going():
    run = Run(
        entry("drive"),
        entry("tick", every=4),
        entry("w", limit=1.0),
        entry("never", at=30, every=1),
        lasts={"drive": 10, "tick": 1, "tick#2": 1, "tick#3": 5},
    )
    assert run.until_finished() == 13
    assert [label for label, _ in run.starts] == ["drive", "tick", "tick#2", "tick#3"]
    assert run.statuses()["w"] == "skipped"
    assert run.details()["w"].startswith("condition never held before the timeline ended (")
    assert run.details()["never"] == "the timeline ended before it was due"


def test_a_passive_repetition_that_overruns_does_not_sustain_itself():
    run = Run(entry("r", every=1), lasts={"r": 5})
    assert run.until_finished() == 5
    assert run.starts == [("r", 0)]


def test_passive_repetitions_do_not_sustain_each_other():
    run = Run(entry("a", every=4), entry("b", at=2, every=4), entry("c"), lasts={"a": 3, "b": 3})
    assert run.until_finished() == 3
    assert run.statuses() == {"a": "ok", "c": "ok", "b": "skipped"}


def test_a_passive_entry_that_is_due_when_the_rest_ends_still_starts():
    run = Run(entry("a"), entry("r", after=["a"], every=5))
    run.until_finished()
    assert run.starts == [("a", 0), ("r", 1)]


def test_an_empty_timeline_is_finished_at_once():
    scheduler = Scheduler.from_plan([])
    assert not scheduler.finished
    assert scheduler.advance(0) == []
    assert scheduler.finished


def test_next_due_is_the_next_start_or_the_moment_after_within():
    scheduler = Scheduler.from_plan([entry("a", at=4), entry("w", limit=1.0, within=2)])
    assert scheduler.next_due_ns == 2 * TICK + 1
    scheduler.advance(2 * TICK + 1)
    assert scheduler.next_due_ns == 4 * TICK
    scheduler.advance(4 * TICK)
    assert scheduler.next_due_ns is None


def test_the_budget_times_out_what_runs():
    scheduler = Scheduler.from_plan([entry("a"), entry("b", at=9)])
    scheduler.advance(0)
    scheduler.settle(5, running="timeout", detail="the budget of 1 s is spent")
    assert [(one.label, one.status, one.detail) for one in scheduler.occurrences] == [
        ("a", "timeout", "the budget of 1 s is spent"),
        ("b", "skipped", "the timeline ended before it was due"),
    ]
    assert [one.kind for one in scheduler.take_changes()] == ["settled", "settled"]
    assert scheduler.finished


@pytest.mark.parametrize(
    ("plans", "what"),
    [
        ([entry("a"), entry("a")], "same label"),
        ([entry("a", after=["b"])], "no entry"),
    ],
)
def test_an_inconsistent_plan_is_refused(plans, what):
    with pytest.raises(ValueError, match=what):
        Scheduler.from_plan(plans)


def test_time_does_not_go_back_and_only_what_runs_can_end():
    scheduler = Scheduler.from_plan([entry("a")])
    scheduler.advance(5)
    with pytest.raises(ValueError, match="go back"):
        scheduler.advance(4)
    with pytest.raises(ValueError, match="running"):
        scheduler.ended("b", "ok", 6)
    with pytest.raises(ValueError, match="not how"):
        scheduler.ended("a", "splendid", 6)


def small(most):
    return st.integers(0, most)


@st.composite
def timelines(draw):
    plans, forms = [], []
    for number in range(draw(st.integers(1, 5))):
        label = f"e{number}"
        form = {"label": label, "at": draw(small(4))}
        trigger = draw(st.sampled_from(["start", "after", "when"]))
        leaders = [one["label"] for one in forms if one.get("every") is None]
        if trigger == "after" and leaders:
            form["after"] = draw(st.lists(st.sampled_from(leaders), min_size=1, unique=True))
        elif trigger == "when":
            form["limit"] = draw(small(4))
            form["within"] = draw(st.none() | st.integers(1, 12))
        if trigger != "when" and draw(st.booleans()):
            form["every"] = draw(st.integers(1, 5))
            form["count"] = draw(st.none() | st.integers(1, 4))
            form["until"] = draw(st.none() | st.integers(1, 14))
        forms.append(form)
    # `after` may name entries that stand later in the file
    order = draw(st.permutations(forms))
    plans = [entry(**form) for form in order]
    return order, plans


@settings(max_examples=400, deadline=None)
@given(timelines(), st.dictionaries(small(15), small(6)), st.data())
def test_the_scheduler_agrees_with_the_rules_at_every_tick(timeline, xs, data):
    forms, plans = timeline
    scheduler, reference = Scheduler.from_plan(plans), Reference(forms)
    ending, statuses = {}, {}
    end_status = st.sampled_from(["ok"] * 6 + ["timeout", "failed"])
    for tick in range(40):
        reference.now = tick
        if tick in xs:
            reference.samples.append((tick, xs[tick]))
            scheduler.on_sample(pose(float(xs[tick])), tick * TICK)
        while True:
            for label in [one for one, end in ending.items() if end <= tick]:
                del ending[label]
                statuses[label] = data.draw(end_status)
                reference.end(label, statuses[label])
                scheduler.ended(label, statuses[label], tick * TICK)
            due = scheduler.next_due_ns
            expected = [reference.start(label) for label in reference.to_start()]
            started = [one.label for one in scheduler.advance(tick * TICK)]
            assert started == expected
            assert not started or (due is not None and due <= tick * TICK)
            for label in started:
                ending[label] = tick + data.draw(st.sampled_from([0, 1, 1, 3, 6]))
            if not started and min(ending.values(), default=tick + 1) > tick:
                break
        assert scheduler.finished == reference.finished()
        if scheduler.finished:
            break
    scheduler.settle(40 * TICK)
    ran = {one.label: one.status for one in scheduler.occurrences if one.status != "skipped"}
    skipped = {one.label for one in scheduler.occurrences if one.status == "skipped"}
    assert ran == statuses | dict.fromkeys(ending, "cancelled")
    assert skipped == {form["label"] for form in forms if not reference.of(form["label"])}


def test_ten_thousand_entries_are_scheduled_in_time_linear_in_their_number():
    plans = [entry(f"e{n}", at=n, after=[f"e{n - 1}"] if n % 2 else ()) for n in range(10_000)]
    scheduler = Scheduler.from_plan(plans)
    t_ns = 0
    while (due := scheduler.next_due_ns) is not None:
        t_ns = max(due, t_ns)
        for one in scheduler.advance(t_ns):
            scheduler.ended(one.label, "ok", t_ns)
    assert scheduler.finished
    assert len(scheduler.occurrences) == 10_000
