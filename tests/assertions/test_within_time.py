import pytest

from .streams import action, clock, end, evaluator, start, verdict, within_time


def test_it_passes_when_the_entry_ends_ok_in_time():
    result = verdict(within_time(10), [action(1, "started"), action(8.25, "finished", "ok")])
    assert (result.status, result.t_s, result.sim_s) == ("passed", 8.25, 11.75)
    assert result.reason == "drive completed 7.25 s after its start (at most 10 s)"
    assert result.evidence == {
        "started_t_s": 1.0,
        "action_status": "ok",
        "duration_s": 7.25,
        "excerpt": [],
    }
    assert result.metrics == {"duration_s": 7.25}


def test_it_fails_the_moment_its_limit_passes():
    result = verdict(within_time(1), [action(2, "started"), clock(3), clock(9)])
    assert (result.status, result.t_s, result.sim_s) == ("failed", 3.0, 6.5)
    assert result.reason == "drive has not completed 1 s after its start"
    assert result.evidence["elapsed_s"] == 1.0


def test_an_end_at_exactly_the_limit_counts():
    samples = [action(0.1, "started"), clock(0.3), action(0.3, "finished", "ok")]
    assert verdict(within_time(0.2), samples).status == "passed"


def test_a_late_end_still_gives_the_duration_as_a_figure():
    judge = evaluator(within_time(1))
    for sample in [start(), action(0, "started"), action(4, "finished", "ok"), end(5)]:
        judge.feed(sample)
    assert judge.results()[0].status == "failed"
    assert judge.results()[0].t_s == 1.0
    assert judge.kpis()["it.duration_s"]["value"] == 4.0


@pytest.mark.parametrize("status", ["failed", "timeout", "cancelled", "skipped"])
def test_any_other_end_fails_it(status):
    result = verdict(within_time(10), [action(1, "started"), action(2, "finished", status)])
    assert (result.status, result.t_s) == ("failed", 2.0)
    assert result.reason == f"drive ended {status} 1 s after its start"


def test_an_entry_that_was_skipped_fails_it():
    result = verdict(within_time(10), [action(2, "finished", "skipped")])
    assert (result.status, result.reason) == ("failed", "drive never started: it was skipped")


def test_an_entry_that_never_started_fails_it_at_the_end():
    result = verdict(within_time(10), [action(0, "started", label="other"), end(3)])
    assert (result.status, result.t_s, result.reason) == ("failed", 3.0, "drive never started")


def test_an_entry_that_has_not_ended_fails_it_at_the_end():
    result = verdict(within_time(10), [action(1, "started"), end(3)])
    assert result.reason == "drive had not completed when the timeline ended"
    assert result.evidence["elapsed_s"] == 2.0


def test_the_first_occurrence_of_a_repeated_entry_is_judged():
    samples = [
        action(0, "started"),
        action(1, "finished", "ok"),
        action(2, "started", label="drive#2"),
        action(9, "finished", "failed", label="drive#2"),
        end(9),
    ]
    result = verdict(within_time(2), samples)
    assert (result.status, result.t_s) == ("passed", 1.0)


def test_the_first_start_counts_however_often_it_is_told():
    samples = [action(1, "started"), action(3, "started"), clock(4.05)]
    result = verdict(within_time(3), samples)
    assert (result.status, result.t_s) == ("failed", 4.0)
