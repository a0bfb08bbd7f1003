from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from fieldproof.assertions._checker import Checker
from fieldproof.assertions._result import FAILED, PASSED
from fieldproof.assertions._type import AssertionSpec, AssertionType
from fieldproof.kpis import Metrics, RateCollector, RateParameters, no_window, number, planned_topic
from fieldproof.model import AssertionBase, Problem, counted, faults
from fieldproof.plan import PlanContext, PlannedAssertion
from fieldproof.samples import Sample, Subject

Hertz = Annotated[float, Field(ge=0, le=1e6)]

_NEVER = float("inf")


class TopicRate(RateParameters, AssertionBase):
    """A topic keeps publishing at a rate."""

    type: Literal["topic_rate"]
    min_hz: Hertz = Field(description="The lowest rate of a window.")
    max_hz: Hertz | None = Field(default=None, description="The highest rate of a window.")

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
        return planned_topic(spec, context, "rate")

    def checker(self, planned: PlannedAssertion) -> "TopicRateChecker":
        """Return the checker."""
        return TopicRateChecker(planned)


class TopicRateChecker(Checker):
    """Judges each window of one topic and length."""

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, TopicRate)
        self._spec = planned.spec
        self._rate = RateCollector(planned)
        self._topic = self._rate.topic
        self._failing: dict[str, Any] | None = None
        self.due_s = _NEVER

    def subjects(self) -> tuple[Subject, ...]:
        """The topic's rates, and the timeline's start and end."""
        return self._rate.subjects()

    def on_sample(self, sample: Sample, t: float) -> None:
        """Judge a window, or learn where in simulation time the timeline starts and ends."""
        if not self._rate.take(sample, t):
            return
        hz, messages = sample.data["hz"], sample.data["messages"]
        self.note(t, sample, hz=hz, messages=messages)
        if self._failing is None and not self._is_within(hz):
            self._failing = {
                "t_s": t,
                "sim_s": sample.sim,
                "hz": hz,
                "messages": messages,
                "window_s": self._spec.window_s.to_number(),
            }
            self.resolve(FAILED, self._why(hz, t), t, sample.sim)

    def on_finish(self, t: float) -> None:
        """Pass if windows were judged up to the end."""
        windows = self._rate.windows
        if not windows.count:
            what = f"{no_window(self.planned)} before the timeline ended"
            self.resolve(FAILED, what, t)
        elif windows.unmeasured_s:
            gap = number(windows.unmeasured_s)
            what = f"the rate of {self._topic} was not measured in the last {gap} s of the timeline"
            self.resolve(FAILED, what, t)
        else:
            bounds = (self._spec.min_hz, self._spec.max_hz)
            lowest = number(self._rate.lowest_hz or 0, *bounds)
            highest = number(self._rate.highest_hz or 0, *bounds)
            over = counted(windows.count, "window")
            what = f"{self._topic} kept {lowest} to {highest} Hz over {over}"
            self.resolve(PASSED, f"{what} ({self._limits(None)})", t)

    def evidence(self) -> Mapping[str, Any]:
        """How many windows there were, their extremes, and the one that failed."""
        shown = self._rate.evidence()
        return shown if self._failing is None else {**shown, "window": self._failing}

    def metrics(self) -> Metrics:
        """Rates in hertz and the number of messages."""
        return self._rate.metrics()

    def _is_within(self, hz: float) -> bool:
        most = self._spec.max_hz
        return hz >= self._spec.min_hz and (most is None or hz <= most)

    def _limits(self, hz: float | None) -> str:
        least = f"at least {number(self._spec.min_hz, hz)} Hz"
        most = self._spec.max_hz
        return least if most is None else f"{least}, at most {number(most, hz)} Hz"

    def _why(self, hz: float, t: float) -> str:
        length = self._spec.window_s.to_number()
        window = f"over the {length} s up to {number(t)} s ({self._limits(hz)})"
        if hz == 0:
            return f"{self._topic} was silent {window}"
        rate = number(hz, self._spec.min_hz, self._spec.max_hz)
        return f"{self._topic} came at {rate} Hz {window}"
