"""Software that is really frozen or really dead, and a bridge in lockstep that goes on."""

import pytest

from .peer import TICK_NS, sensor_frames

pytest.importorskip("rclpy", reason="not proved without rclpy: ticks without an answering stack")
pytest.importorskip("tf2_msgs", reason="not proved without tf2_msgs: ticks without a stack")
pytestmark = pytest.mark.ros

# more ticks than the depth of any topic's history has messages: the IMU gives five a tick
LONG = 220
TOPICS = {
    "scan": "sensor_msgs/msg/LaserScan",
    "imu/data": "sensor_msgs/msg/Imu",
    "odom": "nav_msgs/msg/Odometry",
    "tf": "tf2_msgs/msg/TFMessage",
    "_bridge/cmd_vel": "geometry_msgs/msg/Twist",
}
COMMAND = {"topic": "cmd_vel", "type": "geometry_msgs/msg/Twist", "linear": 1.0, "angular": -0.5}


@pytest.fixture
def vehicle(start_bridge, start_stack, simulator, manifest_data):
    """A bridge and its node, armed, and what moves time on by a tick."""
    manifest_data["lockstep"]["nodes"] = ["planner_server"]
    bridge = start_bridge(manifest=manifest_data)
    stack = start_stack(topics=TOPICS, command=COMMAND)
    assert bridge.call("arm", timeout_s=30.0)["ok"]
    assert bridge.call("still", timeout_s=5.0)["ok"]
    now = [0]

    def tick(timeout_s=5.0):
        now[0] += TICK_NS
        frames = sensor_frames(simulator, "ugv1", now[0])
        reply = bridge.call("tick", time_ns=now[0], frames=frames, timeout_s=timeout_s)
        return reply, now[0]

    return bridge, stack, tick


def test_time_goes_on_without_a_frozen_stack_and_with_it_again_once_it_runs(vehicle):
    bridge, stack, tick = vehicle
    reply, time_ns = tick()
    assert reply["acks"] == ["planner_server"]
    stack.pause()
    assert bridge.call("stack", own="paused", all_running=False) == {"ok": True}
    for _ in range(LONG):
        reply, _ = tick()
        assert reply["ok"], reply
        assert (reply["acks"], reply["commands"]) == ([], [])
        assert reply["published"]["/ugv1/imu/data"] == 5
        assert reply["published"]["/clock"] == 1
    stack.resume()
    assert bridge.call("stack", own="running", all_running=True) == {"ok": True}
    for _ in range(3):
        reply, time_ns = tick()
        assert reply["ok"], reply
        assert reply["acks"] == ["planner_server"]
        assert reply["commands"][0]["linear_mps"] == 1.0
    received = [row for row in stack.received(time_ns) if row["topic"] == "imu/data"]
    stamps = [row["message"]["header"]["stamp"] for row in received]
    assert stamps[-1]["sec"] * 1_000_000_000 + stamps[-1]["nanosec"] == time_ns


def test_a_stack_that_is_not_reported_frozen_is_an_infrastructure_failure(vehicle):
    _, stack, tick = vehicle
    stack.pause()
    reply, _ = tick(timeout_s=0.5)
    assert (reply["ok"], reply["code"]) == (False, "delivery_timeout")


def test_time_goes_on_without_a_dead_stack(vehicle):
    bridge, stack, tick = vehicle
    assert tick()[0]["commands"]
    stack.kill()
    assert bridge.call("stack", own="gone", all_running=False)["ok"]
    for _ in range(LONG):
        reply, _ = tick()
        assert reply["ok"], reply
        assert (reply["acks"], reply["commands"]) == ([], [])


