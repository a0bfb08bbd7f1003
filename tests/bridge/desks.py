"""Routes of the reference vehicle with their faults, and a reading for each of them."""

import math
from array import array

import yaml

from fieldproof_bridge import Manifest
from fieldproof_bridge._contract import route_specs
from fieldproof_bridge._faults import FaultDesk, faulty_route
from fieldproof_bridge._readings import (
    BatteryLevel,
    Fix,
    Inertial,
    Joints,
    Scan,
    VelocityCommand,
    WheelOdometry,
)

from .peer import ROOT

S = 1_000_000_000
SPOTS = {
    "lidar": lambda t: Scan(t, array("f", [1.0, math.inf, 2.0]).tobytes(), 0.0, 1.0, 0.1, 12.0),
    "imu": lambda t: Inertial(t, (0.0, 0.0, 0.0, 1.0), (0.1, 0.2, 0.3), (1.0, 2.0, 9.8)),
    "gps": lambda t: Fix(t, 0, 53.5405, 9.9722, 6.0),
    "odometry": lambda t: WheelOdometry(t, t / S, 0.0, 0.0, 0.5, 0.1),
    "joint_states": lambda t: Joints(t, ("a",), (t / S,), (1.0,)),
    "battery": lambda t: BatteryLevel(t, 1.0, 25.2, 20.0, 3),
    "command": lambda t: VelocityCommand(t, 1.0, -2.0),
}


SPECS = route_specs(
    Manifest.parse(
        yaml.safe_load((ROOT / "robots" / "ugv_ref" / "robot.yaml").read_text(encoding="utf-8"))
    ),
    str,
)


def make_desk(manifest_data, seed=1, vehicle="ugv1"):
    specs = {s.name: s for s in route_specs(Manifest.parse(manifest_data), lambda t: f"/ugv1/{t}")}
    routes = {name: faulty_route(s, seed=seed, vehicle=vehicle) for name, s in specs.items()}
    return FaultDesk(routes, specs)


def passed(desk, route, time_ns):
    return desk.routes[route].pass_through(SPOTS[route](time_ns), time_ns)
