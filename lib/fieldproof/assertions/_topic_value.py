from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from fieldproof.assertions._checker import WindowedChecker
from fieldproof.assertions._result import FAILED, PASSED
from fieldproof.assertions._type import AssertionSpec, AssertionType
from fieldproof.kpis import Metrics, Numbers, ValueParameters, brief, number, planned_field
from fieldproof.model import (
    AssertionBase,
    ConditionEvaluationError,
    ValueCondition,
    compile_condition,
    counted,
    shown,
)
from fieldproof.plan import PlanContext, PlannedAssertion
from fieldproof.samples import Sample, Subject


class TopicValue(ValueParameters, AssertionBase):
    """A condition over a field of a topic's messages."""

    type: Literal["topic_value"]
    condition: ValueCondition = Field(description="A condition over value.")
    mode: Literal["always", "eventually"] = Field(
        default="always", description="Whether every message must satisfy it, or one."
    )


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
        return planned_field(spec, context)

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
        self._numbers = Numbers()
        self._decisive: dict[str, Any] = {}

    def subjects(self) -> tuple[Subject, ...]:
        """The field's values, and the errors of reading it."""
        return tuple((kind, self._topic, self._spec.field) for kind in ("value", "field_error"))

    def on_sample(self, sample: Sample, t: float) -> None:
        """Judge a value, or learn that the field does not exist."""
        if sample.kind == "field_error":
            self.resolve(FAILED, f"{self._what}: {sample.data['message']}", max(t, 0.0), sample.sim)
            return
        if not self.after_s <= t <= self.until_s:
            return
        value = sample.data["value"]
        self._numbers.add(value)
        if self.result is not None:
            return
        self.note(t, sample, value=value if type(value) is float else brief(value))
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
        if not self._numbers.samples:
            self.resolve(FAILED, f"no message of {self._what} was seen {when}", t)
        elif self._always:
            seen = counted(self._numbers.samples, "message")
            what = f"{self._what} satisfied {self._spec.condition} in {seen}"
            self.resolve(PASSED, what, t)
        else:
            never = f"{self._what} never satisfied {self._spec.condition} {when}"
            self.resolve(FAILED, f"{never} (last {_text(self._numbers.last)})", t)

    def evidence(self) -> Mapping[str, Any]:
        """How many values there were, their extremes, the last, and the one that decided."""
        return {
            "samples": self._numbers.samples,
            "lowest": self._numbers.lowest,
            "highest": self._numbers.highest,
            "last": brief(self._numbers.last),
            **self._decisive,
        }

    def metrics(self) -> Metrics:
        """Figures in the field's own unit."""
        return {
            "samples": (self._numbers.samples, ""),
            "lowest": (self._numbers.lowest, ""),
            "highest": (self._numbers.highest, ""),
            "last": (brief(self._numbers.last), ""),
        }

    def _decide(self, status: str, reason: str, sample: Sample, t: float) -> None:
        key = "satisfied" if status == PASSED else "violation"
        value = brief(sample.data["value"])
        self._decisive = {key: {"t_s": t, "sim_s": sample.sim, "value": value}}
        self.resolve(status, reason, t, sample.sim)


def _text(value: Any) -> str:
    return repr(value) if isinstance(value, float) else shown(value)