def test_a_limit_takes_hold_of_the_command_that_a_dead_stack_left(vehicle):
    bridge, stack, tick = vehicle
    assert tick()[0]["commands"][0]["linear_mps"] == 1.0
    stack.kill()
    assert bridge.call("stack", own="gone", all_running=False)["ok"]
    assert tick()[0]["commands"] == []
    limit = {"route": "command", "fault": "limit"}
    assert bridge.call("fault", parameters={"max_linear_mps": 0.3}, **limit)["ok"]
    reply, _ = tick()
    assert [command["linear_mps"] for command in reply["commands"]] == [0.3]
    assert reply["published"]["/ugv1/_bridge/cmd_vel"] == 1
    assert tick()[0]["commands"] == []
    assert bridge.call("fault", parameters=None, **limit)["ok"]
    assert [command["linear_mps"] for command in tick()[0]["commands"]] == [1.0]


def test_a_drive_that_gets_no_new_command_is_limited_too(
    start_bridge, start_stack, simulator, manifest_data
):
    manifest_data["lockstep"]["nodes"] = ["planner_server"]
    bridge = start_bridge(manifest=manifest_data)
    start_stack(command=COMMAND | {"until_ns": TICK_NS})
    assert bridge.call("arm", timeout_s=30.0)["ok"]

    def commands(tick):
        reply = bridge.call("tick", time_ns=tick * TICK_NS, frames={}, timeout_s=5.0)
        return [command["linear_mps"] for command in reply["commands"]]

    assert commands(1) == [1.0]
    assert commands(2) == []
    fault = {"route": "command", "fault": "limit", "parameters": {"max_linear_mps": 0.3}}
    assert bridge.call("fault", **fault)["time_ns"] == 2 * TICK_NS
    assert commands(3) == [0.3]
    assert commands(4) == []


@pytest.mark.parametrize("ends", ["pause", "kill"])
def test_the_reader_of_another_vehicle_that_cannot_answer_holds_nobody_up(
    vehicle, start_stack, ends
):
    bridge, stack, tick = vehicle
    topics = {"/ugv1/odom": TOPICS["odom"]}
    other = start_stack("follower", namespace="/ugv2", topics=topics, ack="/ugv1/tick_done")
    while not other.has_more():  # bounded by the test's own limit: it is still starting
        assert tick()[0]["ok"]
    getattr(other, ends)()
    assert bridge.call("stack", own="running", all_running=False)["ok"]
    for _ in range(LONG):
        reply, time_ns = tick()
        assert reply["ok"], reply
        assert reply["acks"] == ["planner_server"]
    scans = [row for row in stack.received(time_ns) if row["topic"] == "scan"]
    assert len(scans) == time_ns // TICK_NS // 2  # its own software misses nothing
    if ends == "pause":
        other.resume()
        assert bridge.call("stack", own="running", all_running=True)["ok"]
        reply, time_ns = tick()
        assert reply["ok"], reply
        newest = other.received(time_ns)[-1]["message"]["header"]["stamp"]
        assert time_ns - TICK_NS < newest["sec"] * 1_000_000_000 + newest["nanosec"] <= time_ns


def test_the_reader_of_another_vehicle_is_waited_for_while_all_can_answer(vehicle, start_stack):
    _, _, tick = vehicle
    topics = {"/ugv1/odom": TOPICS["odom"]}
    other = start_stack("follower", namespace="/ugv2", topics=topics, ack="/ugv1/tick_done")
    while not other.has_more():  # bounded by the test's own limit: it is still starting
        assert tick()[0]["ok"]
    other.pause()
    reply, _ = tick(timeout_s=0.5)
    assert (reply["ok"], reply["code"], reply["topics"]) == (
        False,
        "delivery_timeout",
        ["/ugv1/odom"],
    )
    assert "/ugv2/follower" in reply["message"]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"own": "asleep", "all_running": True},
        {"own": "running"},
        {"own": "running", "all_running": 1},
    ],
)
def test_a_stack_state_that_makes_no_sense_is_refused(start_bridge, fields):
    reply = start_bridge().call("stack", **fields)
    assert (reply["ok"], reply["code"]) == (False, "bad_request")
    assert "running, paused, gone" in reply["message"]


def test_nobody_is_waited_for_where_time_runs_free(start_bridge):
    reply = start_bridge(mode="sim").call("stack", own="paused", all_running=False)
    assert (reply["ok"], reply["code"]) == (False, "not_lockstep")
