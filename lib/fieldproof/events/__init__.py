"""What a timeline can make happen, and how plugins add to it."""

from fieldproof.events._begin import begin
from fieldproof.events._event import Event, EventContext, Navigation, VehicleHandle
from fieldproof.events._navigate import NavigateToPose, NavigateToPoseEvent
from fieldproof.events._record import ActionRecord
from fieldproof.events._registry import GROUP, checked_event, event_registry, event_types
from fieldproof.events._running import Over, Running, Worker
from fieldproof.plan import PlanContext
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
    "Event",
    "EventContext",
    "NavigateToPose",
    "NavigateToPoseEvent",
    "Navigation",
    "Over",
    "PlanContext",
    "PluginError",
    "PluginProblem",
    "Registry",
    "Running",
    "VehicleHandle",
    "Worker",
    "begin",
    "checked_event",
    "event_registry",
    "event_types",
]
