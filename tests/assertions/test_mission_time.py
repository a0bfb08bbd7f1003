import pytest

from .streams import action, assertion, clock, end, verdict


def mission(max_s=10, **spec):
    return assertion("mission_time", max_s=max_s, **spec)


def test_the_whole_timeline_passes_when_it_completes_in_time():
    result = verdict(mission(), [end(8)])
    assert (result.status, result.t_s) == ("passed", 8.0)
    assert result.reason == "the timeline completed after 8 s (at most 10 s)"
    assert {**result.evidence, "excerpt": None} == {
        "started_t_s": 0.0, "ended_t_s": 8.0, "duration_s": 8.0, "excerpt": None,
    }  # fmt: skip
    assert result.metrics == {"duration_s": 8.0}


def test_it_fails_the_moment_its_limit_passes():
    result = verdict(mission(), [clock(10), clock(10.05), end(12)])
    assert (result.status, result.t_s, result.sim_s) == ("failed", 10.0, 13.5)
    assert result.reason == ("the timeline has not completed 10 s after the start of the timeline")


def test_an_end_at_exactly_the_limit_counts():
    assert verdict(mission(), [end(10)]).status == "passed"
    assert verdict(mission(0.3), [end(0.3)]).status == "passed"


def test_a_span_of_entries_is_measured_from_the_start_of_one_to_the_end_of_another():
    samples = [
        action(1, "started"), action(2, "finished", "ok"),
        action(4, "started", label="back"), action(9, "finished", "ok", label="back"), end(20),
    ]  # fmt: skip
    result = verdict(mission(start="drive", end="back"), samples)
    assert (result.status, result.t_s, result.metrics["duration_s"]) == ("passed", 9.0, 8.0)
    late = verdict(mission(7.9, start="drive", end="back"), samples)
    assert (late.status, late.t_s) == ("failed", 8.9)
    assert late.reason == "back has not completed 7.9 s after the start of drive"


def test_a_span_that_is_too_short_fails():
    result = verdict(mission(min_s=9), [end(8)])
    assert (result.status, result.t_s) == ("failed", 8.0)
    assert result.reason == ("the timeline completed after 8 s (at least 9 s, at most 10 s)")
    assert verdict(mission(min_s=8), [end(8)]).status == "passed"


@pytest.mark.parametrize("status", ["failed", "timeout", "cancelled", "skipped"])
def test_an_end_that_is_not_ok_fails_at_once(status):
    result = verdict(mission(end="drive"), [action(1, "started"), action(3, "finished", status)])
    assert (result.status, result.t_s, result.reason) == ("failed", 3.0, f"drive ended {status}")


@pytest.mark.parametrize(
    ("spec", "samples", "t", "what"),
    [
        ({"start": "drive"}, [action(2, "finished", "skipped")], 2.0, "never started: it was"),
        ({"start": "drive"}, [], 6.0, "drive never started before the timeline ended"),
        ({"end": "drive"}, [action(1, "started")], 6.0, "drive did not complete before the"),
        ({"start": "back", "end": "drive"}, [action(1, "started"), action(2, "finished", "ok")],
         6.0, "back never started before"),
        ({"start": "back", "end": "drive"},
         [action(1, "started"), action(2, "finished", "ok"), action(3, "started", label="back")],
         6.0, "drive did not complete before"),
    ],
)  # fmt: skip
def test_a_span_that_is_never_closed_fails(spec, samples, t, what):
    result = verdict(mission(**spec), [*samples, end(6)])
    assert (result.status, result.t_s) == ("failed", t)
    assert what in result.reason
    assert result.metrics == {"duration_s": None}


def test_of_repeated_entries_the_first_start_and_the_first_end_after_it_count():
    samples = [
        action(1, "started"), action(2, "finished", "ok"), action(3, "started", label="back"),
        action(4, "started", label="drive#2"), action(5, "finished", "ok", label="drive#2"),
        action(6, "started", label="back#2"), end(9),
    ]  # fmt: skip
    result = verdict(mission(start="back", end="drive"), samples)
    assert (result.evidence["started_t_s"], result.evidence["ended_t_s"]) == (3.0, 5.0)


def test_actions_after_the_span_change_nothing():
    samples = [
        action(1, "started"), action(2, "finished", "ok"), action(3, "started", label="drive#2"),
        action(4, "finished", "failed", label="drive#2"), end(9),
    ]  # fmt: skip
    assert verdict(mission(start="drive", end="drive"), samples).metrics["duration_s"] == 1.0


def test_a_span_without_an_end_of_its_own_is_not_closed_by_a_run_that_broke_off():
    assert verdict(mission(), [end(3, "failed")]).status == "skipped"
