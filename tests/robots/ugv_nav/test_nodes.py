"""The four nodes as processes of their own, against a kinematic vehicle, tick by tick.

Proves the topics, the action, the lifecycle and the acknowledgement, and that equal worlds give
equal commands. Not proved here: physics, and the bridge's own topics.
"""

import array
import hashlib
import math
import os
import pathlib
import signal
import struct
import subprocess
import sys
import time

import pytest

rclpy = pytest.importorskip("rclpy", reason="the nodes were not run: no rclpy here")
nav2 = pytest.importorskip("nav2_msgs.action", reason="the nodes were not run: no nav2_msgs here")

from action_msgs.msg import GoalStatus  # noqa: E402
from geometry_msgs.msg import TransformStamped, Twist  # noqa: E402
from lifecycle_msgs.msg import Transition  # noqa: E402
from lifecycle_msgs.srv import ChangeState, GetState  # noqa: E402
from nav_msgs.msg import OccupancyGrid, Odometry, Path  # noqa: E402
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue  # noqa: E402
from rcl_interfaces.srv import SetParameters  # noqa: E402
from rclpy.action import ActionClient  # noqa: E402
from rclpy.duration import Duration  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from sensor_msgs.msg import LaserScan  # noqa: E402
from std_msgs.msg import Bool, Header  # noqa: E402
from tf2_msgs.msg import TFMessage  # noqa: E402

from fieldproof.backends import claim_domain  # noqa: E402
from ugv_nav._ticked import _drain, _Held  # noqa: E402

pytestmark = pytest.mark.ros

