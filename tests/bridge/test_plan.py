import subprocess
import sys

import pytest

from fieldproof_bridge import planned_routes


def test_the_routes_of_a_vehicle_are_known_before_its_bridge_runs(manifest_data):
    routes = {route.name: route for route in planned_routes("fleet/ugv1", manifest_data)}
    assert {name: route.topic for name, route in routes.items()} == {
        "lidar": "/fleet/ugv1/scan",
        "imu": "/fleet/ugv1/imu/data",
        "gps": "/fleet/ugv1/gps/fix",
        "odometry": "/fleet/ugv1/odom",
        "joint_states": "/fleet/ugv1/joint_states",
        "battery": "/fleet/ugv1/battery_state",
        "command": "/fleet/ugv1/cmd_vel",
    }
    assert routes["gps"].faults == ("offset", "noise", "deny", "dropout", "freeze")
    assert routes["command"].faults == ("dropout", "freeze", "limit")


@pytest.mark.parametrize("spoil", ["power", "camera"])
def test_what_the_bridge_does_not_carry_is_no_route(manifest_data, spoil):
    if spoil == "power":
        del manifest_data["power"]
    else:
        manifest_data["sensors"][0]["type"] = "camera"
    names = {route.name for route in planned_routes("ugv1", manifest_data)}
    assert names.isdisjoint({"battery"} if spoil == "power" else {"lidar"})


def test_planning_loads_no_ros():
    script = "import sys, fieldproof_bridge; print(any(m.startswith('rclpy') for m in sys.modules))"
    path = ":".join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": path},
    )
    assert done.stdout.strip() == "False"
