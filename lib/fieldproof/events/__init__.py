"""What a timeline can make happen, and how plugins add to it."""

from fieldproof.events._begin import begin
from fieldproof.events._context import (
    Completed,
    EventContext,
    Navigation,
    ParameterCall,
    ParameterOutcome,
    Refused,
    StackState,
    TimeState,
    VehicleHandle,
)
from fieldproof.events._event import Event
from fieldproof.events._navigate import NavigateToPose, NavigateToPoseEvent
from fieldproof.events._record import ActionRecord
from fieldproof.events._registry import GROUP, checked_event, event_registry, event_types
from fieldproof.events._running import Over, Running, Worker
from fieldproof.plan import ModelChanges, PlanContext
from fieldproof.plan.registry import PluginError, PluginProblem, Registry
from fieldproof.timeline import CANCELLED, FAILED, OK, RUNNING, SKIPPED, TIMEOUT

__all__ = [
    "CANCELLED",
    "FAILED",
    "GROUP",
    "OK",
    "RUNNING",
    "SKIPPED",
    "TIMEOUT",
    "ActionRecord",
    "Completed",
    "Event",
    "EventContext",
    "ModelChanges",
    "NavigateToPose",
    "NavigateToPoseEvent",
    "Navigation",
    "Over",
    "ParameterCall",
    "ParameterOutcome",
    "PlanContext",
    "PluginError",
    "PluginProblem",
    "Refused",
    "Registry",
    "Running",
    "StackState",
    "TimeState",
    "VehicleHandle",
    "Worker",
    "begin",
    "checked_event",
    "event_registry",
    "event_types",
]
