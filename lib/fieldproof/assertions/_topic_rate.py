import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from fieldproof.assertions._checker import Checker
from fieldproof.assertions._result import FAILED, PASSED
from fieldproof.assertions._type import AssertionSpec, AssertionType
from fieldproof.kpis import Metrics, number, rounded
from fieldproof.model import (
    AssertionBase,
    Duration,
    MessageType,
    Name,
    NonNegativeDuration,
    PositiveDuration,
    Problem,
    TopicName,
    faults,
)
from fieldproof.plan import PlanContext, PlannedAssertion, Watch
from fieldproof.samples import NS_PER_S, Sample, Subject, to_ns

Hertz = Annotated[float, Field(ge=0, le=1e6)]

_NEVER = float("inf")
_SLACK_NS = 2 * NS_PER_S
"""Windows come once a second; one that is missing for longer than this was not measured."""


class TopicRate(AssertionBase):
    """A topic keeps publishing at a rate."""

    type: Literal["topic_rate"]
    topic: TopicName = Field(description="The topic.")
    vehicle: Name | None = Field(default=None, description="Whose namespace the topic is in.")
    min_hz: Hertz = Field(description="The lowest rate of a window.")
    max_hz: Hertz | None = Field(default=None, description="The highest rate of a window.")
    window_s: PositiveDuration = Field(
        default=Duration(5 * NS_PER_S), description="The sliding window, in simulation time."
    )
    after_s: NonNegativeDuration = Field(
        default=Duration(), description="Grace period after the timeline starts."
    )
    message_type: MessageType | None = Field(default=None, description="The topic's type.")

    @model_validator(mode="after")
    def _limits_agree(self) -> "TopicRate":
        if self.max_hz is not None and self.max_hz < self.min_hz:
            problem = Problem("must not be below min_hz", ("max_hz",), f"{self.min_hz}")
            raise faults("TopicRate", [problem])
        return self


class TopicRateType(AssertionType):
    """A topic keeps publishing.

    The observer counts messages over a sliding window of simulation time, once a second, whether
    messages come or not. Judged are the windows that lie wholly after `after_s`.
    Fails at the first such window below `min_hz` or above `max_hz`; a topic that dies gives
    windows of 0 Hz and so fails.
    No data: fails at the end if no window was judged, or if windows stopped coming before it.
    NaN: a rate that is no number fails.
    End of the timeline: passes there otherwise.
    Figures: `messages` counts the messages of windows that do not overlap, each message once.
    """

    type: ClassVar[str] = "topic_rate"
    Spec: ClassVar[AssertionSpec] = TopicRate
    summary: ClassVar[str] = "A topic keeps publishing at a rate."
    metrics: ClassVar[Mapping[str, str]] = {
        "mean_hz": "mean of the windows' rates",
        "lowest_hz": "lowest rate of a window",
        "highest_hz": "highest rate of a window",
        "messages": "messages in windows that do not overlap",
    }

    def plan(self, spec: TopicRate, context: PlanContext) -> PlannedAssertion:
        """Return the assertion with its topic absolute."""
        topic = context.topic(spec.vehicle, spec.topic, message_type=spec.message_type)
        kind = context.message_type(topic, spec.message_type)
        watch = Watch("rate", topic, message_type=kind, window_ns=spec.window_s.ns)
        return PlannedAssertion(spec, topic=topic, watches=(watch,))

    def checker(self, planned: PlannedAssertion) -> "TopicRateChecker":
        """Return the checker."""
        return TopicRateChecker(planned)


