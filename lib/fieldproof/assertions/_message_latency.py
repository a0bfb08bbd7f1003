from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from fieldproof.assertions._checker import WindowedChecker
from fieldproof.assertions._result import FAILED, PASSED
from fieldproof.assertions._type import AssertionSpec, AssertionType, WindowedSpec
from fieldproof.kpis import (
    LatencyCollector,
    LatencyParameters,
    Metrics,
    no_window,
    number,
    planned_topic,
)
from fieldproof.model import counted
from fieldproof.plan import PlanContext, PlannedAssertion
from fieldproof.samples import Sample, Subject

STAMP = "header.stamp"
"""The field whose absence the observer reports for a topic without stamps."""


class MessageLatency(LatencyParameters, WindowedSpec):
    """The messages of a stamped topic arrive fresh."""

    type: Literal["message_latency"]
    max_ms: Annotated[float, Field(gt=0, le=1e9)] = Field(
        description="The age never to exceed, in milliseconds of simulation time."
    )
    statistic: Literal["p95", "max", "mean"] = Field(
        default="p95", description="Which statistic of a window is judged."
    )


class MessageLatencyType(AssertionType):
    """Messages are no older than they may be when they arrive.

    The age of a message is the simulation clock at its receipt less its header stamp; it may be
    slightly negative. The observer gives statistics over a sliding window of simulation time, once
    a second. Judged are the windows that lie wholly after `after_s` and end by `within_s`.
    Passes at the window of time's end if every such window was within the limit.
    Fails at the first with its statistic above `max_ms`, at the first without a message, so that a
    topic that dies does not stay in range, and when a message carries no stamp.
    No data: fails at the end if no window was judged, or if they stopped coming before it.
    NaN: a statistic that is no finite number fails.
    End of the timeline: ends a window of time that is still open.
    """

    type: ClassVar[str] = "message_latency"
    Spec: ClassVar[AssertionSpec] = MessageLatency
    summary: ClassVar[str] = "The messages of a stamped topic arrive fresh."
    metrics: ClassVar[Mapping[str, str]] = {
        "p95_ms": "highest 95th percentile of a window",
        "max_ms": "highest age",
        "mean_ms": "mean age",
        "messages": "messages in windows that do not overlap",
    }

    def plan(self, spec: MessageLatency, context: PlanContext) -> PlannedAssertion:
        """Return the assertion with its topic absolute."""
        return planned_topic(spec, context, "latency")

    def checker(self, planned: PlannedAssertion) -> "MessageLatencyChecker":
        """Return the checker."""
        return MessageLatencyChecker(planned)


class MessageLatencyChecker(WindowedChecker):
    """Judges each window of one topic and length."""

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, MessageLatency)
        self._spec = planned.spec
        self._latency = LatencyCollector(planned)
        self._topic = self._latency.topic
        self._failing: dict[str, Any] | None = None

    def subjects(self) -> tuple[Subject, ...]:
        """The topic's latencies, its lack of stamps, and the timeline's start and end."""
        return (*self._latency.subjects(), ("field_error", self._topic, STAMP))

    def on_sample(self, sample: Sample, t: float) -> None:
        """Judge a window, or learn that messages carry no stamp."""
        if sample.kind == "field_error":
            what = f"{self._topic} carries no {STAMP}: {sample.data['message']}"
            self.resolve(FAILED, what, max(t, 0.0), sample.sim)
            return
        if not self._latency.take(sample, t) or self.result is not None:
            return
        data, key = sample.data, f"{self._spec.statistic}_ms"
        self.note(t, sample, count=data["count"], **{key: data[key]})
        value = data[key]
        if not data["count"] or value is None or not value <= self._spec.max_ms:
            keys = ("count", "mean_ms", "max_ms", "min_ms", "p95_ms")
            figures = {name: data[name] for name in keys}
            length = self._spec.window_s.to_number()
            self._failing = {"t_s": t, "sim_s": sample.sim, "window_s": length, **figures}
            self.resolve(FAILED, self._why(data, key, t), t, sample.sim)

    def on_window_end(self, t: float, when: str) -> None:
        """Pass if windows were judged up to the end."""
        windows = self._latency.windows
        if not windows.count:
            self.resolve(FAILED, f"{no_window(self.planned)} {when}", t)
        elif windows.unmeasured_s:
            gap = number(windows.unmeasured_s)
            what = f"the age of {self._topic} was not measured in the last {gap} s {when}"
            self.resolve(FAILED, what, t)
        else:
            limit = self._spec.max_ms
            worst = f"{number(self._latency.p95_ms or 0, limit)} ms at the 95th percentile"
            most = f"{number(self._latency.max_ms or 0, limit)} ms at most"
            what = f"{self._topic} came {worst}, {most} over {counted(windows.count, 'window')}"
            self.resolve(PASSED, f"{what} ({self._limit(None)})", t)

    def evidence(self) -> Mapping[str, Any]:
        """How many windows there were, their figures, and the one that failed."""
        shown = self._latency.evidence()
        return shown if self._failing is None else {**shown, "window": self._failing}

    def metrics(self) -> Metrics:
        """Ages in milliseconds and the number of messages."""
        return self._latency.metrics()

    def _limit(self, value: float | None) -> str:
        return f"{self._spec.statistic} at most {number(self._spec.max_ms, value)} ms"

    def _why(self, data: Mapping[str, Any], key: str, t: float) -> str:
        length = self._spec.window_s.to_number()
        window = f"over the {length} s up to {number(t)} s ({self._limit(data[key])})"
        if not data["count"]:
            return f"{self._topic} was silent {window}"
        if data[key] is None:
            return f"{self._topic} has no {key} {window}"
        age = number(data[key], self._spec.max_ms)
        return f"{self._topic} was {age} ms old ({self._spec.statistic}) {window}"
