"""The NavigateToPose action, offered by a managed node."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from geometry_msgs.msg import PoseArray, PoseStamped
from nav2_msgs.action import NavigateToPose
from nav_msgs.msg import Odometry, Path
from rclpy.action.server import ActionServer, CancelResponse, GoalResponse
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from rclpy.task import Future
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage

from ugv_nav._frames import StaticFrames
from ugv_nav._geometry import Pose2, advance
from ugv_nav._goal import GoalJudge, GoalSettings, Motion, Outcome
from ugv_nav._main import run_node
from ugv_nav._messages import (
    NANO,
    note_transforms,
    read_motion,
    read_pose,
    stamp_of,
    to_stamp,
    write_pose,
)
from ugv_nav._parameters import read_number, read_period_ns
from ugv_nav._ticked import LATCHED, LATEST, Inbox, Origin, Ticked
from ugv_nav.link_monitor import LINK_LOST

if TYPE_CHECKING:
    from rclpy.lifecycle import LifecycleState

BASE, MAP, ODOM = "base_link", "map", "odom"
_STALE_NS = 500_000_000
_SLOWEST_MPS = 0.05
# As Nav2 passes them on from FollowPath (1xx) and ComputePathToPose (2xx).
_CODES = {Outcome.NO_ODOMETRY: 102, Outcome.NO_PROGRESS: 105, Outcome.NO_PATH: 208}


class _Drive:
    """One accepted goal, from the tick it takes effect to its end."""

    def __init__(self, handle: Any, goal: Pose2, now_ns: int, settings: GoalSettings) -> None:
        self.handle = handle
        self.goal = goal
        self.start_ns = now_ns
        self.judge = GoalJudge(goal, now_ns, settings)
        self._ended = Future()

    async def wait(self, _handle: Any) -> Any:
        """Return the action's result once a tick has ended the drive."""
        return await self._ended

    def end(self, code: int, message: str) -> None:
        """Let `wait` return; the handle must be in its terminal state."""
        self._ended.set_result(NavigateToPose.Result(error_code=code, error_msg=message))


