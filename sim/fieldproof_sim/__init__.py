"""Simulators behind one protocol, and the client that everything else talks to them with.

Importing this package loads neither MuJoCo nor any simulator.
"""

from fieldproof_sim._wire import PROTOCOL_VERSION, Code
from fieldproof_sim.client import (
    Frame,
    FrameSubscriber,
    FrameTimeoutError,
    SimulatorClient,
    SimulatorError,
    SimulatorTimeoutError,
)

__all__ = [
    "PROTOCOL_VERSION",
    "Code",
    "Frame",
    "FrameSubscriber",
    "FrameTimeoutError",
    "SimulatorClient",
    "SimulatorError",
    "SimulatorTimeoutError",
]
