"""The bridge as a process: a small ZeroMQ simulator on one side, real ROS nodes on the other."""

import math
import os
import select
import signal
import subprocess
import sys

import pytest

from .peer import TICK_NS, payload, run_environment, sensor_frames

pytest.importorskip("rclpy", reason="not proved without rclpy: the bridge's ROS side")
pytest.importorskip("tf2_msgs", reason="not proved without tf2_msgs: the bridge's ROS side")
pytestmark = pytest.mark.ros

TOPICS = {
    "scan": "sensor_msgs/msg/LaserScan",
    "imu/data": "sensor_msgs/msg/Imu",
    "gps/fix": "sensor_msgs/msg/NavSatFix",
    "odom": "nav_msgs/msg/Odometry",
    "joint_states": "sensor_msgs/msg/JointState",
    "battery_state": "sensor_msgs/msg/BatteryState",
    "tf": "tf2_msgs/msg/TFMessage",
    "tf_static": "tf2_msgs/msg/TFMessage",
    "robot_description": "std_msgs/msg/String",
}
COMMAND = {"topic": "cmd_vel", "type": "geometry_msgs/msg/Twist", "linear": 0.4, "angular": -0.2}


def acknowledged_by(manifest, *nodes):
    manifest["lockstep"]["nodes"] = list(nodes)
    return manifest


def stamp_ns(message):
    stamp = message["header"]["stamp"]
    return stamp["sec"] * 1_000_000_000 + stamp["nanosec"]


def test_a_tick_delivers_every_sensor_message_before_the_clock(
    simulator, start_bridge, start_stack, manifest_data
):
    bridge = start_bridge(manifest=acknowledged_by(manifest_data, "planner_server"))
    stack = start_stack(topics=TOPICS, command=COMMAND)
    assert bridge.call("arm", timeout_s=20.0) == {"ok": True, "acks": ["planner_server"]}

    latched = {}
    for tick in range(1, 41):
        time_ns = tick * TICK_NS
        frames = sensor_frames(simulator, "ugv1", time_ns)
        reply = bridge.call("tick", time_ns=time_ns, frames=frames, timeout_s=10.0)
        assert reply["ok"], reply
        assert reply["acks"] == ["planner_server"]
        assert reply["commands"] == [{"vehicle": "ugv1", "linear_mps": 0.4, "angular_radps": -0.2}]
        received = stack.received(time_ns)
        counts = {f"/ugv1/{topic}": 0 for topic in TOPICS}
        for row in received:
            if row["topic"] in ("tf_static", "robot_description"):
                latched[row["topic"]] = row["message"]
                continue
            counts[f"/ugv1/{row['topic']}"] += 1
            if row["topic"] != "tf":
                assert time_ns - TICK_NS < stamp_ns(row["message"]) <= time_ns
        published = {topic: n for topic, n in counts.items() if n}
        own = {"/clock": 1, "/ugv1/_bridge/cmd_vel": 1}
        assert reply["published"] == published | own
        assert counts["/ugv1/imu/data"] == 5
        assert counts["/ugv1/scan"] == (tick % 2 == 0)
        assert counts["/ugv1/battery_state"] == (tick % 20 == 0)
    assert latched["robot_description"]["data"].startswith("<?xml")
    transforms = latched["tf_static"]["transforms"]
    assert {"lidar_link", "imu_link", "gps_link"} <= {t["child_frame_id"] for t in transforms}
    assert simulator.commands.empty()  # whoever releases the ticks gives them to the simulator
    timings = bridge.call("stats")["timings"]
    assert set(timings) == {"sensors", "sensor_delivery", "clock_delivery", "acks"}


