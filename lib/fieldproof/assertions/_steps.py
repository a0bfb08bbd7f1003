"""The steps of a sequence: what a scenario writes, and what they stand for in the stream."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, model_validator

from fieldproof.model import (
    Condition,
    Label,
    Name,
    Problem,
    Signal,
    ValueCondition,
    compile_condition,
    faults,
)
from fieldproof.plan import PlanContext, Watch
from fieldproof.samples import PlannedSignal, Subject

Kind = Literal["action", "signal", "assertion"]

_SIGNAL_KEYS = ("topic", "field", "message_type", "metric", "target", "vehicle", "condition")


class Step(Signal):
    """One step of a sequence: an action, a signal or an assertion."""

    name: Name | None = Field(default=None, description="What evidence calls the step.")
    action: Label | None = Field(default=None, description="A timeline entry.")
    event: Literal["started", "finished"] | None = Field(
        default=None, description="With action: its start, or its end ok, which is the default."
    )
    assertion: Name | None = Field(
        default=None, description="Another assertion, which must have passed."
    )
    condition: ValueCondition | None = Field(
        default=None, description="With topic or metric: a condition over value."
    )

    @model_validator(mode="after")
    def _one_source(self) -> "Step":
        found = list(self._step_problems())
        if found:
            raise faults("Step", found)
        return self

    def _step_problems(self) -> Iterator[Problem]:
        keys = ("action", "assertion", "topic", "metric")
        given = [key for key in keys if getattr(self, key) is not None]
        if not given:
            yield Problem("must have an action, an assertion, or a topic or metric")
            return
        first = given[0]
        if first in {"action", "assertion"}:
            others = [*(key for key in keys[1:2] if key != first), *_SIGNAL_KEYS]
            yield from (
                Problem(f"does not go with {first}", (key,))
                for key in others
                if getattr(self, key) is not None
            )
        else:
            yield from self._metric_problems() if self.metric else self._topic_problems()
            if self.condition is None:
                yield Problem("is missing", ("condition",), "what must hold of value")
        if self.event is not None and self.action is None:
            yield Problem("only goes with action", ("event",))

    @property
    def kind(self) -> Kind:
        """What the step waits for."""
        if self.action is not None:
            return "action"
        return "signal" if self.assertion is None else "assertion"


def planned_step(
    step: Step, place: int, vehicle: str | None, context: PlanContext
) -> tuple[dict[str, Any], tuple[Watch, ...]]:
    """Return a step with its names resolved, as JSON data, and what it needs to be watched."""
    path = ("steps", place)
    head = {"kind": step.kind, "name": step.name}
    if step.action is not None:
        label = context.action(step.action, at=(*path, "action"))
        return {**head, "action": label, "event": step.event or "finished"}, ()
    if step.assertion is not None:
        name = context.assertion(step.assertion, at=(*path, "assertion"))
        return {**head, "assertion": name}, ()
    signal = context.signal(step, vehicle, at=path)
    return {**head, "signal": signal, "condition": step.condition}, signal.watches()


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step with its names resolved.

    Attributes:
        kind: What it waits for.
        text: What it is called in evidence and sentences.
        action: Label of the timeline entry; empty for another kind.
        event: Which of its events.
        assertion: Name of the assertion; empty for another kind.
        signal: The signal; None for another kind.
        condition: What must hold of its value.
    """

    kind: Kind
    text: str
    action: str = ""
    event: str = ""
    assertion: str = ""
    signal: PlannedSignal | None = None
    condition: Condition | None = None

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "PlannedStep":
        """Return the step that `planned_step` described."""
        kind, name = data["kind"], data["name"]
        if kind == "action":
            text = name or f"{data['action']} {data['event']}"
            return cls(kind, text, action=data["action"], event=data["event"])
        if kind == "assertion":
            text = name or f"{data['assertion']} passed"
            return cls(kind, text, assertion=data["assertion"])
        signal = PlannedSignal.from_data(data["signal"])
        where = f"{signal.topic} {signal.field}" if signal.topic else signal.metric
        if signal.model:
            where = f"{where} of {signal.model}"
        condition = compile_condition(data["condition"])
        text = name or f"{where}: {condition.text}"
        return cls(kind, text, signal=signal, condition=condition)

    @property
    def subject(self) -> Subject | None:
        """What the samples that carry its signal are about; None for a step without one."""
        return None if self.signal is None else self.signal.subject

    @property
    def errors(self) -> Subject | None:
        """What the errors of reading its field are about; None for a step without a field."""
        if self.signal is None or not self.signal.topic:
            return None
        return ("field_error", self.signal.topic, self.signal.field)
