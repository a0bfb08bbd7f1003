"""Between ROS messages and the values that the algorithms work with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path

from ugv_nav._frames import Mount, StaticFrames
from ugv_nav._geometry import Pose2, yaw_of
from ugv_nav._goal import Motion
from ugv_nav._scan import Scan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

NANO = 1_000_000_000


def to_stamp(time_ns: int) -> Time:
    """Return a time as a message."""
    return Time(sec=time_ns // NANO, nanosec=time_ns % NANO)


def stamp_of(message: Any) -> int:
    """Return the stamp of a std_msgs/Header or of a message that has one, in nanoseconds."""
    header = getattr(message, "header", message)
    return int(header.stamp.sec) * NANO + int(header.stamp.nanosec)


def read_scan(message: Any) -> Scan:
    """Return a sensor_msgs/LaserScan as a value."""
    return Scan(
        stamp_ns=stamp_of(message),
        angle_min_rad=message.angle_min,
        angle_increment_rad=message.angle_increment,
        range_min_m=message.range_min,
        range_max_m=message.range_max,
        ranges_m=np.asarray(message.ranges, dtype=np.float64),
    )


def read_pose(pose: Any) -> Pose2:
    """Return a geometry_msgs/Pose seen from above."""
    q = pose.orientation
    return Pose2(pose.position.x, pose.position.y, yaw_of(q.x, q.y, q.z, q.w))


def read_motion(message: Any) -> Motion:
    """Return a nav_msgs/Odometry as pose in its frame and speeds in the base frame."""
    twist = message.twist.twist
    return Motion(read_pose(message.pose.pose), twist.linear.x, twist.angular.z)


def note_transforms(frames: StaticFrames, messages: Iterable[Any]) -> None:
    """Add the transforms of tf2_msgs/TFMessage messages to a tree."""
    for message in messages:
        for stamped in message.transforms:
            t, q = stamped.transform.translation, stamped.transform.rotation
            frames.add(
                stamped.header.frame_id,
                stamped.child_frame_id,
                Mount((t.x, t.y, t.z), (q.x, q.y, q.z, q.w)),
            )


def write_pose(message: Any, pose: Pose2) -> None:
    """Set a geometry_msgs/Pose on the ground plane."""
    message.position.x = pose.x_m
    message.position.y = pose.y_m
    message.orientation.z = math.sin(pose.yaw_rad / 2.0)
    message.orientation.w = math.cos(pose.yaw_rad / 2.0)


def write_path(
    points: NDArray[np.float64] | None, goal_yaw_rad: float, frame_id: str, time_ns: int
) -> Path:
    """Return a path as a message, empty for None.

    Each pose looks towards the next one, the last one in the direction wanted at the goal.
    """
    message = Path()
    message.header.frame_id = frame_id
    message.header.stamp = to_stamp(time_ns)
    if points is None:
        return message
    deltas = np.diff(points, axis=0)
    yaws = [*np.arctan2(deltas[:, 1], deltas[:, 0]).tolist(), goal_yaw_rad]
    poses = []
    for (x_m, y_m), yaw_rad in zip(points.tolist(), yaws, strict=True):
        stamped = PoseStamped(header=message.header)
        write_pose(stamped.pose, Pose2(x_m, y_m, yaw_rad))
        poses.append(stamped)
    message.poses = poses
    return message


def read_path(message: Any) -> tuple[NDArray[np.float64], float] | None:
    """Return a nav_msgs/Path as points of shape (n, 2) and the final heading.

    None for fewer than two poses, which lead nowhere.
    """
    poses = [read_pose(stamped.pose) for stamped in message.poses]
    if len(poses) < 2:  # noqa: PLR2004 - a line has two ends
        return None
    return np.array([(pose.x_m, pose.y_m) for pose in poses]), poses[-1].yaw_rad
