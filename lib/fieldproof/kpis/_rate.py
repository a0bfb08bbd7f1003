import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from fieldproof.kpis._collector import Collector, CollectorSpec, CollectorType
from fieldproof.kpis._figures import rounded
from fieldproof.kpis._map import Metrics
from fieldproof.kpis._windows import TopicParameters, WindowLength, Windows, extreme, planned_topic
from fieldproof.model import NS_PER_S, Duration, KpiBase
from fieldproof.plan import PlanContext, PlannedAssertion
from fieldproof.samples import Sample, Subject


class RateParameters(TopicParameters):
    """Over which windows a topic's rate is measured."""

    window_s: WindowLength = Field(
        default=Duration(5 * NS_PER_S),
        description="The sliding window, in simulation time, at least 1 s.",
    )


class Rate(RateParameters, KpiBase):
    """The rate of a topic."""

    type: Literal["rate"]


class RateType(CollectorType):
    """How often messages of a topic come.

    Measured are the windows that lie wholly after `after_s`, as `topic_rate` judges them.
    Missing: there was no such window.
    """

    type: ClassVar[str] = "rate"
    Spec: ClassVar[CollectorSpec] = Rate
    summary: ClassVar[str] = "How often messages of a topic come."
    metrics: ClassVar[Mapping[str, str]] = {
        "mean_hz": "mean of the windows' rates",
        "lowest_hz": "lowest rate of a window",
        "highest_hz": "highest rate of a window",
        "messages": "messages in windows that do not overlap",
    }

    def plan(self, spec: Rate, context: PlanContext) -> PlannedAssertion:
        """Return the collector with its topic absolute."""
        return planned_topic(spec, context, "rate")

    def collector(self, planned: PlannedAssertion) -> "RateCollector":
        """Return the collector."""
        return RateCollector(planned)


class RateCollector(Collector):
    """Adds up the windows of one topic and length.

    Attributes:
        topic: The topic.
        windows: Which windows counted.
        lowest_hz: The lowest rate of one of them.
        highest_hz: The highest.
        messages: Messages, each counted once.
    """

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert planned.topic is not None
        self.topic = planned.topic
        self.windows = Windows(planned.spec)
        self.lowest_hz: float | None = None
        self.highest_hz: float | None = None
        self.messages = 0
        self._finite = 0
        self._sum_hz = 0.0

    def subjects(self) -> tuple[Subject, ...]:
        """The topic's rates, and the timeline's start and end."""
        return (("rate", self.topic), ("timeline",))

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
        hz: float = sample.data["hz"]
        if self.windows.is_apart(sample):
            self.messages += sample.data["messages"]
        if math.isfinite(hz):
            self._finite += 1
            self._sum_hz += hz
        self.lowest_hz = extreme(self.lowest_hz, round(hz, 6) if math.isfinite(hz) else hz, min)
        self.highest_hz = extreme(self.highest_hz, round(hz, 6) if math.isfinite(hz) else hz, max)
        return True

    def missing(self) -> str:
        """No window counted."""
        return "" if self.windows.count else no_window(self.planned)

    def evidence(self) -> Mapping[str, Any]:
        """How many windows there were, and their extremes."""
        return {
            "windows": self.windows.count,
            "lowest_hz": self.lowest_hz,
            "highest_hz": self.highest_hz,
            "messages": self.messages,
        }

    def metrics(self) -> Metrics:
        """Rates in hertz and the number of messages."""
        mean = rounded(self._sum_hz / self._finite) if self._finite else None
        return {
            "mean_hz": (mean, "Hz"),
            "lowest_hz": (self.lowest_hz, "Hz"),
            "highest_hz": (self.highest_hz, "Hz"),
            "messages": (self.messages, ""),
        }


def no_window(planned: PlannedAssertion) -> str:
    """Return that no window of a topic was measured, in words."""
    spec: Any = planned.spec
    grace = f" after {spec.after_s.to_number()} s" if spec.after_s.ns else ""
    return f"no window of {spec.window_s.to_number()} s over {planned.topic} was measured{grace}"
