"""Faults of a real bridge, seen by a real node on the topics that they are put on."""

import math

import pytest

from fieldproof.backends import claim_domain
from fieldproof_bridge._readings import inertial

from .conftest import ROBOT, reference_manifest
from .desks import make_desk
from .peer import (
    TICK_NS,
    BridgeProcess,
    PeerSimulator,
    StackProcess,
    address,
    payload,
    sensor_frames,
)

pytest.importorskip("rclpy", reason="not proved without rclpy: faults on ROS topics")
pytest.importorskip("tf2_msgs", reason="not proved without tf2_msgs: faults on ROS topics")
pytestmark = pytest.mark.ros

S = 1_000_000_000
SEED = 5
TOPICS = {
    "scan": "sensor_msgs/msg/LaserScan",
    "imu/data": "sensor_msgs/msg/Imu",
    "gps/fix": "sensor_msgs/msg/NavSatFix",
    "odom": "nav_msgs/msg/Odometry",
    "joint_states": "sensor_msgs/msg/JointState",
    "battery_state": "sensor_msgs/msg/BatteryState",
    "tf": "tf2_msgs/msg/TFMessage",
    "cmd_vel": "geometry_msgs/msg/Twist",
    "_bridge/cmd_vel": "geometry_msgs/msg/Twist",
    "_bridge/faults": "fieldproof_msgs/msg/InjectorState",
}
COMMAND = {"topic": "cmd_vel", "type": "geometry_msgs/msg/Twist", "linear": 1.0, "angular": -0.5}
ROUTES = {
    "lidar": ["scan"],
    "imu": ["imu/data"],
    "gps": ["gps/fix"],
    "odometry": ["odom", "tf"],
    "joint_states": ["joint_states"],
    "battery": ["battery_state"],
}


class Drive:
    """A vehicle in lockstep, moved on by the test; what its software received, by topic."""

    def __init__(self, folder, domain):
        self.simulator = PeerSimulator()
        manifest = reference_manifest()
        manifest["lockstep"]["nodes"] = ["planner_server"]
        manifest["power"]["battery"]["rate_hz"] = 10.0  # the slowest by far
        config = {
            "vehicle": "ugv1",
            "namespace": "ugv1",
            "manifest": manifest,
            "urdf": str(ROBOT / "ugv_ref.urdf"),
            "sim": {"control": self.simulator.control, "publish": self.simulator.publish_address},
            "control": address("bridge"),
            "clock": True,
            "mode": "lockstep",
            "tick_ns": TICK_NS,
            "seed": SEED,
        }
        self.bridge = BridgeProcess(config, folder, domain)
        options = {"node": "planner_server", "namespace": "/ugv1", "ack": "tick_done"}
        self.stack = StackProcess(domain, topics=TOPICS, command=COMMAND, **options)
        self.time_ns = 0
        assert self.bridge.call("arm", timeout_s=30.0)["ok"]
        self.reply = self.bridge.call("still", timeout_s=5.0)
        assert self.reply["ok"]

    def go(self, seconds=0.05):
        """Let time pass; messages by topic, in the order in which they came."""
        here = {topic: [] for topic in TOPICS}
        for _ in range(round(seconds * S / TICK_NS)):
            self.time_ns += TICK_NS
            frames = sensor_frames(self.simulator, "ugv1", self.time_ns)
            self.reply = self.bridge.call(
                "tick", time_ns=self.time_ns, frames=frames, timeout_s=10.0
            )
            assert self.reply["ok"], self.reply
            for row in self.stack.received(self.time_ns):
                here[row["topic"]].append(row["message"])
        return here

    def fault(self, route, fault, parameters):
        reply = self.bridge.call("fault", route=route, fault=fault, parameters=parameters)
        assert reply["ok"], reply
        assert reply["time_ns"] == self.time_ns
        return reply["parameters"]

    def during(self, route, fault, parameters, seconds=0.2):
        """What comes while a fault acts; it is lifted afterwards."""
        self.fault(route, fault, parameters)
        here = self.go(seconds)
        self.fault(route, fault, None)
        return here

    def close(self):
        self.stack.stop()
        self.bridge.stop()
        self.simulator.close()


@pytest.fixture(scope="module")
def drive(tmp_path_factory):
    claim = claim_domain()  # it outlives a test: others have clocks of their own
    whole = Drive(tmp_path_factory.mktemp("drive"), claim.number)
    yield whole
    whole.close()
    claim.release()


def stamp_ns(message):
    stamp = message.get("header", message.get("transforms", [{}])[0].get("header"))["stamp"]
    return stamp["sec"] * S + stamp["nanosec"]


def test_a_denied_receiver_says_that_it_has_no_fix_and_has_one_again(drive):
    fixes = drive.during("gps", "deny", {}, seconds=0.4)["gps/fix"]
    assert len(fixes) == 2
    for fix in fixes:
        assert fix["status"]["status"] == -1
        assert all(math.isnan(fix[key]) for key in ("latitude", "longitude", "altitude"))
        assert fix["position_covariance_type"] == 0
        assert fix["position_covariance"] == [0.0] * 9
    (fix,) = drive.go(0.2)["gps/fix"]
    assert (fix["status"]["status"], fix["longitude"]) == (0, 11.0)
    assert fix["position_covariance_type"] == 2


