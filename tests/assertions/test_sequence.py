import math

import pytest

from .streams import (
    action,
    assertion,
    clock,
    end,
    evaluator,
    field_error,
    no_collision,
    pose,
    reach_pose,
    start,
    value,
    verdict,
    verdicts,
)

STARTED = {"action": "drive", "event": "started"}
FINISHED = {"action": "drive"}
MOVING = {"topic": "odom", "field": "v", "condition": "value > 0"}
FAR = {"metric": "x", "condition": "value >= 3", "name": "far"}


def order(*steps, **spec):
    return assertion("sequence", **{"vehicle": "ugv1", "steps": list(steps), **spec})


def after(assertion_name):
    return {"assertion": assertion_name}


def test_it_passes_when_the_last_step_happens():
    samples = [
        value(0, 1), action(1, "started"), value(1, 0), value(2, 0.5), pose(3, 2.0), pose(4, 3.0),
        action(5, "finished", "ok"), end(9),
    ]  # fmt: skip
    result = verdict(order(STARTED, MOVING, FAR, FINISHED), samples)
    assert (result.status, result.t_s, result.sim_s) == ("passed", 5.0, 8.5)
    assert result.reason == "4 steps in 4 s, the last at 5 s: drive finished"
    assert result.evidence["steps"] == [
        {"step": "drive started", "t_s": 1.0, "sim_s": 4.5},
        {"step": "/ugv1/odom v: value > 0", "t_s": 2.0, "sim_s": 5.5, "value": 0.5},
        {"step": "far", "t_s": 4.0, "sim_s": 7.5, "value": 3.0},
        {"step": "drive finished", "t_s": 5.0, "sim_s": 8.5, "status": "ok"},
    ]
    assert result.metrics == {"steps_done": 4, "completed_at_s": 5.0, "duration_s": 4.0}
    assert [one["step"] for one in result.evidence["excerpt"]] == [
        one["step"] for one in result.evidence["steps"]
    ]


def test_a_step_is_watched_only_once_the_one_before_has_happened():
    samples = [pose(1, 5.0), value(2, 1), pose(3, 0.0), end(9)]
    result = verdict(order(MOVING, FAR), samples)
    assert (result.status, result.t_s, result.evidence["steps_done"]) == ("failed", 9.0, 1)
    assert result.reason == ("step 2 of 2 (far) did not happen before the timeline ended")
    assert result.metrics == {"steps_done": 1, "completed_at_s": None, "duration_s": None}


def test_one_message_stands_for_one_step():
    assert verdict(order(MOVING, MOVING), [value(1, 1), end(2)]).status == "failed"
    assert verdict(order(MOVING, MOVING), [value(1, 1), value(1, 1), end(2)]).status == "passed"


def test_an_action_that_was_over_before_it_was_watched_is_named():
    samples = [action(1, "started"), action(2, "finished", "ok"), value(3, 1), end(9)]
    result = verdict(order(MOVING, FINISHED), samples)
    assert (result.status, result.t_s) == ("failed", 9.0)
    assert result.reason == (
        "step 2 of 2 (drive finished) did not happen before the timeline ended; "
        "drive had ended ok before it was watched"
    )


@pytest.mark.parametrize("step", [STARTED, FINISHED])
@pytest.mark.parametrize("status", ["failed", "timeout", "skipped"])
def test_a_watched_entry_that_ends_otherwise_fails_it(step, status):
    result = verdict(order(step), [action(2, "finished", status), end(9)])
    assert (result.status, result.t_s) == ("failed", 2.0)
    assert f"cannot happen: drive ended {status}" in result.reason


def test_any_occurrence_of_a_repeated_entry_will_do():
    samples = [
        action(1, "started"), action(2, "finished", "ok"), value(3, 1),
        action(4, "started", label="drive#2"), action(4, "finished", "failed", label="driver"),
        action(5, "finished", "ok", label="drive#2"), end(9),
    ]  # fmt: skip
    assert verdict(order(MOVING, STARTED, FINISHED), samples).t_s == 5.0


def test_a_verdict_counts_also_when_it_was_given_before():
    near = reach_pose("first")
    samples = [pose(1, 0.0), value(3, 1), end(9)]
    first, result = verdicts([near, order(MOVING, after("first"))], [start(), *samples])
    assert (first.t_s, result.status, result.t_s) == (1.0, "passed", 3.0)
    assert result.evidence["steps"][1] == {
        "step": "first passed", "t_s": 3.0, "sim_s": None, "assertion": "first", "passed_t_s": 1.0,
    }  # fmt: skip


def test_a_verdict_that_comes_later_is_waited_for():
    near = reach_pose("first")
    samples = [value(1, 1), pose(3, 0.0), pose(4, 3.0), end(9)]
    _, result = verdicts([near, order(MOVING, after("first"), FAR)], [start(), *samples])
    assert (result.status, result.t_s) == ("passed", 4.0)
    assert [one["t_s"] for one in result.evidence["steps"]] == [1.0, 3.0, 4.0]


