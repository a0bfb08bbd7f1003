import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from fieldproof.assertions._checker import WindowedChecker
from fieldproof.assertions._result import FAILED, PASSED
from fieldproof.assertions._type import AssertionSpec, AssertionType, WindowedSpec
from fieldproof.kpis import Metrics, brief, number
from fieldproof.model import (
    ConditionEvaluationError,
    FieldPath,
    MessageType,
    Name,
    TopicName,
    ValueCondition,
    compile_condition,
    shown,
)
from fieldproof.plan import PlanContext, PlannedAssertion, Watch
from fieldproof.samples import Sample, Subject


class TopicValue(WindowedSpec):
    """A condition over a field of a topic's messages."""

    type: Literal["topic_value"]
    topic: TopicName = Field(description="The topic.")
    vehicle: Name | None = Field(default=None, description="Whose namespace the topic is in.")
    field: FieldPath = Field(description="The field of its messages.")
    condition: ValueCondition = Field(description="A condition over value.")
    mode: Literal["always", "eventually"] = Field(
        default="always", description="Whether every message must satisfy it, or one."
    )
    message_type: MessageType | None = Field(default=None, description="The topic's type.")


class TopicValueType(AssertionType):
    """A field's value satisfies a condition.

    The window reaches from `after_s` to `within_s`, both included.
    `always` fails at the first message of the window that violates the condition and passes at the
    window's end. `eventually` passes at the first that satisfies it and fails at the window's end.
    Both fail at once when the field does not exist, with the observer's message, even if that was
    seen before the timeline; and when the condition cannot be evaluated for a value.
    No data: without a message in the window both fail at its end.
    NaN: compares as in IEEE 754, so that `value < 1` does not hold; ask with `isnan(value)`.
    `lowest` and `highest` leave it out.
    End of the timeline: ends a window that is still open.
    """

    type: ClassVar[str] = "topic_value"
    Spec: ClassVar[AssertionSpec] = TopicValue
    summary: ClassVar[str] = "A condition over a field of a topic's messages."
    metrics: ClassVar[Mapping[str, str]] = {
        "samples": "messages in the window",
        "lowest": "lowest number",
        "highest": "highest number",
        "last": "last value",
    }

    def plan(self, spec: TopicValue, context: PlanContext) -> PlannedAssertion:
        """Return the assertion with its topic absolute."""
        topic = context.topic(spec.vehicle, spec.topic, message_type=spec.message_type)
        kind = context.message_type(topic, spec.message_type)
        watch = Watch("value", topic, field=spec.field, message_type=kind)
        return PlannedAssertion(spec, topic=topic, watches=(watch,))

    def checker(self, planned: PlannedAssertion) -> "TopicValueChecker":
        """Return the checker."""
        return TopicValueChecker(planned)


class TopicValueChecker(WindowedChecker):
    """Judges each message of the window."""

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, TopicValue)
        assert planned.topic is not None
        self._spec = planned.spec
        self._topic = planned.topic
        self._condition = compile_condition(planned.spec.condition)
        self._what = f"{planned.topic} {planned.spec.field}"
        self._always = planned.spec.mode == "always"
        self._samples = 0
        self._lowest: float | None = None
        self._highest: float | None = None
        self._last: Any = None
        self._decisive: dict[str, Any] = {}

    def subjects(self) -> tuple[Subject, ...]:
        """The field's values, and the errors of reading it."""
        return tuple((kind, self._topic, self._spec.field) for kind in ("value", "field_error"))

    def on_sample(self, sample: Sample, t: float) -> None:
        """Judge a value, or learn that the field does not exist."""
        if sample.kind == "field_error":
            self.resolve(FAILED, f"{self._what}: {sample.data['message']}", max(t, 0.0), sample.sim)
            return
        if not self.in_window(t):
            return
        value = sample.data["value"]
        self._measure(value)
        if self.done:
            return
        self.note(t, sample, value=brief(value))
        try:
            holds = self._condition({"value": value})
        except ConditionEvaluationError as error:
            self._decide(FAILED, f"{self._what} cannot be judged: {error}", sample, t)
            return
        if holds != self._always:
            is_ = f"{self._what} is {_text(value)} at {number(t)} s"
            if holds:
                self._decide(PASSED, f"{is_}: {self._spec.condition}", sample, t)
            else:
                self._decide(FAILED, f"{is_}, not {self._spec.condition}", sample, t)

    def on_window_end(self, t: float, when: str) -> None:
        """Pass what held throughout; fail what never held, or was never seen."""
        if not self._samples:
            self.resolve(FAILED, f"no message of {self._what} was seen {when}", t)
        elif self._always:
            what = f"{self._what} satisfied {self._spec.condition} in {self._samples} messages"
            self.resolve(PASSED, what, t)
        else:
            never = f"{self._what} never satisfied {self._spec.condition} {when}"
            self.resolve(FAILED, f"{never} (last {_text(self._last)})", t)

    def evidence(self) -> Mapping[str, Any]:
        """How many values there were, their extremes, the last, and the one that decided."""
        return {
            "samples": self._samples,
            "lowest": self._lowest,
            "highest": self._highest,
            "last": brief(self._last),
            **self._decisive,
        }

    def metrics(self) -> Metrics:
        """Figures in the field's own unit."""
        return {
            "samples": (self._samples, ""),
            "lowest": (self._lowest, ""),
            "highest": (self._highest, ""),
            "last": (brief(self._last), ""),
        }

    def _measure(self, value: Any) -> None:
        self._samples += 1
        self._last = value
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            return
        if self._lowest is None or value < self._lowest:
            self._lowest = value
        if self._highest is None or value > self._highest:
            self._highest = value

    def _decide(self, status: str, reason: str, sample: Sample, t: float) -> None:
        key = "satisfied" if status == PASSED else "violation"
        value = brief(sample.data["value"])
        self._decisive = {key: {"t_s": t, "sim_s": sample.sim, "value": value}}
        self.resolve(status, reason, t, sample.sim)


def _text(value: Any) -> str:
    return repr(value) if isinstance(value, float) else shown(value)