def test_a_fix_moves_by_metres(drive):
    (fix,) = drive.during("gps", "offset", {"east_m": 100.0, "up_m": 3.0})["gps/fix"]
    latitude = 48.0 + stamp_ns(fix) / S
    assert fix["latitude"] == latitude
    east_m = math.radians(fix["longitude"] - 11.0) * math.cos(math.radians(latitude)) * 6_391_000
    assert east_m == pytest.approx(100.0, rel=2e-3)
    assert fix["altitude"] == 503.0
    assert drive.go(0.2)["gps/fix"][0]["longitude"] == 11.0


def test_a_bias_is_on_every_message_of_the_imu(drive):
    bias = {"gyro_radps": [0.0, 0.0, 0.5], "accel_mps2": [1.0, 0.0, 0.0]}
    messages = drive.during("imu", "bias", bias)["imu/data"]
    assert len(messages) == 20
    for message in messages:
        assert message["angular_velocity"]["z"] == pytest.approx(0.6)
        assert message["linear_acceleration"]["x"] == 1.0
    assert drive.go()["imu/data"][0]["angular_velocity"]["z"] == 0.1


@pytest.mark.parametrize("route", ROUTES)
def test_a_silent_route_is_silent_on_each_of_its_topics_and_no_other(drive, route):
    here = drive.during(route, "dropout", {})
    assert {topic for topic in TOPICS if not here[topic]} == set(ROUTES[route])
    after = drive.go(0.2)
    assert all(after[topic] for topic in TOPICS)


@pytest.mark.parametrize("route", ROUTES)
def test_a_frozen_route_repeats_its_last_message_on_each_of_its_topics(drive, route):
    before = drive.go(0.2)
    here = drive.during(route, "freeze", {})
    after = drive.go(0.2)
    for topic in ROUTES[route]:
        assert len(here[topic]) == len(before[topic])
        assert all(str(message) == str(before[topic][-1]) for message in here[topic])
        assert stamp_ns(after[topic][0]) > drive.time_ns - 0.2 * S


def test_noise_on_a_topic_is_what_the_seed_makes_of_the_readings(drive, manifest_data):
    desk = make_desk(manifest_data, seed=SEED)
    desk.change("imu", "noise", {"gyro_radps": 0.2}, 0)
    messages = drive.during("imu", "noise", {"gyro_radps": 0.2})["imu/data"]
    for message in messages:
        time_ns = stamp_ns(message)
        reading = inertial({"time_ns": time_ns} | payload("imu", time_ns))
        noisy = desk.routes["imu"].pass_through(reading, time_ns)
        assert noisy.angular_velocity != reading.angular_velocity
        assert tuple(message["angular_velocity"].values()) == noisy.angular_velocity
        assert message["linear_acceleration"]["z"] == 9.81


@pytest.mark.parametrize(
    ("route", "parameters", "topic", "measured"),
    [
        ("lidar", {"range_m": 0.1}, "scan", lambda m: m["ranges"][0]),
        ("gps", {"vertical_m": 0.1}, "gps/fix", lambda m: m["altitude"]),
        ("odometry", {"linear_mps": 0.1}, "odom", lambda m: m["twist"]["twist"]["linear"]["x"]),
    ],
)
def test_noise_is_drawn_anew_for_each_message(drive, route, parameters, topic, measured):
    here = drive.during(route, "noise", parameters, seconds=1.0)[topic]
    noisy = {measured(message) for message in here}
    assert len(noisy) == len(here)
    plain = {measured(message) for message in drive.go(0.2)[topic]}
    assert len(plain) == 1
    assert all(abs(value - next(iter(plain))) < 1.0 for value in noisy)


