"""How far the vehicle can go before its footprint meets what the lidar saw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROUNDING_M = 1e-6


@dataclass(frozen=True, slots=True)
class Footprint:
    """A rectangle in the base frame (x forward, y left), containing its origin.

    Attributes:
        front_m: from the origin to the front edge.
        rear_m: from the origin to the rear edge.
        half_width_m: from the origin to either side.
    """

    front_m: float = 0.30
    rear_m: float = 0.30
    half_width_m: float = 0.225

    def distances(self, points_m: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the points' distances to the rectangle, 0 inside; (..., 2) -> (...)."""
        middle_m = (self.front_m - self.rear_m) / 2.0
        half_length_m = (self.front_m + self.rear_m) / 2.0
        out_x = np.maximum(np.abs(points_m[..., 0] - middle_m) - half_length_m, 0.0)
        out_y = np.maximum(np.abs(points_m[..., 1]) - self.half_width_m, 0.0)
        return np.hypot(out_x, out_y)

    def nearest(self, points_m: NDArray[np.float64]) -> float:
        """Return the distance to the nearest point, +inf without points."""
        return float(self.distances(points_m).min()) if len(points_m) else float("inf")


def free_arc(
    footprint: Footprint,
    points_m: NDArray[np.float64],
    *,
    curvature_pm: float,
    length_m: float,
    margin_m: float,
    step_m: float = 0.05,
) -> float:
    """Return how far along an arc the footprint keeps the margin, in [0, |length_m|].

    Where the margin is not kept to begin with, what counts is not to come nearer.

    Args:
        footprint: the vehicle.
        points_m: obstacles in the base frame, shape (n, 2), none of them inside the footprint.
        curvature_pm: 1/m, positive to the left when driving forward.
        length_m: how far to look; negative looks backwards along the same circle.
        margin_m: distance to keep.
        step_m: spacing of the poses that are examined.
    """
    reach_m = abs(length_m)
    if not len(points_m) or reach_m < step_m:
        return reach_m
    count = int(np.ceil(reach_m / step_m))
    along_m = np.linspace(0.0, length_m, count + 1)[1:]
    turn = curvature_pm * along_m
    if abs(curvature_pm) < 1e-6:  # noqa: PLR2004 - straight to the last millimetre
        x_m, y_m = along_m, np.zeros_like(along_m)
    else:
        x_m = np.sin(turn) / curvature_pm
        y_m = (1.0 - np.cos(turn)) / curvature_pm
    poses = np.stack((x_m, y_m, turn), axis=-1)
    return reach_m * _free_share(footprint, points_m, poses, margin_m)


def free_turn(
    footprint: Footprint,
    points_m: NDArray[np.float64],
    *,
    angle_rad: float,
    margin_m: float,
    step_rad: float = 0.1,
) -> float:
    """Return how far the vehicle can turn on the spot, in [0, |angle_rad|]; see `free_arc`."""
    reach_rad = abs(angle_rad)
    if not len(points_m):
        return reach_rad
    count = max(int(np.ceil(reach_rad / step_rad)), 1)
    turn = np.linspace(0.0, angle_rad, count + 1)[1:]
    poses = np.stack((np.zeros_like(turn), np.zeros_like(turn), turn), axis=-1)
    return reach_rad * _free_share(footprint, points_m, poses, margin_m)


def _free_share(
    footprint: Footprint,
    points_m: NDArray[np.float64],
    poses: NDArray[np.float64],
    margin_m: float,
) -> float:
    """Return the share of the poses (x, y, yaw), in order, before the first that is too near."""
    margin_m = max(min(margin_m, footprint.nearest(points_m) - _ROUNDING_M), _ROUNDING_M)
    dx_m = points_m[None, :, 0] - poses[:, :1]
    dy_m = points_m[None, :, 1] - poses[:, 1:2]
    cos_yaw, sin_yaw = np.cos(poses[:, 2:]), np.sin(poses[:, 2:])
    seen = np.stack((cos_yaw * dx_m + sin_yaw * dy_m, cos_yaw * dy_m - sin_yaw * dx_m), axis=-1)
    kept = footprint.distances(seen).min(axis=1) >= margin_m
    return 1.0 if kept.all() else int(np.argmin(kept)) / kept.size
