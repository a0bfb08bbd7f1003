"""What a driving scenario looks like to the assertion types of robot scenarios."""

import math
from typing import Any

from fieldproof.driving.files import EGO, ScenarioFile, Start
from fieldproof.model import NS_PER_S, Pose, VehicleManifest, validated
from fieldproof.plan import PlanFacts, PlannedVehicle, PlannedWorld

STATE_TOPIC = "state"
STATE_TYPE = "fieldproof_driving/msg/State"
START_FRAME = "start"
GOAL_FRAME = "goal"
DRIVE = "drive"
"""The one timeline entry: starts with the episode, ends ok when the ego reaches its goal."""


def facts_of(scenario: ScenarioFile, assertion_names: tuple[str, ...]) -> PlanFacts:
    """Return the scenario as the facts of a plan.

    The ego and every actor are vehicles, in a namespace of their own name; each has a contact
    sensor and the topic `state`. Frames of the world are `start` and, where there is one, `goal`.
    The clock is simulation time, so the mode is `lockstep`.
    """
    ego = scenario.the_ego()
    frames = {START_FRAME: _pose(ego.start)}
    if ego.goal is not None:
        frames[GOAL_FRAME] = Pose(ego.goal.x, ego.goal.y, ego.goal.z or 0.0)
    starts = {EGO: ego.start} | {actor.id: actor.start for actor in scenario.actors}
    manifest = validated(VehicleManifest, _MANIFEST)
    return PlanFacts(
        world=PlannedWorld(scenario.id, frames, round(scenario.timestep_seconds * NS_PER_S)),
        actions=(DRIVE,),
        vehicles={
            name: PlannedVehicle(name, name, "driving", _pose(start), manifest)
            for name, start in starts.items()
        },
        assertions=assertion_names,
        mode="lockstep",
    )


def _pose(start: Start) -> Pose:
    return Pose(start.x, start.y, start.z or 0.0, math.radians(start.yaw))


_MANIFEST: dict[str, Any] = {
    "apiVersion": "fieldproof.dev/v0alpha1",
    "kind": "Vehicle",
    "name": "driving",
    "model": {"urdf": "none.urdf", "base_link": "base_link"},
    "drive": {
        "type": "differential",
        "left_joints": ["left"],
        "right_joints": ["right"],
        "wheel_radius_m": 1.0,
        "wheel_separation_m": 1.0,
        "max_linear_mps": 1.0,
        "max_angular_radps": 1.0,
        "max_linear_accel_mps2": 1.0,
        "command": {"topic": "command", "ros_type": STATE_TYPE},
        "odometry": {
            "topic": "odom",
            "ros_type": STATE_TYPE,
            "frame_id": "odom",
            "child_frame_id": "base_link",
            "rate_hz": 1.0,
        },
    },
    "sensors": [
        {
            "name": "contacts",
            "type": "contact",
            "link": "base_link",
            "rate_hz": 10.0,
            "collision": "body",
        }
    ],
    "stack": {
        "package": "driving",
        "processes": [{"name": "agent", "module": "agent", "node": "agent"}],
        "topics": [{"topic": STATE_TOPIC, "ros_type": STATE_TYPE}],
    },
}
