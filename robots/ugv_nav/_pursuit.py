"""Regulated pure pursuit: which arc leads back to the path, and how fast to drive it.

After Coulter (1992), "Implementation of the Pure Pursuit Path Tracking Algorithm", with the
speed regulation of Macenski et al. (2023), "Regulated Pure Pursuit for Robot Path Tracking".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ugv_nav._geometry import Pose2


@dataclass(frozen=True, slots=True)
class Carrot:
    """The point of the path that the vehicle steers for.

    Attributes:
        x_m: ahead of the vehicle, in its base frame.
        y_m: to its left.
        rest_m: length of the path from the vehicle to its end.
    """

    x_m: float
    y_m: float
    rest_m: float

    @property
    def bearing_rad(self) -> float:
        """Direction of the point, 0 straight ahead."""
        return math.atan2(self.y_m, self.x_m)

    @property
    def curvature_pm(self) -> float:
        """Curvature of the arc that starts along the heading and meets the point, 1/m."""
        squared = self.x_m * self.x_m + self.y_m * self.y_m
        return 2.0 * self.y_m / squared if squared > 1e-9 else 0.0  # noqa: PLR2004 - a dot


def find_carrot(path: NDArray[np.float64], pose: Pose2, lookahead_m: float) -> Carrot:
    """Return the point of a path one lookahead after the point nearest to the vehicle.

    Args:
        path: shape (n, 2), n >= 2, in the frame of `pose`.
        pose: the vehicle's pose.
        lookahead_m: along the path; the path's end where less is left.
    """
    starts, deltas = path[:-1], np.diff(path, axis=0)
    squared = np.maximum((deltas * deltas).sum(axis=1), 1e-12)
    offsets = np.array((pose.x_m, pose.y_m)) - starts
    shares = np.clip((offsets * deltas).sum(axis=1) / squared, 0.0, 1.0)
    gaps = offsets - deltas * shares[:, None]
    nearest = int(np.argmin((gaps * gaps).sum(axis=1)))
    lengths_m = np.sqrt(squared)
    marks_m = np.concatenate(([0.0], np.cumsum(lengths_m)))
    here_m = marks_m[nearest] + lengths_m[nearest] * shares[nearest]
    there_m = min(here_m + lookahead_m, marks_m[-1])
    x_m = float(np.interp(there_m, marks_m, path[:, 0])) - pose.x_m
    y_m = float(np.interp(there_m, marks_m, path[:, 1])) - pose.y_m
    cos_yaw, sin_yaw = math.cos(pose.yaw_rad), math.sin(pose.yaw_rad)
    return Carrot(
        cos_yaw * x_m + sin_yaw * y_m, cos_yaw * y_m - sin_yaw * x_m, float(marks_m[-1] - here_m)
    )


@dataclass(frozen=True, slots=True)
class SpeedLimits:
    """What the vehicle may do.

    Attributes:
        linear_mps: top speed.
        angular_radps: fastest turn.
        linear_mps2: acceleration and braking.
        angular_radps2: change of the turn rate.
        tight_radius_m: curves with a smaller radius are driven in proportion slower.
        creep_mps: slowest speed on the way to the goal.
    """

    linear_mps: float = 0.8
    angular_radps: float = 1.2
    linear_mps2: float = 0.8
    angular_radps2: float = 2.5
    tight_radius_m: float = 0.9
    creep_mps: float = 0.05

    def regulate(self, curvature_pm: float, rest_m: float) -> float:
        """Return the speed for an arc, so that the vehicle can stop at the end of the path."""
        bend = abs(curvature_pm)
        speed_mps = self.linear_mps / max(1.0, bend * self.tight_radius_m)
        if bend * speed_mps > self.angular_radps:
            speed_mps = self.angular_radps / bend
        # Half the braking that there is, so that delays do not carry the vehicle past the end.
        return max(min(speed_mps, self.brake_over(rest_m)), self.creep_mps)

    def brake_over(self, distance_m: float) -> float:
        """Return the speed from which half the braking stops the vehicle within a distance."""
        return math.sqrt(self.linear_mps2 * max(distance_m, 0.0))
