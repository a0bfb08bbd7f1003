"""A small scenario to plan assertions in."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from fieldproof.assertions._type import AssertionType
from fieldproof.model import Mode, Pose, VehicleManifest, canonical_json, validated
from fieldproof.plan import PlanContext, PlanFacts, PlannedVehicle, PlannedWorld
from fieldproof.samples import NS_PER_S

_MANIFEST: Mapping[str, Any] = {
    "apiVersion": "fieldproof.dev/v0alpha1",
    "kind": "Vehicle",
    "name": "rover",
    "model": {"urdf": "rover.urdf", "base_link": "base_link"},
    "drive": {
        "type": "differential",
        "left_joints": ["left"],
        "right_joints": ["right"],
        "wheel_radius_m": 0.1,
        "wheel_separation_m": 0.4,
        "max_linear_mps": 1.0,
        "max_angular_radps": 1.5,
        "max_linear_accel_mps2": 1.0,
        "command": {"topic": "cmd_vel", "ros_type": "geometry_msgs/msg/Twist"},
        "odometry": {
            "topic": "odom",
            "ros_type": "nav_msgs/msg/Odometry",
            "frame_id": "odom",
            "child_frame_id": "base_link",
            "rate_hz": 50.0,
        },
    },
    "sensors": [
        {
            "name": "bumper",
            "type": "contact",
            "link": "base_link",
            "collision": "chassis",
            "rate_hz": 50.0,
        }
    ],
    "stack": {
        "package": "rover_stack",
        "processes": [{"name": "driver", "module": "rover_stack.driver", "node": "driver"}],
    },
}
"""A vehicle that can drive and feel contacts."""


def facts(
    *,
    vehicles: Iterable[str] = ("ugv1",),
    frames: Mapping[str, Pose] | None = None,
    actions: Iterable[str] = (),
    assertions: Iterable[str] = (),
    manifest: Mapping[str, Any] | None = None,
    mode: Mode = "lockstep",
) -> PlanFacts:
    """Return a small scenario to plan assertions in.

    Args:
        vehicles: Names; each has the topics `cmd_vel`, `odom` and those of every vehicle.
        frames: The frames of its world, called `yard`.
        actions: Labels of its timeline.
        assertions: Names of its other assertions.
        manifest: What every vehicle's manifest has besides, by its keys.
        mode: How time passes; signals of `rtf` are refused in lockstep.
    """
    model = validated(VehicleManifest, {**_MANIFEST, **(manifest or {})})
    known = {name: PlannedVehicle(name, name, "rover", Pose(0.0, 0.0), model) for name in vehicles}
    world = PlannedWorld("yard", dict(frames or {}), NS_PER_S // 500)
    return PlanFacts(world, known, tuple(actions), assertions=tuple(assertions), mode=mode)


def planned(
    kind: type[AssertionType], spec: Mapping[str, Any], scenario: PlanFacts | None = None
) -> dict[str, Any]:
    """Return an assertion as the evaluation plan holds it.

    Args:
        kind: Its type.
        spec: What a scenario writes, `type` left out; `name` may be, and is `it` then.
        scenario: Where it stands; `facts()` when None.

    Raises:
        ScenarioError: The type refuses it.
    """
    model = validated(kind.Spec, {"name": "it", "type": kind.type, **spec})
    context = PlanContext(scenario or facts(), ("assertions", 0), model)
    data = kind().plan(model, context).to_data()
    result: dict[str, Any] = json.loads(canonical_json(data))
    return result