NODES = ("planner_server", "controller_server", "bt_navigator", "link_monitor")
TICK_NS = 50_000_000
SECOND = 1_000_000_000
PATIENCE_S = 20.0
REPOSITORY = pathlib.Path(__file__).parents[3]
# Read when the process makes its first participant, so set before any test runs: without it a
# writer that waits for acknowledgements waits for the middleware's heartbeat of 3 s.
os.environ.update(
    FASTRTPS_DEFAULT_PROFILES_FILE=str(REPOSITORY / "lib/fieldproof/backends/dds_profile.xml"),
    FASTDDS_BUILTIN_TRANSPORTS="UDPv4",
    ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST",
)
LATCHED = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Bench:
    """Starts the stack and plays simulator, bridge and operator for it."""

    def __init__(self, plane, domain, parameters=()):
        self.plane = plane
        self.now_ns = 0
        self.commands = []
        self.plans = []
        self.link_states = []
        self.costmaps = []
        self.heartbeat = False
        self.acks = {}
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
            "ROS_DOMAIN_ID": str(domain),
        }
        arguments = ["-r", "__ns:=/ugv1", "-p", "use_sim_time:=true"]
        arguments += ["-r", "/tf:=tf", "-r", "/tf_static:=tf_static"]
        self.processes = {
            name: subprocess.Popen(
                [sys.executable, "-m", f"ugv_nav.{name}", "--ros-args", *arguments]
                + [part for node, text in parameters if node == name for part in ("-p", text)],
                env=environment,
            )
            for name in NODES
        }
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node("bench", namespace="/ugv1", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        make = self.node.create_publisher
        self.clock = make(Clock, "/clock", 10)
        self.scan = make(LaserScan, "scan", 10)
        self.odom = make(Odometry, "odom", 20)
        self.beat = make(Header, "ground_heartbeat", 10)
        self.frames = make(TFMessage, "tf_static", LATCHED)
        mount = TransformStamped(child_frame_id="lidar_link")
        mount.header.frame_id = "base_link"
        mount.transform.translation.x = 0.1
        self.frames.publish(TFMessage(transforms=[mount]))
        self.node.create_subscription(Header, "tick_done", self._note_ack, 1000)
        held = _Held()
        self.inlets = [
            (self.node.create_subscription(kind, topic, print, 1000, callback_group=held), kept)
            for topic, kind, kept in (
                ("cmd_vel", Twist, self.commands),
                ("plan", Path, self.plans),
                ("link_state", Bool, self.link_states),
                ("costmap", OccupancyGrid, self.costmaps),
            )
        ]
        self.client = ActionClient(self.node, nav2.NavigateToPose, "navigate_to_pose")
        self.feedback = []

    def _note_ack(self, header):
        stamp_ns = header.stamp.sec * SECOND + header.stamp.nanosec
        self.acks[header.frame_id] = max(self.acks.get(header.frame_id, -1), stamp_ns)

    def spin_until(self, is_done, what):
        deadline = time.monotonic() + PATIENCE_S
        while not is_done():
            assert time.monotonic() < deadline, f"waited {PATIENCE_S} s for {what}"
            for name, process in self.processes.items():
                assert process.poll() is None, f"{name} ended with {process.returncode}"
            self.executor.spin_once(timeout_sec=0.02)

    def arm(self):
        clock = Clock()

        def all_at_zero():
            if len(self.acks) == len(NODES):
                return True
            self.clock.publish(clock)
            return False

        self.spin_until(all_at_zero, "time 0 acknowledged")

    def _publish_sensors(self):
        plane = self.plane
        sec, nanosec = divmod(self.now_ns, SECOND)
        message = Odometry(child_frame_id="base_link")
        message.header.frame_id = "odom"
        message.header.stamp.sec, message.header.stamp.nanosec = sec, nanosec
        message.pose.pose.position.x = plane.pose.x_m
        message.pose.pose.position.y = plane.pose.y_m
        message.pose.pose.orientation.z = math.sin(plane.pose.yaw_rad / 2)
        message.pose.pose.orientation.w = math.cos(plane.pose.yaw_rad / 2)
        message.twist.twist.linear.x = plane.speed
        message.twist.twist.angular.z = plane.rate
        self.odom.publish(message)
        used = [self.odom]
        if self.now_ns % (2 * TICK_NS) == 0:
            scan = LaserScan(range_min=0.12, range_max=12.0, angle_min=-math.pi)
            scan.header.frame_id = "lidar_link"
            scan.header.stamp.sec, scan.header.stamp.nanosec = sec, nanosec
            ranges = plane.look()
            scan.angle_increment = 2 * math.pi / ranges.size
            scan.ranges = array.array("f", ranges.tolist())
            self.scan.publish(scan)
            used.append(self.scan)
        if self.heartbeat and self.now_ns % (10 * TICK_NS) == 0:
            self.beat.publish(Header())
            used.append(self.beat)
        for publisher in used:
            assert publisher.wait_for_all_acked(Duration(seconds=5.0))

    def tick(self):
        self.now_ns += TICK_NS
        last = self.commands[-1] if self.commands else Twist()
        self.plane.move(last.linear.x, last.angular.z, TICK_NS / SECOND)
        self._publish_sensors()
        clock = Clock()
        clock.clock.sec, clock.clock.nanosec = divmod(self.now_ns, SECOND)
        self.clock.publish(clock)
        self.spin_until(
            lambda: all(self.acks.get(name, -1) >= self.now_ns for name in NODES),
            f"tick {self.now_ns} acknowledged",
        )
        # All of it was delivered before the acknowledgements.
        for subscription, kept in self.inlets:
            kept.extend(_drain(subscription))

    def ticks(self, seconds):
        for _ in range(round(seconds * SECOND / TICK_NS)):
            self.tick()

    def wait(self, future, what):
        self.spin_until(future.done, what)
        return future.result()

    def send_goal(self, x_m, y_m, frame_id="map"):
        goal = nav2.NavigateToPose.Goal()
        goal.pose.header.frame_id = frame_id
        goal.pose.pose.position.x, goal.pose.pose.position.y = x_m, y_m
        self.spin_until(self.client.server_is_ready, "the action server")
        handle = self.wait(
            self.client.send_goal_async(goal, feedback_callback=self.feedback.append), "acceptance"
        )
        if not handle.accepted:
            return handle, None
        result = handle.get_result_async()
        return handle, result

    def drive_to_end(self, result, limit_s=60.0):
        """Tick until the result is there and return it."""
        limit_ns = self.now_ns + round(limit_s * SECOND)
        while not result.done():
            assert self.now_ns < limit_ns, "the drive did not end"
            self.tick()
        return result.result()

    def call(self, service_type, name, request):
        client = self.node.create_client(service_type, name)
        self.spin_until(client.service_is_ready, name)
        return self.wait(client.call_async(request), name)

    def change_state(self, transition_id):
        request = ChangeState.Request(transition=Transition(id=transition_id))
        return self.call(ChangeState, "bt_navigator/change_state", request).success

    def state(self):
        return self.call(GetState, "bt_navigator/get_state", GetState.Request()).current_state.label

    def set_timeout(self, value):
        parameter = Parameter(name="loss_timeout_s", value=value)
        request = SetParameters.Request(parameters=[parameter])
        return self.call(SetParameters, "link_monitor/set_parameters", request).results[0]

    def digest(self):
        """Return a digest of every command, bit by bit."""
        sha = hashlib.sha256()
        for command in self.commands:
            sha.update(struct.pack("<dd", command.linear.x, command.angular.z))
        return sha.hexdigest()

    def close(self):
        for process in self.processes.values():
            process.send_signal(signal.SIGTERM)
        codes = {}
        for name, process in self.processes.items():
            try:
                codes[name] = process.wait(timeout=5.0)
            except subprocess.TimeoutExpired:
                process.kill()
                codes[name] = f"killed, {process.wait()}"
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)
        return codes


