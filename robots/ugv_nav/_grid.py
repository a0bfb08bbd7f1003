"""An occupancy grid that rolls with the vehicle."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ugv_nav._geometry import Pose2
    from ugv_nav._scan import Scan

_RECENTRE_SHARE = 0.125
_NOTHING = np.empty(0, dtype=np.int64)


class RollingGrid:
    """Square cells, axis-parallel to the map frame, in a window that follows the vehicle.

    Cells are free until a ray ends in them; a ray that passes a cell frees it again. What lies
    outside the window is forgotten. Unseen cells count as free.

    Attributes:
        resolution_m: edge of a cell.
        cells: number of cells along each edge of the window.
        occupied: shape (cells, cells), indexed [row along y, column along x].
    """

    def __init__(self, *, resolution_m: float, window_m: float) -> None:
        """Make an empty window centred on the map's origin.

        Args:
            resolution_m: edge of a cell, positive.
            window_m: edge of the window; rounded up to an even number of cells.
        """
        self.resolution_m = resolution_m
        self.cells = 2 * math.ceil(window_m / resolution_m / 2.0)
        self.occupied: NDArray[np.bool_] = np.zeros((self.cells, self.cells), dtype=np.bool_)
        self._column0 = -self.cells // 2
        self._row0 = -self.cells // 2

    @property
    def origin_m(self) -> tuple[float, float]:
        """The corner of cell [0, 0] with the smallest x and y, in the map frame."""
        return self._column0 * self.resolution_m, self._row0 * self.resolution_m

    def recentre(self, x_m: float, y_m: float) -> None:
        """Roll the window when the point has left its middle by an eighth of the edge."""
        column0 = math.floor(x_m / self.resolution_m) - self.cells // 2
        row0 = math.floor(y_m / self.resolution_m) - self.cells // 2
        shift = max(abs(column0 - self._column0), abs(row0 - self._row0))
        if shift <= self.cells * _RECENTRE_SHARE:
            return
        rows, columns = np.nonzero(self.occupied)
        rows = rows + (self._row0 - row0)
        columns = columns + (self._column0 - column0)
        inside = (rows >= 0) & (rows < self.cells) & (columns >= 0) & (columns < self.cells)
        self.occupied[:] = False
        self.occupied[rows[inside], columns[inside]] = True
        self._column0, self._row0 = column0, row0

    def centre_of(self, row: int, column: int) -> tuple[float, float]:
        """Return the middle of a cell in the map frame."""
        return (
            (self._column0 + column + 0.5) * self.resolution_m,
            (self._row0 + row + 0.5) * self.resolution_m,
        )

    def cell_of(self, x_m: float, y_m: float) -> tuple[int, int] | None:
        """Return (row, column) of the cell that holds a point, or None outside the window."""
        column = math.floor(x_m / self.resolution_m) - self._column0
        row = math.floor(y_m / self.resolution_m) - self._row0
        if 0 <= row < self.cells and 0 <= column < self.cells:
            return row, column
        return None

    def crop(
        self, low_m: NDArray[np.float64], high_m: NDArray[np.float64], margin_m: float
    ) -> tuple[NDArray[np.bool_], tuple[float, float]] | None:
        """Return the cells around a rectangle, and the corner of the first of them.

        Args:
            low_m: the rectangle's corner with the smallest x and y, shape (2,), map frame.
            high_m: the opposite corner.
            margin_m: how far around it to go; where the window ends, less.

        Returns:
            None if the rectangle itself is not in the window.
        """
        first, last = self.cell_of(*low_m), self.cell_of(*high_m)
        if first is None or last is None:
            return None
        reach = math.ceil(margin_m / self.resolution_m) + 1
        row, column = max(first[0] - reach, 0), max(first[1] - reach, 0)
        part = self.occupied[row : last[0] + reach + 1, column : last[1] + reach + 1]
        return part, (
            (self._column0 + column) * self.resolution_m,
            (self._row0 + row) * self.resolution_m,
        )

    def flat_cells_of(
        self, x_m: NDArray[np.float64], y_m: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the flat indices of the points inside the window, and which points those are."""
        columns = np.floor(x_m / self.resolution_m).astype(np.int64) - self._column0
        rows = np.floor(y_m / self.resolution_m).astype(np.int64) - self._row0
        inside = (rows >= 0) & (rows < self.cells) & (columns >= 0) & (columns < self.cells)
        return rows[inside] * self.cells + columns[inside], inside

    def update(self, scan: Scan, lidar: Pose2, *, mark_range_m: float) -> bool:
        """Take a scan in: free what its rays passed, then mark where they ended.

        Args:
            scan: the scan.
            lidar: the lidar's pose in the map frame when the scan was taken.
            mark_range_m: returns farther than this mark nothing (a tilted ray meets the ground).

        Returns:
            Whether any cell changed.
        """
        passed = self._passed(scan, lidar)
        hit = scan.hits(mark_range_m)
        bearings = lidar.yaw_rad + scan.bearings()[hit]
        ranges_m = scan.ranges_m[hit]
        marked, _ = self.flat_cells_of(
            lidar.x_m + ranges_m * np.cos(bearings), lidar.y_m + ranges_m * np.sin(bearings)
        )
        flat = self.occupied.reshape(-1)
        marked = np.unique(marked)
        freed = np.setdiff1d(passed, marked, assume_unique=True) if passed.size else passed
        changed = bool(freed.size) or not bool(flat[marked].all())
        flat[freed] = False
        flat[marked] = True
        return changed

    def _passed(self, scan: Scan, lidar: Pose2) -> NDArray[np.int64]:
        """Return the flat indices of occupied cells that rays went through."""
        occupied = np.flatnonzero(self.occupied)
        if not occupied.size or scan.ranges_m.size < 3:  # noqa: PLR2004 - a ray and neighbours
            return _NOTHING
        rows, columns = np.divmod(occupied, self.cells)
        dx_m = (self._column0 + columns + 0.5) * self.resolution_m - lidar.x_m
        dy_m = (self._row0 + rows + 0.5) * self.resolution_m - lidar.y_m
        turn = 2.0 * math.pi
        bearing = np.arctan2(dy_m, dx_m) - lidar.yaw_rad
        first = (
            scan.angle_min_rad
            if scan.angle_increment_rad > 0.0
            else (scan.angle_min_rad + scan.angle_increment_rad * (scan.ranges_m.size - 1))
        )
        ordered = scan.ranges_m if scan.angle_increment_rad > 0.0 else scan.ranges_m[::-1]
        ray = np.rint(np.mod(bearing - first, turn) / abs(scan.angle_increment_rad))
        index = ray.astype(np.int64)
        # A ray nearer than the lidar can measure, or unknown, says nothing about what it passed.
        free_m = np.where(ordered >= scan.range_min_m, ordered, 0.0)
        free_m = np.minimum(free_m, scan.range_max_m)
        nearest_m = free_m.copy()
        nearest_m[1:] = np.minimum(nearest_m[1:], free_m[:-1])
        nearest_m[:-1] = np.minimum(nearest_m[:-1], free_m[1:])
        if scan.covers_full_turn():
            nearest_m[0] = min(nearest_m[0], free_m[-1])
            nearest_m[-1] = min(nearest_m[-1], free_m[0])
            index %= scan.ranges_m.size
            seen = np.ones(index.shape, dtype=np.bool_)
        else:
            seen = index < scan.ranges_m.size
            index = np.where(seen, index, 0)
        distance_m = np.hypot(dx_m, dy_m)
        passed = seen & (distance_m < nearest_m[index] - self.resolution_m)
        cleared: NDArray[np.int64] = occupied[passed]
        return cleared
