import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Literal, get_args, get_origin

from fieldproof.events._battery import BatteryDrainEvent
from fieldproof.events._clock import SimPauseEvent, SimResumeEvent, SimStepEvent
from fieldproof.events._container import (
    ContainerKillEvent,
    ContainerPauseEvent,
    ContainerResumeEvent,
)
from fieldproof.events._event import Event
from fieldproof.events._faults import (
    ActuatorLimitEvent,
    GpsDenyEvent,
    GpsOffsetEvent,
    ImuBiasEvent,
    SensorDropoutEvent,
    SensorFreezeEvent,
    SensorNoiseEvent,
)
from fieldproof.events._links import LinkDropEvent, LinkRestoreEvent, LinkSetEvent
from fieldproof.events._navigate import NavigateToPoseEvent
from fieldproof.events._parameters import ParamSetEvent
from fieldproof.events._world import (
    RemoveObjectEvent,
    SetWindEvent,
    SpawnObjectEvent,
    TeleportEvent,
)
from fieldproof.model import TimelineBase
from fieldproof.plan.registry import PluginError, Registry, registered

GROUP = "fieldproof.events"
BUILT_IN: tuple[type[Event], ...] = (
    NavigateToPoseEvent,
    ContainerPauseEvent,
    ContainerResumeEvent,
    ContainerKillEvent,
    ParamSetEvent,
    SimPauseEvent,
    SimResumeEvent,
    SimStepEvent,
    SpawnObjectEvent,
    RemoveObjectEvent,
    TeleportEvent,
    SetWindEvent,
    GpsDenyEvent,
    GpsOffsetEvent,
    ImuBiasEvent,
    SensorDropoutEvent,
    SensorFreezeEvent,
    SensorNoiseEvent,
    ActuatorLimitEvent,
    BatteryDrainEvent,
    LinkSetEvent,
    LinkDropEvent,
    LinkRestoreEvent,
)

_ACTION = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*\Z")


def event_registry(plugins: Iterable[EntryPoint] | None = None) -> Registry[Event]:
    """Return the events known by their action, and the plugins that were left out.

    Args:
        plugins: Entry points to load; those installed under `fieldproof.events` when None.
    """
    points = entry_points(group=GROUP) if plugins is None else plugins
    return registered(BUILT_IN, points, checked_event)


@cache
def event_types() -> Mapping[str, Event]:
    """Return the events known by their action: the built-in ones and those of plugins."""
    return event_registry().kinds


def checked_event(candidate: object) -> tuple[str, Event]:
    """Return an event's action and an instance of it.

    Raises:
        PluginError: It is no event; says what it lacks.
    """
    if not (isinstance(candidate, type) and issubclass(candidate, Event)):
        raise PluginError("is not a class that derives from fieldproof.events.Event")
    action = getattr(candidate, "action", None)
    if not isinstance(action, str) or not _ACTION.match(action):
        raise PluginError(f"action must be a name such as example.announce (got {action!r})")
    entry = getattr(candidate, "Entry", None)
    if not (isinstance(entry, type) and issubclass(entry, TimelineBase)):
        raise PluginError("Entry does not derive from TimelineBase")
    annotation = entry.model_fields["action"].annotation
    if get_origin(annotation) is not Literal or get_args(annotation) != (action,):
        raise PluginError(f'action of {entry.__name__} must be Literal["{action}"]')
    if not isinstance(getattr(candidate, "summary", None), str):
        raise PluginError("has no summary")
    if candidate.apply is Event.apply and candidate.start is Event.start:
        raise PluginError("overrides neither apply nor start")
    return action, candidate()