def test_messages_carry_what_the_frames_say_by_the_conventions_of_ros(
    simulator, start_bridge, start_stack, manifest_data
):
    bridge = start_bridge(manifest=acknowledged_by(manifest_data, "planner_server"))
    stack = start_stack(topics=TOPICS)
    assert bridge.call("arm", timeout_s=20.0)["ok"]
    time_ns = 20 * TICK_NS
    frames = sensor_frames(simulator, "ugv1", time_ns)
    assert bridge.call("tick", time_ns=time_ns, frames=frames, timeout_s=10.0)["ok"]
    newest = {row["topic"]: row["message"] for row in stack.received(time_ns)}

    scan = newest["scan"]
    assert scan["ranges"] == [1.0, 2.0, math.inf, 1.0]
    assert (scan["angle_min"], scan["angle_max"]) == (-3.0, 0.0)
    assert scan["scan_time"] == pytest.approx(0.1)
    assert (scan["time_increment"], scan["intensities"]) == (0.0, [])
    assert scan["header"]["frame_id"] == "lidar_link"

    imu = newest["imu/data"]
    assert imu["header"]["frame_id"] == "imu_link"
    assert imu["orientation"] == {"x": 0.0, "y": 0.0, "z": 0.6, "w": 0.8}
    assert imu["angular_velocity"] == {"x": 1.0, "y": 0.0, "z": 0.1}
    assert imu["linear_acceleration"] == {"x": 0.0, "y": 1.0, "z": 9.81}
    assert imu["linear_acceleration_covariance"][::4] == pytest.approx([4e-4] * 3)
    assert imu["orientation_covariance"][0] == pytest.approx(4e-6)

    fix = newest["gps/fix"]
    assert fix["header"]["frame_id"] == "gps_link"
    assert fix["status"] == {"status": 0, "service": 1}
    assert (fix["latitude"], fix["longitude"], fix["altitude"]) == (49.0, 11.0, 500.0)
    assert fix["position_covariance"] == [0.25, 0, 0, 0, 0.25, 0, 0, 0, 1.0]
    assert fix["position_covariance_type"] == 2

    odom = newest["odom"]
    assert (odom["header"]["frame_id"], odom["child_frame_id"]) == ("odom", "base_link")
    assert odom["pose"]["pose"]["position"] == {"x": 1.0, "y": -1.0, "z": 0.0}
    orientation = odom["pose"]["pose"]["orientation"]
    assert orientation["z"] == pytest.approx(math.sin(0.25))
    assert orientation["w"] == pytest.approx(math.cos(0.25))
    assert odom["twist"]["twist"]["linear"]["x"] == 0.3
    assert odom["twist"]["twist"]["angular"]["z"] == 0.2
    assert odom["pose"]["covariance"][::7] == [0.001, 0.001, 1e6, 1e6, 1e6, 0.01]

    (transform,) = newest["tf"]["transforms"]
    assert stamp_ns(transform) == stamp_ns(odom)
    assert (transform["header"]["frame_id"], transform["child_frame_id"]) == ("odom", "base_link")
    assert transform["transform"]["translation"] == {"x": 1.0, "y": -1.0, "z": 0.0}
    assert transform["transform"]["rotation"] == orientation

    joints = newest["joint_states"]
    assert joints["name"] == ["left_wheel_joint", "right_wheel_joint"]
    assert (joints["position"], joints["velocity"]) == ([1.0, 2.0], [1.0, 2.0])
    assert joints["effort"] == []

    battery = newest["battery_state"]
    assert battery["voltage"] == pytest.approx(25.2)
    assert battery["percentage"] == 1.0
    assert battery["charge"] == pytest.approx(20.0)
    assert math.isnan(battery["current"])
    assert battery["present"]


def test_a_node_that_stays_silent_is_named_with_its_tick(
    simulator, start_bridge, start_stack, manifest_data
):
    nodes = ("planner_server", "controller_server")
    bridge = start_bridge(manifest=acknowledged_by(manifest_data, *nodes))
    start_stack("planner_server")
    start_stack("controller_server", silent_from_ns=2 * TICK_NS)
    assert bridge.call("arm", timeout_s=20.0)["ok"]
    assert bridge.call("tick", time_ns=TICK_NS, frames={}, timeout_s=10.0)["ok"]
    reply = bridge.call("tick", time_ns=2 * TICK_NS, frames={}, timeout_s=0.3)
    assert (reply["ok"], reply["code"]) == (False, "ack_timeout")
    assert reply["nodes"] == ["controller_server"]
    assert reply["message"] == (
        "tick at 0.1 s: no acknowledgement from controller_server (silent) within 0.3 s"
    )


def test_arming_names_the_node_that_never_came(start_bridge, start_stack, manifest_data):
    nodes = ("planner_server", "bt_navigator")
    bridge = start_bridge(manifest=acknowledged_by(manifest_data, *nodes))
    start_stack("planner_server")
    reply = bridge.call("arm", timeout_s=2.0)
    assert (reply["ok"], reply["code"], reply["nodes"]) == (False, "not_armed", ["bt_navigator"])
    assert "bt_navigator (not in the graph)" in reply["message"]


