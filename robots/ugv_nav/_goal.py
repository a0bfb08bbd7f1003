"""Judging a drive to a goal: still going, arrived, or hopeless."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from ugv_nav._geometry import Pose2, wrap_angle


class Outcome(enum.Enum):
    """How a drive to a goal stands."""

    RUNNING = "running"
    ARRIVED = "arrived"
    NO_PATH = "no path to the goal"
    NO_PROGRESS = "no progress towards the goal"
    NO_ODOMETRY = "no odometry"


@dataclass(frozen=True, slots=True)
class GoalSettings:
    """When a drive ends.

    Attributes:
        distance_m: the goal's position is reached within this distance.
        yaw_rad: the goal's heading is reached within this angle.
        still_mps: slower than this, the vehicle stands.
        still_radps: turning slower than this, it stands.
        still_ns: how long it must stand at the goal.
        path_timeout_ns: how long there may be no path.
        progress_timeout_ns: how long the vehicle may stay within the two bounds below.
        progress_m: a move that counts as progress.
        progress_rad: a turn that counts as progress.
        odometry_timeout_ns: how long the pose may be unknown.
    """

    distance_m: float = 0.15
    yaw_rad: float = 0.1
    still_mps: float = 0.02
    still_radps: float = 0.05
    still_ns: int = 200_000_000
    path_timeout_ns: int = 10_000_000_000
    progress_timeout_ns: int = 30_000_000_000
    progress_m: float = 0.2
    progress_rad: float = 0.3
    odometry_timeout_ns: int = 5_000_000_000


@dataclass(frozen=True, slots=True)
class Motion:
    """Where the vehicle is and how it moves, in the goal's frame."""

    pose: Pose2
    linear_mps: float
    angular_radps: float


class GoalJudge:
    """Follows one drive from its start to its outcome."""

    def __init__(self, goal: Pose2, start_ns: int, settings: GoalSettings) -> None:
        self._goal = goal
        self._settings = settings
        self._still_since_ns: int | None = None
        self._path_ns = start_ns
        self._motion_ns = start_ns
        self._progress_ns = start_ns
        self._progress_pose: Pose2 | None = None

    def judge(
        self, now_ns: int, motion: Motion | None, *, has_path: bool, is_held: bool
    ) -> Outcome:
        """Return how the drive stands at this tick.

        Args:
            now_ns: the time.
            motion: the newest known motion, None if it is unknown or old.
            has_path: whether the planner's latest answer leads to the goal.
            is_held: whether the vehicle waits for its ground link; such time is not counted.
        """
        settings = self._settings
        if is_held:
            self._path_ns = self._progress_ns = now_ns
        if has_path:
            self._path_ns = now_ns
        if motion is None:
            self._still_since_ns = None
            lost = now_ns - self._motion_ns >= settings.odometry_timeout_ns
            return Outcome.NO_ODOMETRY if lost else Outcome.RUNNING
        self._motion_ns = now_ns
        self._note_progress(now_ns, motion.pose)
        if self._has_arrived(now_ns, motion):
            return Outcome.ARRIVED
        if now_ns - self._path_ns >= settings.path_timeout_ns:
            return Outcome.NO_PATH
        if now_ns - self._progress_ns >= settings.progress_timeout_ns:
            return Outcome.NO_PROGRESS
        return Outcome.RUNNING

    def _note_progress(self, now_ns: int, pose: Pose2) -> None:
        last = self._progress_pose
        if (
            last is None
            or last.distance_to(pose.x_m, pose.y_m) >= self._settings.progress_m
            or abs(wrap_angle(pose.yaw_rad - last.yaw_rad)) >= self._settings.progress_rad
        ):
            self._progress_pose = pose
            self._progress_ns = now_ns

    def _has_arrived(self, now_ns: int, motion: Motion) -> bool:
        settings = self._settings
        stands_there = (
            motion.pose.distance_to(self._goal.x_m, self._goal.y_m) <= settings.distance_m
            and abs(wrap_angle(motion.pose.yaw_rad - self._goal.yaw_rad)) <= settings.yaw_rad
            and abs(motion.linear_mps) <= settings.still_mps
            and abs(motion.angular_radps) <= settings.still_radps
        )
        if not stands_there:
            self._still_since_ns = None
            return False
        if self._still_since_ns is None:
            self._still_since_ns = now_ns
        return now_ns - self._still_since_ns >= settings.still_ns