def test_a_battery_falls_in_simulation_time_and_stays_down(drive):
    drive.go((-drive.time_ns % (S // 10)) / S)
    drive.fault("battery", "drain", {"to_pct": 20.0, "duration_s": 0.4})
    messages = drive.go(0.6)["battery_state"]
    shares = [message["percentage"] for message in messages]
    assert shares == pytest.approx([0.8, 0.6, 0.4, 0.2, 0.2, 0.2])
    assert [message["power_supply_status"] for message in messages] == [2, 2, 2, 3, 3, 3]
    assert messages[0]["voltage"] == pytest.approx(21.0 + 0.8 * 4.2)
    assert messages[-1]["charge"] == pytest.approx(4.0)
    drive.fault("battery", "drain", None)
    assert drive.go(0.1)["battery_state"][0]["percentage"] == 1.0


def test_a_limited_drive_is_told_less_than_the_software_says(drive):
    drive.go(0.1)
    drive.fault("command", "limit", {"max_linear_mps": 0.2})
    drive.go()
    assert drive.reply["commands"] == [
        {"vehicle": "ugv1", "linear_mps": 0.2, "angular_radps": -0.5}
    ]
    here = drive.go()
    assert [message["linear"]["x"] for message in here["cmd_vel"]] == [0.5, 1.0]
    (told,) = here["_bridge/cmd_vel"]
    assert (told["linear"]["x"], told["angular"]["z"]) == (0.2, -0.5)
    drive.fault("command", "limit", None)
    drive.go()
    assert drive.reply["commands"][0]["linear_mps"] == 1.0


@pytest.mark.parametrize(("fault", "commands"), [("dropout", []), ("freeze", [1.0])])
def test_a_command_that_is_lost_or_late_leaves_the_drive_with_the_last_one(drive, fault, commands):
    drive.go(0.1)
    drive.fault("command", fault, {})
    drive.go()
    assert [command["linear_mps"] for command in drive.reply["commands"]] == commands
    drive.fault("command", fault, None)
    assert drive.go()["cmd_vel"]


def test_faults_act_together_and_are_told_in_the_order_they_act_in(drive):
    drive.fault("gps", "deny", {})
    drive.fault("gps", "offset", {"up_m": 1.0})
    here = drive.go(0.2)
    assert [(state["route"], state["faults"]) for state in here["_bridge/faults"][-2:]] == [
        ("gps", ["deny"]),
        ("gps", ["offset", "deny"]),
    ]
    assert math.isnan(here["gps/fix"][0]["altitude"])
    drive.fault("gps", "deny", None)
    assert drive.go(0.2)["gps/fix"][0]["altitude"] == 501.0
    drive.fault("gps", "offset", None)
    (state,) = drive.go()["_bridge/faults"]
    assert (state["route"], state["faults"]) == ("gps", [])
    assert stamp_ns(state) == drive.time_ns - TICK_NS


def test_a_fault_acts_until_its_last_holder_lifts_it(drive):
    drive.go(0.2)
    for holder, parameters in (("a", {}), ("b", {}), ("a", None)):
        request = {"route": "gps", "fault": "deny", "parameters": parameters, "holder": holder}
        assert drive.bridge.call("fault", **request)["ok"]
    here = drive.go(0.2)
    assert [state["faults"] for state in here["_bridge/faults"]] == [["deny"]] * 3
    assert here["gps/fix"][0]["status"]["status"] == -1
    assert drive.bridge.call("fault", **request | {"holder": "b"})["ok"]
    assert drive.go(0.2)["gps/fix"][0]["status"]["status"] == 0


def test_the_charge_is_told_for_the_moment_it_is_asked_at(drive):
    drive.go()
    assert drive.bridge.call("charge")["percent"] == 100.0
    drive.fault("battery", "drain", {"to_pct": 0.0, "duration_s": 1.0})
    drive.go(0.25)
    reply = drive.bridge.call("charge")
    assert (reply["time_ns"], reply["percent"]) == (drive.time_ns, pytest.approx(75.0))
    drive.fault("battery", "drain", None)


def test_a_fault_told_between_ticks_counts_as_published_with_the_next(drive):
    drive.go()
    drive.fault("imu", "bias", {})
    drive.go()
    assert drive.reply["published"]["/ugv1/_bridge/faults"] == 1
    drive.fault("imu", "bias", None)


def test_who_comes_late_is_told_of_the_faults_that_act(simulator, start_bridge, start_stack):
    bridge = start_bridge(mode="sim")
    assert bridge.call("fault", route="lidar", fault="dropout", parameters={})["time_ns"] == 0
    late = start_stack("late", topics={"_bridge/faults": TOPICS["_bridge/faults"]})
    states, time_ns = [], 0
    while not states:  # bounded by the test's own limit: the node is still starting
        time_ns += TICK_NS
        simulator.frame("clock", time_ns, paused=False, rtf=1.0)
        assert bridge.call("hello")["ok"]
        while late.has_more():
            states += [row["message"] for row in late.row()["received"]]
    assert [(state["route"], state["faults"]) for state in states] == [("lidar", ["dropout"])]


@pytest.mark.parametrize(
    ("request_", "code", "said"),
    [
        ({"route": "radar", "fault": "deny", "parameters": {}}, "unknown_route", "known: lidar"),
        ({"route": "imu", "fault": "deny", "parameters": {}}, "unknown_fault", "has: bias, noise"),
        ({"route": "imu", "fault": "freeze"}, "bad_request", "null to lift"),
        ({"route": "imu", "fault": "freeze", "parameters": 1}, "bad_request", "must be a map"),
        ({}, "bad_request", "parameters"),
        (
            {"route": "imu", "fault": "freeze", "parameters": None, "holder": "jam#2"},
            "not_held",
            "imu has no freeze that jam#2 could lift",
        ),
        (
            {"route": "imu", "fault": "dropout", "parameters": {"probability": 2}},
            "bad_request",
            "imu dropout: probability must be at most 1 (got 2)",
        ),
    ],
)
def test_a_fault_that_is_refused_changes_nothing(drive, request_, code, said):
    drive.go()
    reply = drive.bridge.call("fault", **request_)
    assert (reply["ok"], reply["code"]) == (False, code)
    assert said in reply["message"]
    here = drive.go()
    assert "/ugv1/_bridge/faults" not in drive.reply["published"]
    assert len(here["imu/data"]) == 5