class TopicRateChecker(Checker):
    """Judges each window of one topic and length."""

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, TopicRate)
        assert planned.topic is not None
        self._spec = planned.spec
        self._topic = planned.topic
        self._from_ns: int | None = None
        self._last_ns: int | None = None
        self._end_ns: int | None = None
        self._counted_ns: int | None = None
        self._windows = 0
        self._sum_hz = 0.0
        self._lowest: float | None = None
        self._highest: float | None = None
        self._messages = 0
        self._failing: dict[str, Any] | None = None
        self.due_s = _NEVER

    def subjects(self) -> tuple[Subject, ...]:
        """The topic's rates, and the timeline's start and end."""
        return (("rate", self._topic), ("timeline",))

    def on_sample(self, sample: Sample, t: float) -> None:
        """Judge a window, or learn where in simulation time the timeline starts and ends."""
        if sample.kind == "timeline":
            self._mark(sample)
        elif sample.sim is not None and to_ns(sample.data["window_s"]) == self._spec.window_s.ns:
            self._window(sample, t, to_ns(sample.sim))

    def on_finish(self, t: float) -> None:
        """Pass if windows were judged up to the end."""
        if self._last_ns is None:
            length = self._spec.window_s.to_number()
            what = f"no window of {length} s over {self._topic} was measured"
            grace = f" after {self._spec.after_s.to_number()} s" if self._spec.after_s.ns else ""
            self.resolve(FAILED, f"{what}{grace} before the timeline ended", t)
        elif self._end_ns is not None and self._end_ns - self._last_ns > _SLACK_NS:
            gap = number((self._end_ns - self._last_ns) / NS_PER_S)
            what = f"the rate of {self._topic} was not measured in the last {gap} s of the timeline"
            self.resolve(FAILED, what, t)
        else:
            lowest, highest = number(self._lowest or 0.0), number(self._highest or 0.0)
            what = f"{self._topic} kept {lowest} to {highest} Hz over {self._windows} windows"
            self.resolve(PASSED, f"{what} ({self._limits()})", t)

    def evidence(self) -> Mapping[str, Any]:
        """How many windows there were, their extremes, and the one that failed."""
        shown = {
            "windows": self._windows,
            "lowest_hz": self._lowest,
            "highest_hz": self._highest,
            "messages": self._messages,
        }
        return shown if self._failing is None else {**shown, "window": self._failing}

    def metrics(self) -> Metrics:
        """Rates in hertz and the number of messages."""
        mean = rounded(self._sum_hz / self._windows) if self._windows else None
        return {
            "mean_hz": (mean, "Hz"),
            "lowest_hz": (self._lowest, "Hz"),
            "highest_hz": (self._highest, "Hz"),
            "messages": (self._messages, ""),
        }

    def _mark(self, sample: Sample) -> None:
        if sample.sim is None:
            return
        if sample.data["event"] != "start":
            self._end_ns = to_ns(sample.sim)
        elif sample.wall is None:
            self._from_ns = to_ns(sample.sim) + self._spec.after_s.ns
        elif self._spec.after_s.ns == 0:
            self._from_ns = to_ns(sample.sim)

    def _window(self, sample: Sample, t: float, end_ns: int) -> None:
        if t < self._spec.after_s.seconds:
            return
        if self._from_ns is None:
            # the grace period is counted on the wall clock: this is the first moment after it
            self._from_ns = end_ns
        begin_ns = end_ns - self._spec.window_s.ns
        if begin_ns < self._from_ns:
            return
        hz, messages = sample.data["hz"], sample.data["messages"]
        self._last_ns = end_ns if self._last_ns is None else max(end_ns, self._last_ns)
        self._windows += 1
        if self._counted_ns is None or begin_ns >= self._counted_ns:
            self._counted_ns = end_ns
            self._messages += messages
        self.note(t, sample, hz=hz, messages=messages)
        if math.isfinite(hz):
            self._sum_hz += hz
            self._lowest = (
                rounded(hz) if self._lowest is None else min(self._lowest, rounded(hz) or 0)
            )
            self._highest = (
                rounded(hz) if self._highest is None else max(self._highest, rounded(hz) or 0)
            )
        if self._failing is None and not self._is_within(hz):
            self._failing = {
                "t_s": t,
                "sim_s": sample.sim,
                "hz": hz,
                "messages": messages,
                "window_s": self._spec.window_s.to_number(),
            }
            self.resolve(FAILED, self._why(hz, t), t, sample.sim)

    def _is_within(self, hz: float) -> bool:
        most = self._spec.max_hz
        return hz >= self._spec.min_hz and (most is None or hz <= most)

    def _limits(self) -> str:
        least = f"at least {number(self._spec.min_hz)} Hz"
        most = self._spec.max_hz
        return least if most is None else f"{least}, at most {number(most)} Hz"

    def _why(self, hz: float, t: float) -> str:
        length = self._spec.window_s.to_number()
        window = f"over the {length} s up to {number(t)} s ({self._limits()})"
        if hz == 0:
            return f"{self._topic} was silent {window}"
        return f"{self._topic} came at {number(hz)} Hz {window}"
