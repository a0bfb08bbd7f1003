"""The mock simulator of the driving suites: deterministic, without physics worth the name."""

from fieldproof_sim.mock._ego import (
    MAX_ACCELERATION_MPS2,
    MAX_BRAKING_MPS2,
    DroneEgo,
    GroundEgo,
    ManipulatorEgo,
)
from fieldproof_sim.mock._events import (
    COLLISION_M,
    NEAR_MISS_M,
    OFFROAD_MARGIN_M,
    Watch,
    goal_distance,
)
from fieldproof_sim.mock._patterns import (
    CROSSING,
    HELD,
    HURRIED,
    PATTERNS,
    known_patterns,
    pattern_name,
)
from fieldproof_sim.mock._plane import closest_approach
from fieldproof_sim.mock._simulator import VERSION, MockSimulator, Step, watch_of

__all__ = [
    "COLLISION_M",
    "CROSSING",
    "HELD",
    "HURRIED",
    "MAX_ACCELERATION_MPS2",
    "MAX_BRAKING_MPS2",
    "NEAR_MISS_M",
    "OFFROAD_MARGIN_M",
    "PATTERNS",
    "VERSION",
    "DroneEgo",
    "GroundEgo",
    "ManipulatorEgo",
    "MockSimulator",
    "Step",
    "Watch",
    "closest_approach",
    "goal_distance",
    "known_patterns",
    "pattern_name",
    "watch_of",
]
