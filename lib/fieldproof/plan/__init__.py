"""Scenario, world and manifests in; the two frozen plans of a run out."""

from fieldproof.plan._build import Plan, build_plan
from fieldproof.plan._bundle import write_bundle, write_evaluation, write_execution
from fieldproof.plan._context import PlanContext
from fieldproof.plan._facts import PlanFacts, PlannedWorld
from fieldproof.plan._messages import FieldsOf, MessageField, unknown_fields
from fieldproof.plan._models import ModelChanges, ModelsOf, WorldModels, unknown_models
from fieldproof.plan._order import CircleError, settled_last
from fieldproof.plan._planned import (
    PlannedAssertion,
    PlannedVehicle,
    ResolvedSignal,
    plain,
)
from fieldproof.plan._routes import InjectorRoute, RoutesOf, no_routes
from fieldproof.plan._types import AssertionType, EventType, KpiType, Registries
from fieldproof.plan._watches import Watch, observation

__all__ = [
    "AssertionType",
    "CircleError",
    "EventType",
    "FieldsOf",
    "InjectorRoute",
    "KpiType",
    "MessageField",
    "ModelChanges",
    "ModelsOf",
    "Plan",
    "PlanContext",
    "PlanFacts",
    "PlannedAssertion",
    "PlannedVehicle",
    "PlannedWorld",
    "Registries",
    "ResolvedSignal",
    "RoutesOf",
    "Watch",
    "WorldModels",
    "build_plan",
    "no_routes",
    "observation",
    "plain",
    "settled_last",
    "unknown_fields",
    "unknown_models",
    "write_bundle",
    "write_evaluation",
    "write_execution",
]