def test_the_parts_of_a_tick_can_be_asked_for_one_by_one(
    simulator, start_bridge, start_stack, manifest_data
):
    bridge = start_bridge(manifest=acknowledged_by(manifest_data, "planner_server"))
    start_stack(topics={"imu/data": TOPICS["imu/data"]})
    assert bridge.call("arm", timeout_s=20.0)["ok"]
    frames = sensor_frames(simulator, "ugv1", TICK_NS)
    fields = {"time_ns": TICK_NS, "timeout_s": 10.0}
    first = bridge.call("tick", do=["sensors"], frames=frames, **fields)
    assert first["published"]["/ugv1/imu/data"] == 5
    assert "/clock" not in first["published"]
    assert bridge.call("tick", do=["clock"], **fields)["published"] == {"/clock": 1}
    last = bridge.call("tick", do=["acks"], **fields)
    assert (last["acks"], last["published"]) == (["planner_server"], {})


def test_frames_that_do_not_come_and_frames_that_were_lost_are_errors(
    simulator, start_bridge, manifest_data
):
    bridge = start_bridge(manifest=acknowledged_by(manifest_data))
    topic = "sensor/ugv1/imu"
    fields = {"do": ["sensors"], "timeout_s": 0.3}
    reply = bridge.call("tick", time_ns=TICK_NS, frames={topic: 1}, **fields)
    assert (reply["code"], reply["topics"]) == ("frames_missing", [topic])
    simulator.frame(topic, TICK_NS, **payload("imu", TICK_NS))
    assert bridge.call("tick", time_ns=TICK_NS, frames={topic: 1}, **fields)["ok"]
    simulator.frame(topic, 2 * TICK_NS, skip=2, **payload("imu", 2 * TICK_NS))
    reply = bridge.call("tick", time_ns=2 * TICK_NS, frames={topic: 4}, **fields)
    assert (reply["ok"], reply["code"]) == (False, "frames_lost")
    assert "sensor/ugv1/imu (2)" in reply["message"]


def test_a_malformed_frame_names_itself(simulator, start_bridge, manifest_data):
    bridge = start_bridge(manifest=acknowledged_by(manifest_data))
    assert bridge.call("hello")["ready"]
    seq = simulator.frame("sensor/ugv1/imu", TICK_NS, qx=0.0)
    reply = bridge.call(
        "tick", time_ns=TICK_NS, frames={"sensor/ugv1/imu": seq}, do=["sensors"], timeout_s=5.0
    )
    assert (reply["ok"], reply["code"]) == (False, "bad_frame")
    assert reply["message"].startswith("frame 1 of sensor/ugv1/imu: KeyError")


def test_a_command_that_is_not_finite_never_reaches_the_drive(
    simulator, start_bridge, start_stack, manifest_data
):
    bridge = start_bridge(manifest=acknowledged_by(manifest_data, "planner_server"))
    start_stack(command=COMMAND | {"linear": math.nan})
    assert bridge.call("arm", timeout_s=20.0)["ok"]
    assert bridge.call("tick", time_ns=TICK_NS, frames={}, timeout_s=10.0)["commands"] == []
    assert bridge.call("stats")["commands_refused"] == 2
    assert simulator.commands.empty()


@pytest.mark.parametrize("mode", ["sim", "realtime"])
def test_a_free_running_bridge_forwards_frames_clock_and_commands_as_they_come(
    simulator, start_bridge, start_stack, mode
):
    bridge = start_bridge(mode=mode)
    hello = bridge.call("hello")
    assert hello["ready"]
    stack = start_stack(topics={"imu/data": TOPICS["imu/data"]}, ack="nobody", command=COMMAND)
    time_ns = 0
    while simulator.commands.empty():  # bounded by the test's own limit
        time_ns += 10_000_000
        simulator.frame("sensor/ugv1/imu", time_ns, **payload("imu", time_ns))
        simulator.frame("clock", time_ns, paused=False, rtf=1.0)
        bridge.call("hello")
    assert simulator.commands.get()["linear_mps"] in (0.2, 0.4)
    assert bridge.call("stats")["gaps"] == {}
    reply = bridge.call("tick", time_ns=TICK_NS, frames={}, timeout_s=1.0)
    assert (reply["ok"], reply["code"]) == (False, "not_lockstep")
    assert stack.received(time_ns) is not None


