from dataclasses import dataclass
from typing import Any

from fieldproof.model import Duration, TimelineBase
from fieldproof.plan._context import PlanContext
from fieldproof.plan._planned import ResolvedSignal
from fieldproof.plan._watches import Watch


@dataclass(frozen=True, slots=True)
class PlannedTrigger:
    """When an entry happens, with the signal of its `when` resolved."""

    entry: TimelineBase
    signal: ResolvedSignal | None = None

    @property
    def watches(self) -> tuple[Watch, ...]:
        """What the observer must look at for it."""
        return self.signal.watches() if self.signal else ()

    def to_data(self) -> dict[str, Any]:
        """Return the trigger as the plan holds it: nanoseconds, null for what it lacks."""
        entry = self.entry
        when = None
        if self.signal is not None and entry.when is not None:
            when = self.signal.to_data() | {"condition": entry.when.condition}
        return {
            "at_ns": entry.at.ns,
            "after": list(entry.after or ()),
            "when": when,
            "within_ns": _ns(entry.within_s),
            "every_ns": _ns(entry.every),
            "count": entry.count,
            "until_ns": _ns(entry.until_s),
        }


@dataclass(frozen=True, slots=True)
class PlannedEntry:
    """A timeline entry with its trigger and what its event resolved, as JSON data."""

    entry: TimelineBase
    trigger: PlannedTrigger
    resolved: dict[str, Any]

    def to_data(self) -> dict[str, Any]:
        """Return the entry as the plan holds it."""
        limit = getattr(self.entry, "timeout_s", None)
        return {
            "label": self.entry.label,
            "action": self.entry.action,
            "vehicle": self.entry.vehicle,
            "trigger": self.trigger.to_data(),
            "params": self._parameters(),
            "resolved": self.resolved,
            "limit_ns": limit.ns if isinstance(limit, Duration) else None,
        }

    def _parameters(self) -> dict[str, Any]:
        """Return the fields that the event adds to those of every entry."""
        common = set(TimelineBase.model_fields)
        data: dict[str, Any] = self.entry.model_dump(mode="json", exclude_none=True, exclude=common)
        return data


def trigger_of(entry: TimelineBase, context: PlanContext) -> PlannedTrigger:
    """Return the entry's trigger; raises `ScenarioError` when its signal cannot be resolved."""
    if entry.when is None:
        return PlannedTrigger(entry)
    return PlannedTrigger(entry, context.signal(entry.when, entry.vehicle, at="when"))


def _ns(duration: Duration | None) -> int | None:
    return duration.ns if duration is not None else None
