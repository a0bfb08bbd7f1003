from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from fieldproof.model._durations import Duration, NonNegativeDuration, PositiveDuration
from fieldproof.model._names import Label, Name
from fieldproof.model._problems import Problem, fault, faults
from fieldproof.model._signals import When
from fieldproof.model._strict import Strict


def _as_list(value: Any) -> Any:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list | tuple):
        if not value:
            raise fault("names no entry")
        return tuple(value)
    return value


Predecessors = Annotated[
    tuple[Label, ...],
    BeforeValidator(_as_list, json_schema_input_type=Label | list[Label]),
]


class TimelineBase(Strict):
    """What every entry of a timeline has: when it happens, its name and its action.

    Event types derive their entry from it, narrow `action` to their own literal and add their
    parameters as fields; `vehicle: Name` makes the vehicle required.
    """

    name: Name | None = Field(
        default=None, description="The entry's label; <action>@<at>s when absent."
    )
    action: str = Field(description="What happens.")
    vehicle: Name | None = Field(default=None, description="The vehicle it happens to.")
    at: NonNegativeDuration = Field(
        default=Duration(), description="Offset from the entry's trigger."
    )
    after: Predecessors | None = Field(
        default=None, description="The entry, or entries, that must have ended ok."
    )
    when: When | None = Field(
        default=None, description="The condition of the run that triggers the entry."
    )
    within_s: PositiveDuration | None = Field(
        default=None, description="With when: how long it may still trigger."
    )
    every: PositiveDuration | None = Field(
        default=None, description="Repeat at this period, from the first start."
    )
    count: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(
        default=None, description="With every: how many occurrences."
    )
    until_s: PositiveDuration | None = Field(
        default=None, description="With every: repeat no longer than this."
    )

    @property
    def label(self) -> str:
        """What the entry is called in the record: its name, or `<action>@<at>s`."""
        return self.name or f"{self.action}@{self.at}"

    def vehicle_names(self) -> tuple[str, ...]:
        """Return the vehicles of the scenario that the entry refers to."""
        names = (self.vehicle, self.when.vehicle if self.when else None)
        return tuple(name for name in names if name is not None)

    @model_validator(mode="after")
    def _triggers_agree(self) -> "TimelineBase":
        found = list(self._trigger_problems())
        if found:
            raise faults(type(self).__name__, found)
        return self

    def _trigger_problems(self) -> Iterator[Problem]:
        if self.after is not None and self.when is not None:
            yield Problem("does not go with after", ("when",), "an entry has one trigger")
        if self.within_s is not None and self.when is None:
            yield Problem("only goes with when", ("within_s",))
        for key in ("count", "until_s"):
            if getattr(self, key) is not None and self.every is None:
                yield Problem("only goes with every", (key,))
        if self.every is not None and self.when is not None:
            yield Problem("does not go with when", ("every",))
        starts_by_clock = self.after is None and self.when is None
        if self.until_s is not None and starts_by_clock and self.until_s < self.at:
            yield Problem("ends before the entry starts", ("until_s",), f"at is {self.at}")
        for place, label in enumerate(self.after or ()):
            if label == self.label:
                yield Problem("names the entry itself", ("after", place))
            elif label in (self.after or ())[:place]:
                yield Problem(f"names {label} twice", ("after", place))


class AssertionBase(Strict):
    """What every assertion has; assertion types derive their specification from it.

    They narrow `type` to their own literal and add their parameters as fields.
    """

    name: Name = Field(description="What the assertion is called in verdicts and reports.")
    type: str = Field(description="Which kind of assertion it is.")
    on_fail: Literal["continue", "abort"] = Field(
        default="continue", description="Whether a failure ends the timeline."
    )

    def vehicle_names(self) -> tuple[str, ...]:
        """Return the vehicles of the scenario that the assertion refers to."""
        name = getattr(self, "vehicle", None)
        return (name,) if isinstance(name, str) else ()

    def action_names(self) -> tuple[str, ...]:
        """Return the labels of the timeline entries that the assertion refers to."""
        name = getattr(self, "action", None)
        return (name,) if isinstance(name, str) else ()


class KpiBase(Strict):
    """What every collector of the kpis section has; collectors derive from it."""

    name: Name = Field(description="What the collector is called in the run's figures.")
    type: str = Field(description="Which kind of collector it is.")

    def vehicle_names(self) -> tuple[str, ...]:
        """Return the vehicles of the scenario that the collector refers to."""
        name = getattr(self, "vehicle", None)
        return (name,) if isinstance(name, str) else ()

    def action_names(self) -> tuple[str, ...]:
        """Return the labels of the timeline entries that the collector refers to."""
        names = (getattr(self, key, None) for key in ("action", "start", "end"))
        return tuple(name for name in names if isinstance(name, str))
