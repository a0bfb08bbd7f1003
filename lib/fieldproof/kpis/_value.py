import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from fieldproof.kpis._collector import Collector, CollectorSpec, CollectorType
from fieldproof.kpis._figures import brief, rounded
from fieldproof.kpis._map import Metrics
from fieldproof.kpis._window import Window, window_of
from fieldproof.model import (
    ConditionEvaluationError,
    FieldPath,
    KpiBase,
    MessageType,
    Name,
    TopicName,
    ValueCondition,
    compile_condition,
)
from fieldproof.plan import PlanContext, PlannedAssertion, Watch
from fieldproof.samples import Sample, Subject


class ValueParameters(Window):
    """Which field is read, and when."""

    topic: TopicName = Field(description="The topic.")
    vehicle: Name | None = Field(default=None, description="Whose namespace the topic is in.")
    field: FieldPath = Field(description="The field of its messages.")
    message_type: MessageType | None = Field(default=None, description="The topic's type.")


class Value(ValueParameters, KpiBase):
    """The values of a field."""

    type: Literal["value"]
    count_if: ValueCondition | None = Field(
        default=None, description="A condition over value: how often it holds is counted."
    )


def planned_field(spec: Any, context: PlanContext) -> PlannedAssertion:
    """Return a specification that has `ValueParameters`, with its topic absolute."""
    topic = context.topic(spec.vehicle, spec.topic, message_type=spec.message_type)
    message_type = context.message_type(topic, spec.message_type)
    field = context.field(spec.field, message_type, at="field")
    watch = Watch("value", topic, field=field, message_type=message_type)
    return PlannedAssertion(spec, topic=topic, watches=(watch,))


class ValueType(CollectorType):
    """The values of a field of a topic's messages.

    `min`, `max` and `mean` are over finite numbers; booleans are none. A value that `count_if`
    cannot take is not counted.
    Missing: no message came in the window.
    """

    type: ClassVar[str] = "value"
    Spec: ClassVar[CollectorSpec] = Value
    summary: ClassVar[str] = "The values of a field of a topic's messages."
    metrics: ClassVar[Mapping[str, str]] = {
        "samples": "messages in the window",
        "min": "lowest number",
        "max": "highest number",
        "mean": "mean of the numbers",
        "last": "last value",
        "count": "how often count_if held",
    }

    def plan(self, spec: Value, context: PlanContext) -> PlannedAssertion:
        """Return the collector with its topic absolute."""
        return planned_field(spec, context)

    def collector(self, planned: PlannedAssertion) -> "ValueCollector":
        """Return the collector."""
        return ValueCollector(planned)


class Numbers:
    """How many values there were, and the extremes and the mean of the finite numbers.

    Attributes:
        samples: Values.
        numbers: Those that were finite numbers; booleans are none.
        lowest: The lowest of these.
        highest: The highest.
        last: The newest value of any kind.
    """

    __slots__ = ("_sum", "highest", "last", "lowest", "numbers", "samples")

    def __init__(self) -> None:
        self.samples = 0
        self.numbers = 0
        self.lowest: float | None = None
        self.highest: float | None = None
        self.last: Any = None
        self._sum = 0.0

    def add(self, value: Any) -> None:
        """Take the next value."""
        self.samples += 1
        self.last = value
        kind = type(value)
        if (kind is not float and kind is not int) or not math.isfinite(value):
            return
        self.numbers += 1
        self._sum += value
        if self.lowest is None or self.highest is None:
            self.lowest = self.highest = value
        elif value < self.lowest:
            self.lowest = value
        elif value > self.highest:
            self.highest = value

    @property
    def mean(self) -> float | None:
        """The mean of the finite numbers."""
        return self._sum / self.numbers if self.numbers else None


class ValueCollector(Collector):
    """Adds up the values of one field in its window."""

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, Value)
        assert planned.topic is not None
        self._spec = planned.spec
        self._topic = planned.topic
        self._after_s, self._until_s = window_of(planned.spec)
        condition = planned.spec.count_if
        self._condition = None if condition is None else compile_condition(condition)
        self._numbers = Numbers()
        self._count = 0
        self._unfit = ""
        self._error = ""

    def subjects(self) -> tuple[Subject, ...]:
        """The field's values, and the errors of reading it."""
        return tuple((kind, self._topic, self._spec.field) for kind in ("value", "field_error"))

    def on_sample(self, sample: Sample, t: float) -> None:
        """Take a value of the window."""
        if sample.kind == "field_error":
            self._error = sample.data["message"]
            return
        if not self._after_s <= t <= self._until_s:
            return
        value = sample.data["value"]
        self._numbers.add(value)
        if self._condition is not None:
            try:
                self._count += self._condition({"value": value})
            except ConditionEvaluationError as error:
                self._unfit = str(error)

    def missing(self) -> str:
        """No message came."""
        if self._numbers.samples:
            return ""
        what = f"{self._topic} {self._spec.field}"
        return f"{what}: {self._error}" if self._error else f"no message of {what} was seen"

    def evidence(self) -> Mapping[str, Any]:
        """What went wrong while reading and counting, if something did."""
        shown = {"error": self._error, "not_counted": self._unfit}
        return {key: text for key, text in shown.items() if text}

    def metrics(self) -> Metrics:
        """Figures in the field's own unit."""
        numbers = self._numbers
        return {
            "samples": (numbers.samples, ""),
            "min": (numbers.lowest, ""),
            "max": (numbers.highest, ""),
            "mean": (rounded(numbers.mean), ""),
            "last": (brief(numbers.last), ""),
            "count": (None if self._condition is None else self._count, ""),
        }
