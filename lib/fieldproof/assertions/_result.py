from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fieldproof.model import canonical_json

PASSED = "passed"
FAILED = "failed"
SKIPPED = "skipped"
PENDING = "pending"
VERDICTS = frozenset({PASSED, FAILED, SKIPPED})


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
