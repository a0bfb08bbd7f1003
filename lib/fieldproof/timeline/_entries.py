from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fieldproof.model import Condition, Duration, compile_condition
from fieldproof.samples import PlannedSignal


@dataclass(frozen=True, slots=True)
class Watched:
    """The condition of a `when`: a signal of the run and what must hold of its value."""

    signal: PlannedSignal
    condition: Condition

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "Watched":
        """Return the condition that a plan describes.

        Raises:
            ValueError: It has no signal, or its condition is none.
        """
        return cls(PlannedSignal.from_data(data), compile_condition(data["condition"]))

    def __str__(self) -> str:
        return f"{self.condition.text} ({self.signal_words})"

    @property
    def signal_words(self) -> str:
        """The signal, as a sentence names it."""
        signal = self.signal
        what = f"{signal.topic} {signal.field}" if signal.topic else signal.metric
        return f"{what} of {signal.model}" if signal.model else what

    def to_data(self) -> dict[str, Any]:
        """Return the condition as the record of a run shows it."""
        signal = self.signal
        pairs = {
            "topic": signal.topic,
            "field": signal.field,
            "metric": signal.metric,
            "vehicle": signal.model,
            "target": list(signal.target) if signal.target else None,
            "condition": self.condition.text,
        }
        return {key: value for key, value in pairs.items() if value}


@dataclass(frozen=True, slots=True)
class Trigger:
    """When an entry happens. All times are nanoseconds after the timeline's start.

    Attributes:
        at_ns: Offset from the trigger: the timeline's start, the last end of `after`, or the
            moment `when` first held.
        after: Labels of the entries that must have ended ok.
        when: The condition that triggers the entry.
        within_ns: The last moment at which `when` may trigger it; None for no limit.
        every_ns: The period of a repeated entry; None for one that happens once.
        count: How often a repeated entry happens; None for no limit.
        until_ns: The last moment at which an occurrence of a repeated entry may start.
    """

    at_ns: int = 0
    after: tuple[str, ...] = ()
    when: Watched | None = None
    within_ns: int | None = None
    every_ns: int | None = None
    count: int | None = None
    until_ns: int | None = None

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "Trigger":
        """Return the trigger that a plan describes; absent keys and nulls mean the same."""
        when = data.get("when")
        return cls(
            at_ns=data.get("at_ns") or 0,
            after=tuple(data.get("after") or ()),
            when=Watched.from_data(when) if when else None,
            within_ns=data.get("within_ns"),
            every_ns=data.get("every_ns"),
            count=data.get("count"),
            until_ns=data.get("until_ns"),
        )

    @property
    def is_passive(self) -> bool:
        """Whether the entry, waiting, does not keep the timeline going by itself."""
        if self.when is not None:
            return self.within_ns is None
        return self.every_ns is not None and self.count is None and self.until_ns is None

    def awaits(self, due_ns: int | None, missing: Iterable[str]) -> str:
        """Return what an entry that has not started waits for, in words.

        Args:
            due_ns: When it is due, once that is known.
            missing: The labels whose end it still waits for.
        """
        if due_ns is not None:
            return f"{Duration(due_ns).to_number()} s"
        if self.when is not None:
            return str(self.when)
        return f"the end of {', '.join(sorted(missing))}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the timeline, as the execution plan holds it.

    Attributes:
        label: What it is called in the record, unique in the timeline.
        action: The event it stands for.
        vehicle: The vehicle it happens to; None for none.
        trigger: When it happens.
        params: The entry's own fields.
        resolved: What its event resolved when the scenario was planned.
        limit_ns: How long one occurrence may take; None for no limit.
    """

    label: str
    action: str = ""
    vehicle: str | None = None
    trigger: Trigger = Trigger()
    params: Mapping[str, Any] | None = None
    resolved: Mapping[str, Any] | None = None
    limit_ns: int | None = None

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "Entry":
        """Return the entry that a plan describes.

        Raises:
            ValueError: Its condition is none, or reads no signal.
        """
        return cls(
            label=data["label"],
            action=data.get("action") or "",
            vehicle=data.get("vehicle"),
            trigger=Trigger.from_data(data.get("trigger") or {}),
            params=data.get("params") or {},
            resolved=data.get("resolved") or {},
            limit_ns=data.get("limit_ns"),
        )

    def occurrence_label(self, number: int) -> str:
        """Return what the occurrence is called: the label, then `label#2`, `label#3`."""
        return self.label if number == 1 else f"{self.label}#{number}"