class BtNavigator(LifecycleNode):
    """Takes goals, hands them to the planner and says how they ended.

    Named after the Nav2 node whose place it takes: same action, same lifecycle, no behaviour
    trees. A goal that is accepted between two ticks takes effect at the next one; a newer goal
    ends an older one as aborted. The terminal state and the result are out before the tick in
    which a drive ended is acknowledged.
    """

    def __init__(self) -> None:
        super().__init__("bt_navigator")
        self._settings = GoalSettings(
            distance_m=read_number(self, "goal_distance_m", 0.15),
            yaw_rad=read_number(self, "goal_yaw_rad", 0.1),
            path_timeout_ns=round(read_number(self, "path_timeout_s", 10.0) * NANO),
            progress_timeout_ns=round(read_number(self, "progress_timeout_s", 30.0) * NANO),
        )
        self._feedback_every_ns = round(read_number(self, "feedback_period_s", 0.5) * NANO)
        is_autostarted = bool(self.declare_parameter("autostart", True).value)
        self._server: Any = None
        self._is_active = False
        self._waiting: list[Any] = []
        self._drive: _Drive | None = None
        self._had_goal = False
        self._must_serve = False
        self._next_feedback_ns = 0
        self._frames = StaticFrames()
        self._motion: Motion | None = None
        self._motion_ns = 0
        self._path: tuple[int, int] = (0, 0)
        self._is_held = False
        self._ticked = Ticked(self, period_ns=read_period_ns(self, 0.1))
        self._ticked.subscribe("odom", Odometry, origin=Origin.SENSOR, qos=LATEST)
        self._ticked.subscribe(
            "tf_static", TFMessage, origin=Origin.SENSOR, publishers=2, qos=LATCHED
        )
        self._ticked.subscribe("plan", Path, origin=Origin.PEER)
        self._ticked.subscribe("link_status", Header, origin=Origin.PEER)
        self._goal = self._ticked.advertise("active_goal", PoseArray, subscribers=1)
        if is_autostarted:
            self.trigger_configure()
            self.trigger_activate()

    def run(self) -> None:
        """Follow the clock until shut down."""
        self._ticked.run(self._act)

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Offer the action; goals are refused until the node is active."""
        self._server = ActionServer(
            self,
            NavigateToPose,
            "navigate_to_pose",
            _never_by_default,
            goal_callback=self._consider,
            handle_accepted_callback=self._waiting.append,
            cancel_callback=_accept_cancel,
        )
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Accept goals."""
        self._is_active = True
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Refuse goals and end the drive in progress as aborted."""
        self._is_active = False
        self._end_all("the navigator was deactivated")
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Withdraw the action."""
        self._withdraw()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """End the drive in progress and withdraw the action."""
        self._is_active = False
        self._end_all("the navigator was shut down")
        self._withdraw()
        return super().on_shutdown(state)

    def _withdraw(self) -> None:
        if self._server is not None:
            self._server.destroy()
            self._server = None

    def _consider(self, request: Any) -> GoalResponse:
        """Accept a goal that this navigator can pursue; say why not otherwise."""
        problem = self._find_problem(request)
        if problem:
            self.get_logger().warning(f"goal rejected: {problem}")
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _find_problem(self, request: Any) -> str:
        pose = request.pose.pose
        q = pose.orientation
        numbers = (pose.position.x, pose.position.y, q.x, q.y, q.z, q.w)
        if not self._is_active:
            return "the node is not active"
        if request.behavior_tree:
            return "there are no behaviour trees here"
        if request.pose.header.frame_id not in ("", MAP, ODOM):
            return f"unknown frame '{request.pose.header.frame_id}' (known: {MAP}, {ODOM})"
        if not all(math.isfinite(number) for number in numbers):
            return "the pose is not finite"
        if abs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0) > 0.01:  # noqa: PLR2004
            return "the orientation is not a unit quaternion"
        return ""

    def _act(self, now_ns: int, inbox: Inbox) -> None:
        self._take_in(inbox)
        map_from_odom = self._frames.find(MAP, ODOM)
        if map_from_odom is not None:
            self._start_newest(now_ns, map_from_odom.planar())
            if self._drive is not None:
                self._pursue(self._drive, now_ns, map_from_odom.planar())
        if self._drive is not None or self._had_goal:
            self._publish_goal(now_ns)
        if self._must_serve:
            self._must_serve = False
            self._ticked.serve()

    def _take_in(self, inbox: Inbox) -> None:
        note_transforms(self._frames, inbox.all("tf_static"))
        if (odometry := inbox.newest("odom")) is not None:
            self._motion, self._motion_ns = read_motion(odometry), stamp_of(odometry)
        if (plan := inbox.newest("plan")) is not None:
            self._path = (stamp_of(plan), len(plan.poses))
        if (status := inbox.newest("link_status")) is not None:
            self._is_held = status.frame_id == LINK_LOST

    def _start_newest(self, now_ns: int, map_from_odom: Pose2) -> None:
        """Begin the newest accepted goal; it ends the ones before it."""
        if not self._waiting:
            return
        *older, newest = self._waiting
        self._waiting.clear()
        for handle in older:
            self._finish(_Drive(handle, Pose2(), now_ns, self._settings), "superseded")
        if self._drive is not None:
            self._finish(self._drive, "superseded")
        pose = newest.request.pose
        goal = read_pose(pose.pose)
        if pose.header.frame_id == ODOM:
            goal = map_from_odom.compose(goal)
        self._drive = _Drive(newest, goal, now_ns, self._settings)
        self._next_feedback_ns = now_ns
        newest.execute(self._drive.wait)
        self._must_serve = True
        self.get_logger().info(
            f"goal taken: x {goal.x_m:.2f} m, y {goal.y_m:.2f} m, yaw {goal.yaw_rad:.2f} rad"
        )

    def _pursue(self, drive: _Drive, now_ns: int, map_from_odom: Pose2) -> None:
        if drive.handle.is_cancel_requested:
            self._finish(drive, "cancelled")
            return
        motion = self._motion_at(now_ns, map_from_odom)
        path_ns, poses = self._path
        outcome = drive.judge.judge(
            now_ns,
            motion,
            has_path=path_ns > drive.start_ns and poses > 0,
            is_held=self._is_held,
        )
        if outcome is not Outcome.RUNNING:
            self._finish(drive, outcome.value, outcome=outcome)
        elif motion is not None and now_ns >= self._next_feedback_ns:
            self._next_feedback_ns = now_ns + self._feedback_every_ns
            drive.handle.publish_feedback(_feedback(drive, motion, now_ns))

    def _motion_at(self, now_ns: int, map_from_odom: Pose2) -> Motion | None:
        motion = self._motion
        if motion is None or now_ns - self._motion_ns > _STALE_NS:
            return None
        seconds = (now_ns - self._motion_ns) / NANO
        pose = advance(motion.pose, motion.linear_mps, motion.angular_radps, seconds)
        return Motion(map_from_odom.compose(pose), motion.linear_mps, motion.angular_radps)

    def _finish(self, drive: _Drive, reason: str, *, outcome: Outcome | None = None) -> None:
        """Bring a goal to its terminal state and release its result."""
        code, message = NavigateToPose.Result.NONE, reason
        handle = drive.handle
        is_started = drive is self._drive
        if not is_started:
            handle.execute(drive.wait)
        if handle.is_cancel_requested:
            handle.canceled()
        elif outcome is Outcome.ARRIVED:
            handle.succeed()
            message = ""
        else:
            handle.abort()
            code = _CODES.get(outcome, code) if outcome is not None else code
        self.get_logger().info(f"goal ended: {reason}")
        drive.end(code, message)
        self._must_serve = True
        if is_started:
            self._drive = None

    def _end_all(self, reason: str) -> None:
        """End every goal; called from a lifecycle transition, between ticks."""
        for handle in self._waiting:
            self._finish(_Drive(handle, Pose2(), self._ticked.now_ns, self._settings), reason)
        self._waiting.clear()
        if self._drive is not None:
            self._finish(self._drive, reason)

    def _publish_goal(self, now_ns: int) -> None:
        """Tell the planner the active goal, or once that there is none any more."""
        message = PoseArray()
        message.header.frame_id = MAP
        message.header.stamp = to_stamp(now_ns)
        if self._drive is not None:
            pose = PoseStamped().pose
            write_pose(pose, self._drive.goal)
            message.poses = [pose]
        self._had_goal = self._drive is not None
        self._goal.publish(message)


def _feedback(drive: _Drive, motion: Motion, now_ns: int) -> Any:
    feedback = NavigateToPose.Feedback()
    feedback.current_pose.header.frame_id = MAP
    feedback.current_pose.header.stamp = to_stamp(now_ns)
    write_pose(feedback.current_pose.pose, motion.pose)
    distance_m = motion.pose.distance_to(drive.goal.x_m, drive.goal.y_m)
    feedback.distance_remaining = distance_m
    elapsed_ns = now_ns - drive.start_ns
    feedback.navigation_time.sec, feedback.navigation_time.nanosec = divmod(elapsed_ns, NANO)
    left_ns = round(distance_m / max(motion.linear_mps, _SLOWEST_MPS) * NANO)
    remaining = feedback.estimated_time_remaining
    remaining.sec, remaining.nanosec = divmod(left_ns, NANO)
    return feedback


def _accept_cancel(_handle: Any) -> CancelResponse:
    return CancelResponse.ACCEPT


def _never_by_default(_handle: Any) -> Any:
    raise NotImplementedError("each goal brings its own callback")


def main() -> None:
    """Run the node `bt_navigator`."""
    run_node(BtNavigator, lambda node: node)


if __name__ == "__main__":
    main()
