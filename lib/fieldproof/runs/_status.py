from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

_UNDECIDED_FOR_BISECT = 125


class Status(StrEnum):
    """How a run ended, once its assertions are judged."""

    PASSED = "passed"
    FAILED = "failed"
    TIMEOUT = "timeout"
    ERROR = "error"
    INCONCLUSIVE = "inconclusive"
    INVALID = "invalid"
    INTERRUPTED = "interrupted"

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 passed, 2 invalid, 130 interrupted, otherwise 1."""
        return _EXIT_CODES.get(self, 1)

    @property
    def bisect_code(self) -> int:
        """The exit code for `git bisect run`: 125, skip, for all but passed and failed."""
        return self.exit_code if self in {Status.PASSED, Status.FAILED} else _UNDECIDED_FOR_BISECT


_EXIT_CODES = {Status.PASSED: 0, Status.INVALID: 2, Status.INTERRUPTED: 130}


class Verdict(NamedTuple):
    """A run's status and the sentence that explains it."""

    status: Status
    reason: str

    def to_data(self) -> dict[str, Any]:
        """Return the content of verdict.json."""
        return {
            "status": self.status.value,
            "exit_code": self.status.exit_code,
            "reason": self.reason,
        }


def verdict_of(
    outcome: Mapping[str, Any],
    results: Sequence[Mapping[str, Any]],
    *,
    planned: Iterable[str] | None = None,
) -> Verdict:
    """Judge a run.

    A run passes only if its timeline completed, its evidence is complete and every assertion
    passed. Evidence with a gap makes a completed or failed run inconclusive, whatever its
    assertions say, since what was lost could have decided them; the reason still names the first
    that failed. A timeout, an error and an interrupt stand as they are.

    Args:
        outcome: the content of outcome.json: `status`, `reason`, `complete`, `gaps`.
        results: the assertions' verdicts in the order in which they were decided.
        planned: names of all assertions of the scenario; one without a verdict counts as
            undecided. Without it, `results` is taken to be everything.

    Raises:
        ValueError: The outcome's status is none of completed, failed, timeout, error,
            interrupted and invalid.
    """
    status = outcome["status"]
    reason = outcome.get("reason") or ""
    if status in {"timeout", "error", "interrupted", "invalid"}:
        return Verdict(Status(status), reason or _DEFAULT_REASONS[status])
    if status not in {"completed", "failed"}:
        raise ValueError(f"unknown outcome status {status!r}")
    failed = status == "failed"
    failure = _first(results, "failed")
    if not outcome.get("complete", False):
        also = [text for text in (reason if failed else "", failure) if text]
        lost = _gaps(outcome.get("gaps") or ())
        return Verdict(Status.INCONCLUSIVE, "; ".join([lost, *dict.fromkeys(also)]))
    if failed or failure:
        because = reason if failed else ""
        return Verdict(Status.FAILED, because or failure or "the timeline failed")
    undecided = _undecided(results, planned)
    if undecided:
        return Verdict(Status.INCONCLUSIVE, undecided)
    return Verdict(Status.PASSED, _all_passed(len(results)))


_DEFAULT_REASONS = {
    "timeout": "the time budget ran out",
    "error": "the run could not be carried out",
    "interrupted": "the run was interrupted",
    "invalid": "the scenario is not valid",
}


def _first(results: Sequence[Mapping[str, Any]], status: str) -> str:
    """Return the sentence about the first result with a status, empty if there is none."""
    found = [each for each in results if each["status"] == status]
    if not found:
        return ""
    reason = f": {found[0]['reason']}" if found[0].get("reason") else ""
    return f"assertion {found[0]['name']} {status}{reason}{_more(len(found) - 1)}"


def _all_passed(count: int) -> str:
    if not count:
        return "the timeline completed; the scenario asserts nothing"
    return f"{count} assertion{'s' if count > 1 else ''} passed"


def _undecided(results: Sequence[Mapping[str, Any]], planned: Iterable[str] | None) -> str:
    for status in ("skipped", "pending"):
        sentence = _first(results, status)
        if sentence:
            return sentence
    judged = {each["name"] for each in results}
    missing = [name for name in planned or () if name not in judged]
    if missing:
        return f"assertion {missing[0]} has no verdict{_more(len(missing) - 1)}"
    odd = [each for each in results if each["status"] != "passed"]
    if odd:
        return f"assertion {odd[0]['name']} has the unknown verdict {odd[0]['status']!r}"
    return ""


def _gaps(gaps: Sequence[Mapping[str, Any]]) -> str:
    if not gaps:
        return "the evidence is incomplete: the recorder gave no account of what it received"
    return f"the evidence is incomplete: {gap_text(gaps[0])}{_more(len(gaps) - 1)}"


def gap_text(gap: Mapping[str, Any]) -> str:
    """Return what is missing from the evidence, in words.

    Args:
        gap: has `topic` (a ROS topic) or `frames` (a simulator stream) where one is concerned,
            `what` happened in words or how many messages were `lost`, or else `expected`, `got`.
    """
    subject = gap.get("topic") or gap.get("frames")
    if gap.get("what"):
        detail = str(gap["what"])
    elif "lost" in gap:
        lost = gap["lost"]
        unit = "frame" if "frames" in gap else "message"
        detail = f"{lost} {unit}{'' if lost == 1 else 's'} lost"
    elif "expected" in gap:
        got = gap.get("got")
        detail = f"{got} message{'' if got == 1 else 's'} of {gap['expected']}"
    else:
        detail = "not observed"
    return f"{subject}: {detail}" if subject else detail


def _more(count: int) -> str:
    return f" (and {count} more)" if count > 0 else ""