@pytest.fixture
def start(make_plane):
    """Starts benches one after another; stops what a test has left."""
    claim = claim_domain()
    benches = []

    def begin(seed=0, **options):
        bench = Bench(make_plane(seed), claim.number, **options)
        benches.append(bench)
        bench.arm()
        return bench

    yield begin
    for bench in benches:
        if bench.context.ok():
            bench.close()
    claim.release()


def test_a_goal_through_the_door_succeeds_and_the_vehicle_stands(start):
    bench = start()
    bench.ticks(0.5)
    _, result = bench.send_goal(4.5, 0.0)
    ended = bench.drive_to_end(result)
    assert ended.status == GoalStatus.STATUS_SUCCEEDED
    assert bench.plane.pose.distance_to(4.5, 0.0) < 0.15
    assert abs(bench.plane.speed) < 0.02
    assert bench.now_ns < 15 * SECOND
    bench.ticks(0.3)
    assert bench.plans[-1].poses == []
    rate_hz = sum(1 for plan in bench.plans if plan.poses) / (bench.now_ns / SECOND)
    assert rate_hz > 1.5
    assert bench.feedback[0].feedback.distance_remaining > 4.0
    assert bench.feedback[-1].feedback.distance_remaining < 0.5
    assert len(bench.costmaps) >= bench.now_ns // SECOND - 1
    assert bench.state() == "active"
    assert set(bench.close().values()) == {0}


def test_equal_worlds_give_equal_commands_and_a_crate_is_passed(start):
    digests, tracks = [], []
    for _ in range(2):
        bench = start(3)
        bench.ticks(0.2)
        _, result = bench.send_goal(4.5, 0.0)
        while bench.plane.pose.x_m < 0.5:
            bench.tick()
        bench.plane.add_box(bench.plane.pose.x_m + 1.7, 0.0, 0.6, 0.6)
        clearance_m = math.inf
        while not result.done():
            assert bench.now_ns < 60 * SECOND
            bench.tick()
            clearance_m = min(clearance_m, bench.plane.clearance())
        assert result.result().status == GoalStatus.STATUS_SUCCEEDED
        assert clearance_m >= 0.1
        digests.append(bench.digest())
        tracks.append((bench.now_ns, bench.plane.pose))
        bench.close()
    assert digests[0] == digests[1]
    assert tracks[0] == tracks[1]


