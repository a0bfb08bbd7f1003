import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fieldproof.model import canonical_json, printable

PASSED = "passed"
FAILED = "failed"
SKIPPED = "skipped"
PENDING = "pending"
VERDICTS = frozenset({PASSED, FAILED, SKIPPED})

_DIGITS = 6
_LONGEST_TEXT = 200
_LONGEST_LIST = 8


@dataclass(frozen=True, slots=True)
class Result:
    """The verdict of one assertion.

    Attributes:
        name: The assertion.
        type: Its type.
        status: `passed`, `failed`, `skipped` (the run ended before it was decided) or `pending`.
        reason: Why, in a sentence for people.
        t_s: Seconds after the timeline's start at which it was decided; the deadline itself
            when a deadline decided; None when the timeline never started.
        sim_s: Seconds of simulation time of the deciding sample, where the stream has it.
        evidence: What it rests on, the last noted samples as `excerpt` included; JSON data.
        metrics: What was measured until the verdict; JSON data.
        on_fail: `abort` if a failure ends the timeline, else `continue`; not part of the record.
    """

    name: str
    type: str
    status: str
    reason: str = ""
    t_s: float | None = None
    sim_s: float | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)
    on_fail: str = "continue"

    @property
    def aborts(self) -> bool:
        """Whether the verdict ends the timeline."""
        return self.status == FAILED and self.on_fail == "abort"

    def to_data(self) -> dict[str, Any]:
        """Return the verdict as JSON data."""
        return {
            "name": self.name,
            "type": self.type,
            "status": self.status,
            "reason": self.reason,
            "t_s": self.t_s,
            "sim_s": self.sim_s,
            "evidence": self.evidence,
            "metrics": self.metrics,
        }

    def to_line(self) -> str:
        """Return the verdict's canonical line of assertions.jsonl, ended by a newline."""
        return canonical_json(self.to_data()) + "\n"


def rounded(value: float | None) -> float | None:
    """Return a calculated figure to six decimals, so that its last bits tell no tale."""
    return None if value is None else round(value, _DIGITS) + 0.0


def number(value: float) -> str:
    """Return a figure for a sentence: at most three decimals."""
    text = f"{value:.3f}".rstrip("0").rstrip(".") if math.isfinite(value) else str(value)
    return "0" if text == "-0" else text


def brief(value: Any) -> Any:
    """Return a message's value as evidence shows it: long lists and texts are cut short."""
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return value[:_LONGEST_TEXT] + "…"
    if isinstance(value, list | tuple) and len(value) > _LONGEST_LIST:
        return {"length": len(value), "first": [brief(item) for item in value[:_LONGEST_LIST]]}
    return value


def evidence_of(value: Any) -> Any:
    """Return a copy of a value as JSON data, with NaN and infinities as text.

    Raises:
        TypeError: It holds something that is no JSON data.
    """
    if isinstance(value, bool) or value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {str(key): evidence_of(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [evidence_of(item) for item in value]
    raise TypeError(f"{type(value).__name__} is not JSON data")
