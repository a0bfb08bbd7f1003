"""The contract of the reference vehicle, on the real simulator, bridge and middleware."""

import subprocess
import sys

import pytest

from fieldproof_sim import SimulatorClient

from .peer import ROOT, TICK_NS, address, run_environment

pytest.importorskip("rclpy", reason="not proved without rclpy: the contract on the live graph")
pytest.importorskip(
    "tf2_msgs", reason="not proved without tf2_msgs: the contract on the live graph"
)
pytest.importorskip("mujoco", reason="not proved without mujoco: rates of the real simulator")
pytestmark = pytest.mark.ros

SECONDS = 2


@pytest.fixture
def mujoco(domain):
    """Addresses of a real simulator."""
    control, publish = address("control"), address("publish")
    process = subprocess.Popen(
        [sys.executable, "-B", "-m", "fieldproof_sim", "--control", control, "--publish", publish],
        env=run_environment(domain),
    )
    yield control, publish
    process.kill()
    process.wait()


@pytest.fixture
def drive(mujoco, start_bridge, start_stack, manifest_data):
    """Load the vehicle into the world; return what steps it and the ends that took part."""
    control, publish = mujoco
    manifest_data["lockstep"]["nodes"] = ["probe"]
    bridge = start_bridge(manifest=manifest_data, sim={"control": control, "publish": publish})
    with SimulatorClient(control, 30.0) as client:
        assert bridge.call("hello")["ready"]
        client.request(
            "load",
            world=str(ROOT / "worlds" / "dock_yard" / "world.sdf"),
            physics_step_ns=2_000_000,
            seed=7,
            vehicles=[
                {
                    "name": "ugv1",
                    "namespace": "ugv1",
                    "urdf": str(ROOT / "robots" / "ugv_ref" / "ugv_ref.urdf"),
                    "manifest": manifest_data,
                    "spawn": {"x": 10.0, "y": 3.0, "z": 0.12, "yaw": -1.5707963267948966},
                }
            ],
        )
        contract = bridge.call("contract")
        topics = {
            topic["topic"]: topic["type"]
            for topic in contract["topics"]
            if topic["direction"] == "publish" and topic["topic"] != "/clock"
        }
        command = {"topic": "cmd_vel", "type": "geometry_msgs/msg/Twist"}
        probe = start_stack(
            "probe", topics=topics, command=command | {"linear": 0.5, "angular": 0.0}
        )
        assert bridge.call("arm", timeout_s=30.0)["ok"]

        commands = []

        def step(time_ns):
            frames = client.request("step", until_ns=time_ns, commands=commands)["frames"]
            reply = bridge.call("tick", time_ns=time_ns, frames=frames, timeout_s=30.0)
            assert reply["ok"], reply
            commands[:] = reply["commands"]
            return probe.received(time_ns)

        yield step, bridge, contract


def frame_of(message):
    if "transforms" in message:
        return message["transforms"][0]["header"]["frame_id"]
    return message["header"]["frame_id"] if "header" in message else ""


def test_names_types_frames_qos_and_rates_are_those_of_the_manifest(drive):
    step, bridge, contract = drive
    assert contract["problems"] == []
    assert bridge.call("contract")["problems"] == []  # the vehicle's software has come since

    received = []
    for tick in range(1, SECONDS * 1_000_000_000 // TICK_NS + 1):
        received += step(tick * TICK_NS)
    by_topic = {}
    for row in received:
        by_topic.setdefault(row["topic"], []).append(row["message"])

    promised = {
        topic["topic"]: topic
        for topic in contract["topics"]
        if topic["direction"] == "publish" and topic["topic"] != "/clock"
    }
    assert set(by_topic) == set(promised)
    for name, topic in promised.items():
        messages = by_topic[name]
        if topic["rate_hz"] is None:
            assert len(messages) == 1, name
        else:
            assert len(messages) == topic["rate_hz"] * SECONDS, name
        assert {frame_of(message) for message in messages} == {topic["frame_id"]}, name
    assert len({topic["qos"]["depth"] for topic in promised.values()}) > 1


def test_what_is_published_describes_the_vehicle_in_the_world(drive):
    step, _, _ = drive
    newest = {}
    for tick in range(1, SECONDS * 1_000_000_000 // TICK_NS + 1):
        newest |= {row["topic"]: row["message"] for row in step(tick * TICK_NS)}
    scan = newest["/ugv1/scan"]
    assert len(scan["ranges"]) == 360
    assert scan["angle_min"] + 359 * scan["angle_increment"] == pytest.approx(
        scan["angle_max"], abs=1e-4
    )
    assert any(scan["range_min"] < one < scan["range_max"] for one in scan["ranges"])
    assert newest["/ugv1/imu/data"]["linear_acceleration"]["z"] == pytest.approx(9.8, abs=1.0)
    fix = newest["/ugv1/gps/fix"]
    assert fix["latitude"] == pytest.approx(53.5405, abs=0.001)
    assert fix["longitude"] == pytest.approx(9.9722, abs=0.001)
    odom = newest["/ugv1/odom"]
    assert 0.3 < odom["pose"]["pose"]["position"]["x"] < 1.0  # commanded 0.5 m/s for 2 s
    (transform,) = newest["/ugv1/tf"]["transforms"]
    assert transform["transform"]["translation"]["x"] == odom["pose"]["pose"]["position"]["x"]
    joints = newest["/ugv1/joint_states"]
    assert set(joints["name"]) == {"left_wheel_joint", "right_wheel_joint"}
    assert all(velocity > 1.0 for velocity in joints["velocity"])
