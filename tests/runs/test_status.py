import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldproof.runs import Status, gap_text, verdict_of

from .conftest import outcome, result


@pytest.mark.parametrize(
    ("status", "exit_code", "bisect_code"),
    [
        (Status.PASSED, 0, 0),
        (Status.FAILED, 1, 1),
        (Status.TIMEOUT, 1, 125),
        (Status.ERROR, 1, 125),
        (Status.INCONCLUSIVE, 1, 125),
        (Status.INVALID, 2, 125),
        (Status.INTERRUPTED, 130, 125),
    ],
)
def test_every_status_has_its_exit_code(status, exit_code, bisect_code):
    assert (status.exit_code, status.bisect_code) == (exit_code, bisect_code)


def test_the_table_of_exit_codes_covers_every_status():
    assert len(Status) == 7


LATE = result("arrived_in_time", "failed", "drive_ahead has not completed 1 s after its start")
CASES = {
    "all passed": (outcome(), [result(), result("b")], "passed", "2 assertions passed"),
    "one passed": (outcome(), [result()], "passed", "1 assertion passed"),
    "nothing asserted": (
        outcome(),
        [],
        "passed",
        "the timeline completed; the scenario asserts nothing",
    ),
    "one failed": (
        outcome(),
        [result(), LATE],
        "failed",
        "assertion arrived_in_time failed: drive_ahead has not completed 1 s after its start",
    ),
    "two failed, the first is named": (
        outcome(),
        [LATE, result("b", "failed", "hit the wall")],
        "failed",
        (
            "assertion arrived_in_time failed: drive_ahead has not completed 1 s after its start"
            " (and 1 more)"
        ),
    ),
    "failed without a reason": (
        outcome(),
        [result("b", "failed", "")],
        "failed",
        "assertion b failed",
    ),
    "an assertion was skipped": (
        outcome(),
        [result("b", "skipped", "never decided")],
        "inconclusive",
        "assertion b skipped: never decided",
    ),
    "an assertion is pending": (
        outcome(),
        [result("b", "pending", "")],
        "inconclusive",
        "assertion b pending",
    ),
    "an unknown verdict": (
        outcome(),
        [result("b", "maybe")],
        "inconclusive",
        "assertion b has the unknown verdict 'maybe'",
    ),
    "messages were lost": (
        outcome(
            complete=False, gaps=[{"topic": "/scan", "lost": 3}, {"frames": "pose", "lost": 1}]
        ),
        [result()],
        "inconclusive",
        "the evidence is incomplete: /scan: 3 messages lost (and 1 more)",
    ),
    "messages were lost and an assertion failed": (
        outcome(complete=False, gaps=[{"topic": "/scan", "lost": 1}]),
        [LATE],
        "inconclusive",
        (
            "the evidence is incomplete: /scan: 1 message lost; assertion arrived_in_time failed:"
            " drive_ahead has not completed 1 s after its start"
        ),
    ),
    "the recorder was silent": (
        outcome(complete=False),
        [result()],
        "inconclusive",
        "the evidence is incomplete: the recorder gave no account of what it received",
    ),
    "the timeline failed": (
        outcome(status="failed", reason="drive_ahead: goal ABORTED"),
        [result()],
        "failed",
        "drive_ahead: goal ABORTED",
    ),
    "an aborting assertion": (
        outcome(status="failed", reason="assertion a failed: x (on_fail: abort)"),
        [result("a", "failed", "x")],
        "failed",
        "assertion a failed: x (on_fail: abort)",
    ),
    "failed with a gap": (
        outcome(
            status="failed",
            reason="drive: ABORTED",
            complete=False,
            gaps=[{"what": "the recorder gave no account"}],
        ),
        [],
        "inconclusive",
        "the evidence is incomplete: the recorder gave no account; drive: ABORTED",
    ),
    "timeout": (
        outcome(status="timeout", reason="not ended after 60 s", complete=False),
        [LATE],
        "timeout",
        "not ended after 60 s",
    ),
    "error": (
        outcome(status="error", reason="start bridges: gone", complete=False),
        [],
        "error",
        "start bridges: gone",
    ),
    "error without a word": (
        outcome(status="error", reason=""),
        [],
        "error",
        "the run could not be carried out",
    ),
    "interrupted": (
        outcome(status="interrupted", reason="", complete=False),
        [],
        "interrupted",
        "the run was interrupted",
    ),
    "invalid": (
        outcome(status="invalid", reason="s.yaml:1:1: no", complete=False),
        [],
        "invalid",
        "s.yaml:1:1: no",
    ),
}


@pytest.mark.parametrize(("ended", "results", "status", "reason"), CASES.values(), ids=CASES.keys())
def test_the_verdict_follows_from_outcome_and_results(ended, results, status, reason):
    verdict = verdict_of(ended, results)
    assert (verdict.status.value, verdict.reason) == (status, reason)


def test_a_planned_assertion_without_a_verdict_keeps_a_run_from_passing():
    verdict = verdict_of(outcome(), [result("a")], planned=["a", "b", "c"])
    assert verdict == (Status.INCONCLUSIVE, "assertion b has no verdict (and 1 more)")


def test_an_outcome_that_does_not_say_it_is_complete_is_not():
    ended = outcome()
    del ended["complete"]
    assert verdict_of(ended, [result()]).status == Status.INCONCLUSIVE


def test_an_unknown_outcome_is_an_error_of_the_caller():
    with pytest.raises(ValueError, match="fine"):
        verdict_of(outcome(status="fine"), [])


@settings(deadline=None, derandomize=True)
@given(
    st.sampled_from(["completed", "failed", "timeout", "error", "interrupted", "invalid"]),
    st.booleans(),
    st.lists(st.sampled_from(["passed", "failed", "skipped", "pending", "odd"])),
)
def test_only_a_completed_run_with_complete_evidence_and_nothing_but_passes_passes(
    status, complete, statuses
):
    results = [result(f"a{n}", each) for n, each in enumerate(statuses)]
    verdict = verdict_of(outcome(status=status, complete=complete), results)
    passes = status == "completed" and complete and all(each == "passed" for each in statuses)
    assert (verdict.status == Status.PASSED) == passes
    assert verdict.reason


@pytest.mark.parametrize(
    ("gap", "text"),
    [
        ({"topic": "/scan", "lost": 2}, "/scan: 2 messages lost"),
        ({"frames": "pose", "lost": 1}, "pose: 1 frame lost"),
        ({"topic": "/scan", "what": "appeared late"}, "/scan: appeared late"),
        ({"topic": "/scan", "expected": 5, "got": 3}, "/scan: 3 messages of 5"),
        ({"topic": "/scan"}, "/scan: not observed"),
        ({"what": "the recorder died"}, "the recorder died"),
    ],
)
def test_a_gap_is_told_in_words(gap, text):
    assert gap_text(gap) == text
