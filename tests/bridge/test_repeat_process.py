"""What is random in a fault is the same in every run of a seed; faults while time runs free."""

import pytest

from .peer import TICK_NS, sensor_frames

pytest.importorskip("rclpy", reason="not proved without rclpy: that dropouts repeat on topics")
pytest.importorskip("tf2_msgs", reason="not proved without tf2_msgs: that dropouts repeat")
pytestmark = pytest.mark.ros

IMU = {"imu/data": "sensor_msgs/msg/Imu"}
COMMAND = {"topic": "cmd_vel", "type": "geometry_msgs/msg/Twist", "linear": 0.4, "angular": -0.2}
DROPOUT = {"route": "imu", "fault": "dropout"}


def stamps_of_a_run(bridge, stack, simulator, script):
    """Times (ns) of the IMU's messages in 40 ticks; ``script`` sets faults after some of them."""
    assert bridge.call("arm", timeout_s=30.0)["ok"]
    for tick in range(40):
        for fields in script.get(tick, []):
            assert bridge.call("fault", **fields)["ok"]
        time_ns = (tick + 1) * TICK_NS
        frames = sensor_frames(simulator, "ugv1", time_ns)
        assert bridge.call("tick", time_ns=time_ns, frames=frames, timeout_s=10.0)["ok"]
    stamps = [row["message"]["header"]["stamp"] for row in stack.received(time_ns)]
    return [stamp["sec"] * 1_000_000_000 + stamp["nanosec"] for stamp in stamps]


@pytest.fixture
def run(start_bridge, start_stack, simulator, manifest_data):
    manifest_data["lockstep"]["nodes"] = ["planner_server"]

    def start(script, seed):
        bridge = start_bridge(manifest=manifest_data, seed=seed)
        stack = start_stack(topics=IMU)
        stamps = stamps_of_a_run(bridge, stack, simulator, script)
        stack.stop()
        assert bridge.call("shutdown")["ok"]
        assert bridge.process.wait(10) == 0
        return stamps

    return start


def test_a_dropout_by_chance_takes_the_same_messages_in_every_run_of_a_seed(run):
    set_, lifted = DROPOUT | {"parameters": {"probability": 0.5}}, DROPOUT | {"parameters": None}
    first = run({0: [set_]}, seed=1)
    assert 50 < len(first) < 150
    assert run({0: [set_]}, seed=1) == first
    assert run({0: [set_]}, seed=2) != first

    again = run(
        {10: [set_, lifted], 20: [set_, lifted, set_]}, seed=1
    )  # another past, another route
    half = 20 * TICK_NS
    assert [t for t in again if t > half] == [t for t in first if t > half]
    assert len([t for t in again if t <= half]) == 100


def test_a_limit_takes_hold_at_once_while_time_runs_free(simulator, start_bridge, start_stack):
    bridge = start_bridge(mode="sim")
    own = {"done": "std_msgs/msg/Header"}  # nobody else listens to it
    command = COMMAND | {"until_ns": TICK_NS}
    stack = start_stack(ack="done", topics=own, command=command)
    while not stack.has_more():  # bounded by the test's own limit: the node is starting
        simulator.frame("clock", 0, paused=False, rtf=1.0)
        assert bridge.call("hello")["ok"]
    simulator.frame("clock", TICK_NS, paused=False, rtf=1.0)
    assert bridge.call("hello")["ok"]
    told = [simulator.commands.get(timeout=30)["linear_mps"] for _ in range(2)]
    assert told == [0.2, 0.4]

    limit = {"route": "command", "fault": "limit"}
    reply = bridge.call("fault", parameters={"max_linear_mps": 0.1}, **limit)
    assert reply["time_ns"] == TICK_NS
    command = simulator.commands.get(timeout=30)
    assert (command["linear_mps"], command["angular_radps"]) == (0.1, -0.2)
    assert bridge.call("fault", parameters=None, **limit)["ok"]
    assert simulator.commands.get(timeout=30)["linear_mps"] == 0.4
    simulator.refusal = {"code": "no_vehicle", "message": "there is no vehicle ugv1"}
    reply = bridge.call("fault", parameters={"max_linear_mps": 0.1}, **limit)
    assert (reply["ok"], reply["code"]) == (False, "simulator")
    assert bridge.call("hello")["ok"]
