"""Simulators of driving scenarios behind one interface: the mock, and programs of their own."""

from fieldproof.driving.simulators._adapter import (
    ClosedLoopSimulator,
    SimulatorFault,
    StepResult,
)
from fieldproof.driving.simulators._carla import CarlaAdapter
from fieldproof.driving.simulators._external import REQUIREMENTS, Requirement
from fieldproof.driving.simulators._mock import MockAdapter
from fieldproof.driving.simulators._open import open_simulator
from fieldproof.driving.simulators._refusals import check_simulators

__all__ = [
    "REQUIREMENTS",
    "CarlaAdapter",
    "ClosedLoopSimulator",
    "MockAdapter",
    "Requirement",
    "SimulatorFault",
    "StepResult",
    "check_simulators",
    "open_simulator",
]
