"""Scenario, world and manifests in; the two frozen plans of a run out."""

from fieldproof.plan._context import PlanContext, PlanFacts, PlannedWorld
from fieldproof.plan._planned import (
    NO_VALUE,
    PlannedAssertion,
    PlannedSignal,
    PlannedVehicle,
    SampleLike,
    plain,
)
from fieldproof.plan._watches import Watch, observation

__all__ = [
    "NO_VALUE",
    "PlanContext",
    "PlanFacts",
    "PlannedAssertion",
    "PlannedSignal",
    "PlannedVehicle",
    "PlannedWorld",
    "SampleLike",
    "Watch",
    "observation",
    "plain",
]
