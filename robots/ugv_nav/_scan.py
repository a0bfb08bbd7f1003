"""One turn of a planar lidar."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ugv_nav._frames import Mount

_FULL_TURN_TOLERANCE_RAD = 0.5


@dataclass(frozen=True, slots=True)
class Scan:
    """Ranges of one scan, in the order of their bearings.

    Attributes:
        stamp_ns: when the scan was taken.
        angle_min_rad: bearing of the first ray in the lidar's frame.
        angle_increment_rad: bearing from a ray to the next.
        range_min_m: shortest valid range; what is nearer is not a return.
        range_max_m: longest valid range; a ray without a return was free this far.
        ranges_m: shape (rays,), float64; +inf where nothing returned, NaN where unknown.
    """

    stamp_ns: int
    angle_min_rad: float
    angle_increment_rad: float
    range_min_m: float
    range_max_m: float
    ranges_m: NDArray[np.float64]

    def bearings(self) -> NDArray[np.float64]:
        """Return the rays' bearings in the lidar's frame, shape (rays,)."""
        rays = np.arange(self.ranges_m.size, dtype=np.float64)
        return self.angle_min_rad + self.angle_increment_rad * rays

    def covers_full_turn(self) -> bool:
        """Return whether the last ray is the neighbour of the first."""
        turn_rad = abs(self.angle_increment_rad) * self.ranges_m.size
        return turn_rad > 2.0 * math.pi - _FULL_TURN_TOLERANCE_RAD * abs(self.angle_increment_rad)

    def hits(self, max_range_m: float) -> NDArray[np.bool_]:
        """Return which rays met something, in [range_min_m, min(range_max_m, max_range_m)]."""
        limit_m = min(self.range_max_m, max_range_m)
        return (self.ranges_m >= self.range_min_m) & (self.ranges_m <= limit_m)

    def points(self, mount: Mount, max_range_m: float) -> NDArray[np.float64]:
        """Return the returns seen from above in the mount's parent frame, shape (hits, 2)."""
        hit = self.hits(max_range_m)
        ranges_m = self.ranges_m[hit]
        bearings = self.bearings()[hit]
        flat = np.stack((ranges_m * np.cos(bearings), ranges_m * np.sin(bearings)))
        moved = mount.rotation()[:2, :2] @ flat
        moved[0] += mount.translation_m[0]
        moved[1] += mount.translation_m[1]
        return np.ascontiguousarray(moved.T)
