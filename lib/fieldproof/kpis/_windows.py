"""Which of the windows that the observer measures over a topic count."""

import math
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from fieldproof.kpis._window import window_of
from fieldproof.model import (
    NS_PER_S,
    Duration,
    MessageType,
    Name,
    NonNegativeDuration,
    Strict,
    TopicName,
    fault,
)
from fieldproof.plan import PlanContext, PlannedAssertion, Watch
from fieldproof.samples import Sample, to_ns

Hertz = Annotated[float, Field(ge=0, le=1e6)]

_SLACK_NS = 2 * NS_PER_S
"""Windows come once a second; one that is missing for longer than this was not measured."""


def _leaves_no_time_out(value: Duration) -> Duration:
    if value.ns < NS_PER_S:
        why = "windows are looked at once a second, what comes between them would not count"
        raise fault(f"must be at least 1s (got {value})", hint=why)
    return value


WindowLength = Annotated[
    Duration,
    AfterValidator(_leaves_no_time_out),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 1},
                {
                    "type": "string",
                    "pattern": r"^\+?(0*[1-9]\d*(\.\d*)? ?s|0*[1-9]\d{3,}(\.\d*)? ?ms"
                    r"|(\d+(\.\d*)?|\.\d+) ?(m|h))$",
                },
            ]
        }
    ),
]
"""How long a window is: no shorter than the time between two looks at it."""


class TopicParameters(Strict):
    """Which topic is measured, and since when."""

    topic: TopicName = Field(description="The topic.")
    vehicle: Name | None = Field(default=None, description="Whose namespace the topic is in.")
    after_s: NonNegativeDuration = Field(
        default=Duration(), description="Grace period after the timeline starts."
    )
    message_type: MessageType | None = Field(default=None, description="The topic's type.")


def planned_topic(
    spec: Any, context: PlanContext, kind: Literal["rate", "latency"]
) -> PlannedAssertion:
    """Return a specification with `TopicParameters` and `window_s`, its topic absolute."""
    topic = context.topic(spec.vehicle, spec.topic, message_type=spec.message_type)
    message_type = context.message_type(topic, spec.message_type)
    watch = Watch(kind, topic, message_type=message_type, window_ns=spec.window_s.ns)
    return PlannedAssertion(spec, topic=topic, watches=(watch,))


class Windows:
    """Says which windows count: those that lie wholly in the time of a specification.

    Windows are measured in simulation time. In lockstep so are `after_s` and `within_s`; otherwise
    these count on the wall clock, and the grace period ends, in simulation time, at the first
    window that is measured after it.

    Attributes:
        count: Windows that counted.
        last_ns: The end of the last of them, in simulation time.
    """

    def __init__(self, spec: Any) -> None:
        self._window_ns: int = spec.window_s.ns
        self._after: Duration = spec.after_s
        self._after_s, self._until_s = window_of(spec)
        self._from_ns: int | None = None
        self._closes_ns: int | None = None
        self._apart_ns: int | None = None
        self.count = 0
        self.last_ns: int | None = None

    def mark(self, sample: Sample) -> None:
        """Learn where in simulation time the timeline starts and ends."""
        if sample.sim is None:
            return
        if sample.data["event"] != "start":
            end_ns = to_ns(sample.sim)
            self._closes_ns = end_ns if self._closes_ns is None else min(self._closes_ns, end_ns)
            return
        if sample.wall is None or self._after.ns == 0:
            self._from_ns = to_ns(sample.sim) + self._after.ns
        if sample.wall is None and math.isfinite(self._until_s):
            self._closes_ns = to_ns(sample.sim) + to_ns(self._until_s)

    def counts(self, sample: Sample, t: float) -> bool:
        """Return whether a window that ends with a sample counts, and count it."""
        length = sample.data.get("window_s")
        if sample.sim is None or (length is not None and to_ns(length) != self._window_ns):
            return False
        if not self._after_s <= t <= self._until_s:
            return False
        end_ns = to_ns(sample.sim)
        if self._from_ns is None:
            # the grace period is counted on the wall clock: this is the first moment after it
            self._from_ns = end_ns
        if end_ns - self._window_ns < self._from_ns:
            return False
        self.count += 1
        self.last_ns = end_ns if self.last_ns is None else max(end_ns, self.last_ns)
        return True

    def is_apart(self, sample: Sample) -> bool:
        """Return whether a window that counts shares nothing with the last one that was apart.

        Figures of messages are added up over these, so that each message counts once.
        """
        end_ns = to_ns(sample.sim or 0.0)
        if self._apart_ns is not None and end_ns - self._window_ns < self._apart_ns:
            return False
        self._apart_ns = end_ns
        return True

    @property
    def unmeasured_s(self) -> float:
        """Seconds at the end of the time that counts in which windows are missing.

        0 where that cannot be told: before the end, and at a `within_s` on the wall clock.
        """
        if self._closes_ns is None or self.last_ns is None:
            return 0.0
        gap_ns = self._closes_ns - self.last_ns
        return gap_ns / NS_PER_S if gap_ns > _SLACK_NS else 0.0


def extreme(
    known: float | None, value: float | None, choose: Callable[[float, float], float]
) -> float | None:
    """Return the lower or the higher of a known extreme and a value that may not be finite."""
    if value is None or not math.isfinite(value):
        return known
    return value if known is None else choose(known, value)
