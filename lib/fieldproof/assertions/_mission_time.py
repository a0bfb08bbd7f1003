from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from fieldproof.assertions._checker import Checker
from fieldproof.assertions._result import FAILED, PASSED
from fieldproof.assertions._type import AssertionSpec, AssertionType
from fieldproof.kpis import Metrics, SpanCollector, SpanParameters, number, planned_span
from fieldproof.model import (
    AssertionBase,
    NonNegativeDuration,
    PositiveDuration,
    Problem,
    faults,
)
from fieldproof.plan import PlanContext, PlannedAssertion
from fieldproof.samples import NS_PER_S, Subject, to_ns

_NEVER = float("inf")


class MissionTime(SpanParameters, AssertionBase):
    """A span of the timeline completes in time."""

    type: Literal["mission_time"]
    max_s: PositiveDuration = Field(description="The longest the span may take.")
    min_s: NonNegativeDuration | None = Field(default=None, description="The shortest it may take.")

    @model_validator(mode="after")
    def _limits_agree(self) -> "MissionTime":
        found = list(self._contradictions())
        if found:
            raise faults("MissionTime", found)
        return self

    def _contradictions(self) -> Iterator[Problem]:
        if self.min_s is not None and self.min_s > self.max_s:
            yield Problem("must not be above max_s", ("min_s",), f"{self.max_s}")

    def action_names(self) -> tuple[str, ...]:
        """Return the span's entries."""
        return tuple(label for label in (self.start, self.end) if label is not None)


class MissionTimeType(AssertionType):
    """A span of the timeline takes neither too long nor too short.

    The span reaches from the first start of `start`, or the timeline's, to the first successful
    end of `end` after it, or the timeline's.
    Passes when the span closes within `max_s`, that moment included, and no sooner than `min_s`.
    Fails the moment `max_s` passes, when the span was shorter than `min_s`, and when `end` ends
    with another status than ok.
    No data: fails when an entry is skipped, and at the end of the timeline when one has not
    started or not completed.
    NaN: does not arise.
    End of the timeline: closes a span without `end`; fails any other that is still open.
    """

    type: ClassVar[str] = "mission_time"
    Spec: ClassVar[AssertionSpec] = MissionTime
    summary: ClassVar[str] = "A span of the timeline completes within a duration."
    metrics: ClassVar[Mapping[str, str]] = {"duration_s": "from the span's start to its end"}

    def plan(self, spec: MissionTime, context: PlanContext) -> PlannedAssertion:
        """Return the assertion with its entries checked."""
        return planned_span(spec, context)

    def checker(self, planned: PlannedAssertion) -> "MissionTimeChecker":
        """Return the checker."""
        return MissionTimeChecker(planned)


class MissionTimeChecker(Checker):
    """Waits for a span's start and then for its end."""

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, MissionTime)
        self._spec = planned.spec
        self._span = SpanCollector(planned)
        self._what = self._span.end or "the timeline"
        self.due_s = self._limit()

    def subjects(self) -> tuple[Subject, ...]:
        """None: actions come by `on_action`."""
        return ()

    def on_action(self, label: str, event: str, t: float, status: str) -> None:
        """Open or close the span."""
        self._span.on_action(label, event, t, status)
        self.due_s = self._limit()
        if self._span.missed:
            self.resolve(FAILED, self._span.missed, t)
        elif self._span.ended_s is not None:
            self._judge(t)

    def on_tick(self, t: float) -> None:
        """Fail once the limit has passed."""
        if self.due_s is not None and t > self.due_s:
            since = f"after the start of {self._span.start or 'the timeline'}"
            what = f"{self._what} has not completed {self._spec.max_s.to_number()} s {since}"
            self.resolve(FAILED, what, self.due_s)

    def on_finish(self, t: float) -> None:
        """Close a span that ends with the timeline; fail any other."""
        self._span.on_finish(t)
        missing = self._span.missing()
        if missing:
            self.resolve(FAILED, f"{missing} before the timeline ended", t)
        else:
            self._judge(t)

    def evidence(self) -> Mapping[str, Any]:
        """When the span was opened and closed."""
        return self._span.evidence()

    def metrics(self) -> Metrics:
        """The span's length in seconds."""
        return self._span.metrics()

    def _limit(self) -> float:
        started = self._span.started_s
        if started is None or self._span.ended_s is not None:
            return _NEVER
        return (to_ns(started) + self._spec.max_s.ns) / NS_PER_S

    def _judge(self, t: float) -> None:
        span, spec = self._span, self._spec
        assert span.started_s is not None
        took_ns = to_ns(t) - to_ns(span.started_s)
        least = "" if spec.min_s is None else f"at least {spec.min_s.to_number()} s, "
        limits = f"({least}at most {spec.max_s.to_number()} s)"
        bounds = [one.seconds for one in (spec.min_s, spec.max_s) if one is not None]
        took = number(took_ns / NS_PER_S, *bounds)
        what = f"{self._what} completed after {took} s {limits}"
        soon = spec.min_s is not None and took_ns < spec.min_s.ns
        self.resolve(FAILED if soon or took_ns > spec.max_s.ns else PASSED, what, t)
