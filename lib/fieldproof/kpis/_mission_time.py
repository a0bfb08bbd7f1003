from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from fieldproof.kpis._collector import Collector, CollectorSpec, CollectorType
from fieldproof.kpis._figures import rounded
from fieldproof.kpis._map import Metrics
from fieldproof.kpis._window import is_occurrence
from fieldproof.model import KpiBase, Label, Strict
from fieldproof.plan import PlanContext, PlannedAssertion

OK = "ok"


class SpanParameters(Strict):
    """A span of the timeline."""

    start: Label | None = Field(
        default=None,
        description="The timeline entry whose start opens the span; the timeline's when absent.",
    )
    end: Label | None = Field(
        default=None,
        description="The entry whose successful end closes it; the timeline's when absent.",
    )


class MissionTime(SpanParameters, KpiBase):
    """How long a span of the timeline took."""

    type: Literal["mission_time"]


def planned_span(spec: Any, context: PlanContext) -> PlannedAssertion:
    """Return a specification that has `SpanParameters`, with its entries checked."""
    resolved = {
        key: None if label is None else context.action(label, at=key)
        for key, label in (("start", spec.start), ("end", spec.end))
    }
    return PlannedAssertion(spec, resolved=resolved)


class MissionTimeType(CollectorType):
    """How long a span of the timeline took.

    Missing: an entry never started, or never ended ok after the start; without `end`, the timeline
    did not complete.
    """

    type: ClassVar[str] = "mission_time"
    Spec: ClassVar[CollectorSpec] = MissionTime
    summary: ClassVar[str] = "How long a span of the timeline took."
    metrics: ClassVar[Mapping[str, str]] = {"duration_s": "from the span's start to its end"}

    def plan(self, spec: MissionTime, context: PlanContext) -> PlannedAssertion:
        """Return the collector with its entries checked."""
        return planned_span(spec, context)

    def collector(self, planned: PlannedAssertion) -> "SpanCollector":
        """Return the collector."""
        return SpanCollector(planned)


class SpanCollector(Collector):
    """Waits for a span's start and then for its end.

    Of a repeated entry the first start opens the span, and the first successful end after that
    closes it.

    Attributes:
        start: Label of the entry whose start opens the span; None for the timeline.
        end: Label of the entry whose end closes it; None for the timeline.
        started_s: When it was opened.
        ended_s: When it was closed.
        missed: Why it can no longer be; empty while it can.
    """

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        self.start: str | None = planned.resolved["start"]
        self.end: str | None = planned.resolved["end"]
        self.started_s: float | None = 0.0 if self.start is None else None
        self.ended_s: float | None = None
        self.missed = ""

    @property
    def duration_s(self) -> float | None:
        """Seconds from the span's start to its end."""
        if self.started_s is None or self.ended_s is None:
            return None
        return rounded(self.ended_s - self.started_s)

    def on_action(self, label: str, event: str, t: float, status: str) -> None:
        """Open or close the span."""
        if self.ended_s is not None or self.missed:
            return
        if self.start is not None and self.started_s is None and is_occurrence(label, self.start):
            if event == "started":
                self.started_s = t
            else:
                self.missed = f"{self.start} never started: it was {status}"
        if self.end is not None and event == "finished" and is_occurrence(label, self.end):
            if status != OK:
                self.missed = self.missed or f"{label} ended {status}"
            elif self.started_s is not None:
                self.ended_s = t

    def on_finish(self, t: float) -> None:
        """Close a span that ends with the timeline."""
        if self.end is None and self.started_s is not None and not self.missed:
            self.ended_s = t

    def missing(self) -> str:
        """The span was not closed."""
        if self.ended_s is not None:
            return ""
        if self.missed:
            return self.missed
        if self.started_s is None:
            return f"{self.start} never started"
        if self.end is None:
            return "the timeline did not complete"
        return f"{self.end} did not complete"

    def evidence(self) -> Mapping[str, Any]:
        """When the span was opened and closed."""
        return {
            "started_t_s": self.started_s,
            "ended_t_s": self.ended_s,
            "duration_s": self.duration_s,
        }

    def metrics(self) -> Metrics:
        """The span's length in seconds."""
        return {"duration_s": (self.duration_s, "s")}
