"""Scenario, world and manifests in; the two frozen plans of a run out."""

from fieldproof.plan._context import PlanContext, PlanFacts, PlannedWorld
from fieldproof.plan._planned import (
    PlannedAssertion,
    PlannedVehicle,
    ResolvedSignal,
    plain,
)
from fieldproof.plan._watches import Watch, observation

__all__ = [
    "PlanContext",
    "PlanFacts",
    "PlannedAssertion",
    "PlannedVehicle",
    "PlannedWorld",
    "ResolvedSignal",
    "Watch",
    "observation",
    "plain",
]
