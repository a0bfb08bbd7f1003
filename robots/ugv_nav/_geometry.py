"""Planar poses and angles: metres and radians, counter-clockwise positive (REP-103)."""

from __future__ import annotations

import math
from dataclasses import dataclass

_STRAIGHT_RADPS = 1e-9


@dataclass(frozen=True, slots=True)
class Pose2:
    """A pose in the plane: the frame `child` seen from the frame `parent`.

    Attributes:
        x_m: position along the parent's x axis.
        y_m: position along the parent's y axis.
        yaw_rad: heading of the child's x axis in the parent, any multiple of a turn allowed.
    """

    x_m: float = 0.0
    y_m: float = 0.0
    yaw_rad: float = 0.0

    def compose(self, inner: Pose2) -> Pose2:
        """Return `inner`, given in this pose's child frame, in this pose's parent frame."""
        cos_yaw, sin_yaw = math.cos(self.yaw_rad), math.sin(self.yaw_rad)
        return Pose2(
            self.x_m + cos_yaw * inner.x_m - sin_yaw * inner.y_m,
            self.y_m + sin_yaw * inner.x_m + cos_yaw * inner.y_m,
            wrap_angle(self.yaw_rad + inner.yaw_rad),
        )

    def inverse(self) -> Pose2:
        """Return the parent frame seen from the child frame."""
        cos_yaw, sin_yaw = math.cos(self.yaw_rad), math.sin(self.yaw_rad)
        return Pose2(
            -cos_yaw * self.x_m - sin_yaw * self.y_m,
            sin_yaw * self.x_m - cos_yaw * self.y_m,
            wrap_angle(-self.yaw_rad),
        )

    def distance_to(self, x_m: float, y_m: float) -> float:
        """Return the distance in metres to a point of the parent frame."""
        return math.hypot(x_m - self.x_m, y_m - self.y_m)


def wrap_angle(angle_rad: float) -> float:
    """Return the same direction in [-pi, pi)."""
    return (angle_rad + math.pi) % (2.0 * math.pi) - math.pi


def yaw_of(qx: float, qy: float, qz: float, qw: float) -> float:
    """Return the heading of a quaternion (rotation about z, after pitch and roll)."""
    return math.atan2(2.0 * (qw * qz + qx * qy), 1.0 - 2.0 * (qy * qy + qz * qz))


def advance(pose: Pose2, linear_mps: float, angular_radps: float, seconds: float) -> Pose2:
    """Move a pose along the circle of constant speeds; negative seconds go back in time."""
    turn_rad = angular_radps * seconds
    if abs(angular_radps) < _STRAIGHT_RADPS:
        forward, left = linear_mps * seconds, 0.0
    else:
        radius_m = linear_mps / angular_radps
        forward = radius_m * math.sin(turn_rad)
        left = radius_m * (1.0 - math.cos(turn_rad))
    return pose.compose(Pose2(forward, left, turn_rad))