def test_a_second_clock_is_a_problem_of_the_contract(start_bridge, manifest_data):
    first = start_bridge(manifest=acknowledged_by(manifest_data))
    assert first.call("contract")["problems"] == []
    second = start_bridge(manifest=acknowledged_by(manifest_data), namespace="ugv2", vehicle="ugv2")
    assert second.call("hello")["ok"]
    problems: list[str] = []
    while not problems or "a node without a name yet" in problems[0]:  # discovery
        problems = first.call("contract")["problems"]
    assert problems == ["/clock: also published by /ugv2/bridge"]


def test_a_bridge_tells_how_many_publishers_it_knows_of(start_bridge, manifest_data):
    first = start_bridge(manifest=acknowledged_by(manifest_data))
    known = first.call("graph")["publishers"]
    assert known["/clock"] == known["/ugv1/scan"] == 1
    assert "/ugv1/cmd_vel" not in known  # read, and published by nobody
    start_bridge(manifest=acknowledged_by(manifest_data), namespace="ugv2", vehicle="ugv2")
    while known["/clock"] == 1 or "/ugv2/scan" not in known:  # discovery
        known = first.call("graph")["publishers"]
    assert known["/clock"] == 2


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b"\xc1", "bad_request"),
        (b"\x01", "bad_request"),
        (b"\x81\xa2op\xa3fly", "unknown_op"),
        (b"\x81\xa2op\xa4tick", "bad_request"),
        (b"\x81\xa2op\xa3arm", "bad_request"),
    ],
    ids=["no msgpack", "no map", "unknown op", "tick without time", "arm without bound"],
)
def test_a_bad_request_is_answered_and_the_bridge_lives_on(start_bridge, payload, code):
    bridge = start_bridge()
    reply = bridge.call.raw(payload)
    assert (reply["ok"], reply["code"]) == (False, code)
    assert bridge.call("hello")["ok"]


def test_shutdown_is_answered_and_ends_the_process(start_bridge):
    bridge = start_bridge()
    assert bridge.call("shutdown") == {"ok": True}
    assert bridge.process.wait(10) == 0


@pytest.mark.parametrize("mode", ["lockstep", "sim"])
def test_a_terminated_bridge_ends_cleanly(start_bridge, mode):
    bridge = start_bridge(mode=mode)
    assert bridge.call("hello")["ok"]
    bridge.process.send_signal(signal.SIGTERM)
    assert bridge.process.wait(10) == 0
    assert bridge.process.stderr.read() == ""


def test_a_bridge_whose_parent_dies_ends(start_bridge, config_data, simulator, tmp_path, domain):
    bridge = start_bridge()  # only for its configuration file
    config = bridge.process.args[-1]
    assert bridge.call("shutdown")["ok"]
    assert bridge.process.wait(10) == 0
    script = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-B', '-m', 'fieldproof_bridge', '--config',"
        " sys.argv[1]])\n"
        "print(child.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-B", "-c", script, config],
        env=run_environment(domain),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    pid = int(parent.stdout.readline())
    assert bridge.call("hello")["ok"]
    watch = os.pidfd_open(pid)
    parent.kill()
    parent.communicate()
    try:
        readable, _, _ = select.select([watch], [], [], 20.0)
        assert readable, "the bridge outlives its parent"
    finally:
        os.close(watch)


def test_a_configuration_that_cannot_be_used_ends_with_every_problem(start_bridge):
    bridge = start_bridge(mode="fast", tick_ns=0)
    _, errors = bridge.process.communicate(timeout=20)
    assert bridge.process.returncode == 2
    assert [line.split(": ")[1] for line in errors.splitlines()] == ["mode", "tick_ns"]


def test_an_absent_simulator_is_a_bounded_error(start_bridge):
    absent = {"control": "ipc://@fieldproof-test-absent", "publish": "ipc://@fieldproof-test-none"}
    bridge = start_bridge(sim=absent)
    _, errors = bridge.process.communicate(timeout=40)
    assert bridge.process.returncode == 1
    assert "did not answer within" in errors
