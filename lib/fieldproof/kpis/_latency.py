import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from fieldproof.kpis._collector import Collector, CollectorSpec, CollectorType
from fieldproof.kpis._figures import rounded
from fieldproof.kpis._map import Metrics
from fieldproof.kpis._rate import no_window
from fieldproof.kpis._windows import TopicParameters, WindowLength, Windows, extreme, planned_topic
from fieldproof.model import NS_PER_S, Duration, KpiBase
from fieldproof.plan import PlanContext, PlannedAssertion
from fieldproof.samples import Sample, Subject


class LatencyParameters(TopicParameters):
    """Over which windows the age of a topic's messages is measured."""

    window_s: WindowLength = Field(
        default=Duration(2 * NS_PER_S),
        description="The sliding window, in simulation time, at least 1 s.",
    )


class Latency(LatencyParameters, KpiBase):
    """The age of a topic's messages."""

    type: Literal["latency"]


class LatencyType(CollectorType):
    """How old messages of a stamped topic are when they arrive.

    Measured are the windows that lie wholly after `after_s` and hold a message. The mean is over
    messages, each counted once; the percentile is the highest of a window.
    Missing: there was no such window.
    """

    type: ClassVar[str] = "latency"
    Spec: ClassVar[CollectorSpec] = Latency
    summary: ClassVar[str] = "How old messages of a stamped topic are when they arrive."
    metrics: ClassVar[Mapping[str, str]] = {
        "p95_ms": "highest 95th percentile of a window",
        "max_ms": "highest age",
        "mean_ms": "mean age",
        "messages": "messages in windows that do not overlap",
    }

    def plan(self, spec: Latency, context: PlanContext) -> PlannedAssertion:
        """Return the collector with its topic absolute."""
        return planned_topic(spec, context, "latency")

    def collector(self, planned: PlannedAssertion) -> "LatencyCollector":
        """Return the collector."""
        return LatencyCollector(planned)


class LatencyCollector(Collector):
    """Adds up the windows of one topic and length.

    Attributes:
        topic: The topic.
        windows: Which windows counted.
        p95_ms: The highest 95th percentile of one of them.
        max_ms: The highest age.
        messages: Messages, each counted once.
    """

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert planned.topic is not None
        self.topic = planned.topic
        self.windows = Windows(planned.spec)
        self.p95_ms: float | None = None
        self.max_ms: float | None = None
        self.messages = 0
        self._sum_ms = 0.0

    def subjects(self) -> tuple[Subject, ...]:
        """The topic's latencies, and the timeline's start and end."""
        return (("latency", self.topic), ("timeline",))

    def on_sample(self, sample: Sample, t: float) -> None:
        """Take a window, or the timeline's start or end."""
        self.take(sample, t)

    def take(self, sample: Sample, t: float) -> bool:
        """Do the same, and return whether it was a window that counts."""
        if sample.kind == "timeline":
            self.windows.mark(sample)
            return False
        if not self.windows.counts(sample, t):
            return False
        data = sample.data
        count, mean_ms = data["count"], data["mean_ms"]
        self.p95_ms = extreme(self.p95_ms, data["p95_ms"], max)
        self.max_ms = extreme(self.max_ms, data["max_ms"], max)
        if self.windows.is_apart(sample) and mean_ms is not None and math.isfinite(mean_ms):
            self.messages += count
            self._sum_ms += mean_ms * count
        return True

    def missing(self) -> str:
        """No message was in a window that counts."""
        if not self.windows.count:
            return no_window(self.planned)
        return "" if self.messages else f"{self.topic} was silent"

    def evidence(self) -> Mapping[str, Any]:
        """How many windows there were, and the figures."""
        figures = {name: value for name, (value, _) in self.metrics().items()}
        return {"windows": self.windows.count, **figures}

    def metrics(self) -> Metrics:
        """Ages in milliseconds and the number of messages."""
        mean = rounded(self._sum_ms / self.messages) if self.messages else None
        return {
            "p95_ms": (rounded(self.p95_ms), "ms"),
            "max_ms": (rounded(self.max_ms), "ms"),
            "mean_ms": (mean, "ms"),
            "messages": (self.messages, ""),
        }