def test_a_cancelled_goal_ends_cancelled_and_the_vehicle_brakes(start):
    bench = start()
    bench.ticks(0.2)
    handle, result = bench.send_goal(4.5, 0.0)
    bench.ticks(2.0)
    assert bench.plane.speed > 0.3
    bench.wait(handle.cancel_goal_async(), "the cancellation")
    assert bench.drive_to_end(result, 1.0).status == GoalStatus.STATUS_CANCELED
    bench.ticks(2.0)
    assert abs(bench.plane.speed) < 0.01


def test_a_goal_without_a_path_is_aborted(start):
    bench = start(parameters=[("bt_navigator", "path_timeout_s:=2.0")])
    bench.plane.add_box(0.0, 0.0, 5.0, 4.0)
    bench.ticks(0.2)
    _, result = bench.send_goal(6.0, 0.0)
    ended = bench.drive_to_end(result, 10.0)
    assert ended.status == GoalStatus.STATUS_ABORTED
    assert ended.result.error_code == 208
    assert bench.plane.clearance() > 0.1


def test_a_newer_goal_ends_the_older_one(start):
    bench = start()
    bench.ticks(0.2)
    _, first = bench.send_goal(4.5, 0.0)
    bench.ticks(1.0)
    _, second = bench.send_goal(1.5, 0.0)
    bench.ticks(0.2)
    assert first.done()
    assert first.result().status == GoalStatus.STATUS_ABORTED
    assert bench.drive_to_end(second).status == GoalStatus.STATUS_SUCCEEDED


def test_only_an_active_navigator_accepts_goals(start):
    bench = start(parameters=[("bt_navigator", "autostart:=false")])
    assert bench.state() == "unconfigured"
    assert bench.change_state(Transition.TRANSITION_CONFIGURE)
    bench.ticks(0.1)
    handle, _ = bench.send_goal(4.5, 0.0)
    assert not handle.accepted
    assert bench.change_state(Transition.TRANSITION_ACTIVATE)
    handle, _ = bench.send_goal(4.5, 0.0, frame_id="elsewhere")
    assert not handle.accepted
    _, result = bench.send_goal(4.5, 0.0)
    bench.ticks(1.0)
    assert bench.change_state(Transition.TRANSITION_DEACTIVATE)
    assert bench.wait(result, "the result").status == GoalStatus.STATUS_ABORTED
    assert bench.state() == "inactive"


def test_an_impossible_transition_does_not_end_the_navigator(start):
    bench = start()
    client = bench.node.create_client(ChangeState, "bt_navigator/change_state")
    bench.spin_until(client.service_is_ready, "the lifecycle services")
    # rclpy does not answer such a request.
    client.call_async(ChangeState.Request(transition=Transition(id=Transition.TRANSITION_CLEANUP)))
    assert bench.state() == "active"


def test_the_vehicle_holds_while_the_link_is_lost_and_goes_on_after(start):
    bench = start()
    bench.ticks(0.2)
    assert not any(state.data for state in bench.link_states)
    bench.heartbeat = True
    _, result = bench.send_goal(4.5, 0.0)
    bench.ticks(2.0)
    assert bench.plane.speed > 0.3
    bench.heartbeat = False
    bench.ticks(4.0)
    assert bench.link_states[-1].data
    assert abs(bench.plane.speed) < 0.01
    assert not result.done()
    bench.heartbeat = True
    assert bench.drive_to_end(result).status == GoalStatus.STATUS_SUCCEEDED
    assert not bench.link_states[-1].data


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan, 1e9])
def test_a_useless_loss_timeout_is_refused(start, seconds):
    bench = start()
    answer = bench.set_timeout(
        ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=seconds)
    )
    assert not answer.successful
    assert "loss_timeout_s" in answer.reason


def test_a_shorter_loss_timeout_counts_from_the_next_tick(start):
    bench = start()
    bench.heartbeat = True
    bench.ticks(1.0)
    bench.heartbeat = False
    bench.ticks(1.0)
    assert not bench.link_states[-1].data
    answer = bench.set_timeout(
        ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=0.5)
    )
    assert answer.successful
    bench.ticks(0.2)
    assert bench.link_states[-1].data