def test_a_verdict_that_is_not_a_pass_fails_it_once_the_step_is_reached():
    near = reach_pose("first", within_s=2)
    samples = [clock(3), value(5, 1), end(9)]
    judge = evaluator(near, order(MOVING, after("first")))
    news = [one for sample in [start(), *samples] for one in judge.feed(sample)]
    assert [(one.name, one.status, one.t_s) for one in news] == [
        ("first", "failed", 2.0), ("it", "failed", 5.0),
    ]  # fmt: skip
    assert news[1].reason == "step 2 of 2 (first passed) cannot happen: first failed"


def test_assertions_it_waits_for_are_settled_before_it_at_the_end():
    touch = no_collision("first")
    judge = evaluator(order(after("first"), name="waits"), touch)
    news = [one for sample in [start(), end(9)] for one in judge.feed(sample)]
    assert [(one.name, one.status, one.t_s) for one in news] == [
        ("first", "passed", 9.0), ("waits", "passed", 9.0),
    ]  # fmt: skip


def test_sequences_may_wait_for_each_other_in_a_row_and_not_in_a_circle():
    one = order(MOVING, name="first")
    two = order(after("first"), name="second")
    assert [r.status for r in verdicts([two, one], [start(), value(1, 1)])] == ["passed"] * 2
    with pytest.raises(ValueError, match="wait for each other"):
        evaluator(two, order(after("second"), name="first"))


def test_verdicts_of_one_moment_are_heard_before_a_deadline_after_them():
    """The clock comes once a second: what happened at 2 s is told at 3 s, with its own time."""
    held = assertion(
        "eventually", "first", vehicle="ugv1", signals={"v": {"topic": "odom", "field": "v"}},
        condition="v > 0", for_s=1,
    )  # fmt: skip
    samples = [value(1, 1), clock(3), end(9)]
    judged = verdicts([order(after("first"), within_s=2.5), held], [start(), *samples])
    assert [(one.status, one.t_s) for one in judged] == [("passed", 2.0), ("passed", 2.0)]
    late = verdicts([order(after("first"), within_s=1.5), held], [start(), *samples])
    assert [(one.status, one.t_s) for one in late] == [("failed", 1.5), ("passed", 2.0)]


def test_the_last_step_must_happen_by_within_s():
    steps = (STARTED, MOVING)
    result = verdict(order(*steps, within_s=4), [action(1, "started"), clock(5), end(9)])
    assert (result.status, result.t_s, result.sim_s) == ("failed", 4.0, 7.5)
    assert result.reason == "step 2 of 2 (/ugv1/odom v: value > 0) did not happen within 4 s"
    assert (
        verdict(order(*steps, within_s=4), [action(1, "started"), value(4, 1)]).status == "passed"
    )


def test_a_step_must_happen_within_max_gap_s_of_the_one_before():
    gap = order(MOVING, FAR, max_gap_s=1.5)
    result = verdict(gap, [value(3, 1), pose(4, 0.0), pose(5, 3.0)])
    assert (result.status, result.t_s) == ("failed", 4.5)
    assert "(far) did not happen within 1.5 s of the step before" in result.reason
    assert verdict(gap, [value(8, 1), pose(9.5, 3.0)]).status == "passed"
    both = order(MOVING, FAR, max_gap_s=1.5, within_s=4)
    assert verdict(both, [value(3, 1), clock(9)]).reason.endswith("did not happen within 4 s")


def test_a_field_that_is_not_there_fails_it_once_the_step_is_watched():
    broken = [field_error(1, "no field 'v'"), action(2, "started"), end(9)]
    result = verdict(order(STARTED, MOVING), broken)
    assert (result.status, result.t_s) == ("failed", 2.0)
    assert "cannot happen: no field 'v'" in result.reason
    healed = [field_error(1), value(1.5, 0), action(2, "started"), value(3, 1), end(9)]
    assert verdict(order(STARTED, MOVING), healed).status == "passed"
    done = [value(1, 1), field_error(2), pose(3, 3.0), end(9)]
    assert verdict(order(MOVING, FAR), done).status == "passed"
    vanished = [value(1, 0), field_error(2), end(9)]
    assert verdict(order(MOVING), vanished).t_s == 2.0


def test_a_value_that_the_condition_cannot_take_fails_it():
    result = verdict(order(MOVING), [value(1, "fast"), end(9)])
    assert (result.status, result.t_s) == ("failed", 1.0)
    assert "cannot be judged at 1 s" in result.reason


def test_not_a_number_satisfies_nothing():
    assert verdict(order(MOVING), [value(1, math.nan), end(9)]).t_s == 9.0


def test_messages_older_than_the_step_before_do_not_count():
    samples = [action(2, "started"), value(1, 1), value(-1, 1), end(9)]
    assert verdict(order(STARTED, MOVING), samples).status == "failed"
    assert verdict(order(MOVING), [value(-1, 1), end(9)]).status == "failed"
    samples = [value(2, 1), action(1, "finished", "failed"), action(3, "finished", "ok"), end(9)]
    assert verdict(order(MOVING, FINISHED), samples).status == "passed"


def test_a_run_that_breaks_off_skips_it():
    results = verdicts([no_collision("first"), order(after("first"))], [start(), end(9, "failed")])
    assert [one.status for one in results] == ["skipped", "skipped"]
