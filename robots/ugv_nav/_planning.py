"""Finding a path, and keeping it for as long as it is good."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ugv_nav._geometry import Pose2
from ugv_nav._inflation import BLOCKED, Inflation, measure_distances, price_cells
from ugv_nav._search import PriceField, pull_taut, resample, search_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ugv_nav._grid import RollingGrid
    from ugv_nav._search import Cell

_ESCAPE_PRICE = 50.0
_SAME_POINT_M = 1e-6


@dataclass(frozen=True, slots=True)
class PlanningSettings:
    """How paths are chosen.

    Attributes:
        inflation: how obstacles spread.
        spacing_m: distance between the points of a path.
        goal_tolerance_m: how far from a blocked goal a path may end.
        escape_m: how far from the vehicle lethal (not occupied) cells are passable, at a price,
            so that a vehicle that stands too near to something can leave.
        detour_share: a path that costs more than this many times its beeline is compared with
            a newly searched one.
        gain_share: a new path replaces one that is still passable if it costs less than this
            share of it.
        astray_m: a vehicle farther than this from its path gets a new one.
    """

    inflation: Inflation = field(default_factory=Inflation)
    spacing_m: float = 0.2
    goal_tolerance_m: float = 0.3
    escape_m: float = 0.7
    detour_share: float = 1.05
    gain_share: float = 0.9
    astray_m: float = 0.4


def price_grid(grid: RollingGrid, start: Pose2, settings: PlanningSettings) -> PriceField:
    """Return what driving costs around the vehicle, its own surroundings made passable."""
    inflation = settings.inflation
    distances_m = measure_distances(grid.occupied, grid.resolution_m, inflation.radius_m)
    prices = price_cells(distances_m, inflation)
    cell = grid.cell_of(start.x_m, start.y_m)
    if cell is not None and prices[cell] == BLOCKED:
        reach = math.ceil(settings.escape_m / grid.resolution_m)
        rows = np.arange(max(cell[0] - reach, 0), min(cell[0] + reach + 1, grid.cells))
        columns = np.arange(max(cell[1] - reach, 0), min(cell[1] + reach + 1, grid.cells))
        near = np.hypot(*np.meshgrid(rows - cell[0], columns - cell[1], indexing="ij")) <= reach
        window = np.ix_(rows, columns)
        stuck = near & (prices[window] == BLOCKED) & ~grid.occupied[window]
        # The nearer to the obstacle the dearer, so that the way out leads away from it.
        price = _ESCAPE_PRICE * (1.0 + inflation.lethal_m - distances_m[window])
        prices[window] = np.where(stuck, price, prices[window])
    return PriceField(prices, grid.resolution_m, grid.origin_m)


def find_path(
    prices: PriceField, start: Pose2, goal: Pose2, settings: PlanningSettings
) -> NDArray[np.float64] | None:
    """Return a path from the vehicle to the goal, or None when there is none.

    A goal outside the window is replaced by the point where the beeline leaves it, and one
    that is blocked by the nearest free point within the tolerance.

    Returns:
        Points in the map frame, shape (n, 2), n >= 2; the first is the vehicle's position.
    """
    here = np.array((start.x_m, start.y_m))
    wanted, tolerance_m = _clip_to_window(prices, here, np.array((goal.x_m, goal.y_m)), settings)
    if prices.price_of_line(here, wanted) <= settings.detour_share * _length(here, wanted):
        return resample(np.stack((here, wanted)), settings.spacing_m)
    source = prices.cell_of(*here)
    target = prices.cell_of(*wanted)
    if source is None or target is None:
        return None
    if prices.price_at(target) == BLOCKED:
        target = _nearest_free(prices, wanted, tolerance_m)
        if target is None:
            return None
        wanted = np.array(prices.centre_of(target))
    if source == target:
        return resample(np.stack((here, wanted)), settings.spacing_m)
    cells = search_cells(prices, source, target)
    if cells is None:
        return None
    middles = [prices.centre_of(cell) for cell in cells[1:-1]]
    rough = np.concatenate((here[None], np.array(middles).reshape(-1, 2), wanted[None]))
    return resample(pull_taut(prices, rough), settings.spacing_m)


def _length(start: NDArray[np.float64], end: NDArray[np.float64]) -> float:
    return float(np.hypot(*(end - start)))


def _clip_to_window(
    prices: PriceField,
    here: NDArray[np.float64],
    goal: NDArray[np.float64],
    settings: PlanningSettings,
) -> tuple[NDArray[np.float64], float]:
    """Return the goal, or where the beeline to it leaves the window, and the tolerance there."""
    rows, columns = prices.prices.shape
    margin_m = 2.0 * prices.resolution_m
    low = np.array(prices.origin_m) + margin_m
    high = np.array(prices.origin_m) + np.array((columns, rows)) * prices.resolution_m - margin_m
    if ((goal >= low) & (goal <= high)).all():
        return goal, settings.goal_tolerance_m
    ahead = goal - here
    share = 1.0
    for axis in range(2):
        if ahead[axis] > 0.0:
            share = min(share, (high[axis] - here[axis]) / ahead[axis])
        elif ahead[axis] < 0.0:
            share = min(share, (low[axis] - here[axis]) / ahead[axis])
    # On the way, any free point near the border will do.
    return here + ahead * max(share, 0.0), float(high[0] - low[0]) / 4.0


def _nearest_free(
    prices: PriceField, wanted: NDArray[np.float64], tolerance_m: float
) -> Cell | None:
    rows, columns = np.nonzero(np.isfinite(prices.prices))
    if not rows.size:
        return None
    dx_m = prices.origin_m[0] + (columns + 0.5) * prices.resolution_m - wanted[0]
    dy_m = prices.origin_m[1] + (rows + 0.5) * prices.resolution_m - wanted[1]
    away_m = np.hypot(dx_m, dy_m)
    nearest = int(np.argmin(away_m))
    if away_m[nearest] > tolerance_m:
        return None
    return int(rows[nearest]), int(columns[nearest])


class PathKeeper:
    """The path in force, replaced only when there is a reason.

    Attributes:
        path: shape (n, 2) in the map frame, from where the vehicle was; None without a path.
    """

    def __init__(self, settings: PlanningSettings) -> None:
        self._settings = settings
        self._goal: Pose2 | None = None
        self.path: NDArray[np.float64] | None = None

    def forget(self) -> None:
        """Drop the goal and its path."""
        self._goal = None
        self.path = None

    def refresh(self, grid: RollingGrid, start: Pose2, goal: Pose2, *, review: bool) -> bool:
        """Bring the path up to date with the grid.

        Args:
            grid: what is known of the surroundings.
            start: where the vehicle is, in the map frame.
            goal: where it should go, in the map frame.
            review: whether to look for a better path although the old one still leads there,
                and for any path where there was none.

        Returns:
            Whether the path was replaced (or lost).
        """
        if not review and self._is_still_free(grid, start, goal):
            return False
        prices = price_grid(grid, start, self._settings)
        had_path = self.path is not None
        if self.path is None or goal != self._goal:
            if goal == self._goal and not review:
                return False
            self._goal = goal
            self.path = find_path(prices, start, goal, self._settings)
            return had_path or self.path is not None
        rest = self._rest_of(self.path, start)
        cost = BLOCKED if rest is None else prices.price_of_path(rest)
        if cost == BLOCKED:
            self.path = find_path(prices, start, goal, self._settings)
            return True
        assert rest is not None
        beeline_m = start.distance_to(goal.x_m, goal.y_m)
        ends_short = math.hypot(rest[-1, 0] - goal.x_m, rest[-1, 1] - goal.y_m) > _SAME_POINT_M
        if review and (ends_short or cost > self._settings.detour_share * beeline_m):
            found = find_path(prices, start, goal, self._settings)
            if found is not None and (
                ends_short or prices.price_of_path(found) < self._settings.gain_share * cost
            ):
                self.path = found
                return True
        self.path = rest
        return False

    def _is_still_free(self, grid: RollingGrid, start: Pose2, goal: Pose2) -> bool:
        """Return whether the path leads on, by a look at its own surroundings only."""
        if self.path is None or goal != self._goal:
            return False
        rest = self._rest_of(self.path, start)
        if rest is None:
            return False
        inflation = self._settings.inflation
        part = grid.crop(rest.min(axis=0), rest.max(axis=0), inflation.lethal_m)
        if part is None:
            return False
        occupied, origin_m = part
        distances_m = measure_distances(occupied, grid.resolution_m, inflation.lethal_m)
        prices = PriceField(price_cells(distances_m, inflation), grid.resolution_m, origin_m)
        return prices.price_of_path(rest) < BLOCKED

    def _rest_of(self, path: NDArray[np.float64], start: Pose2) -> NDArray[np.float64] | None:
        """Return the path from the point nearest to the vehicle on, None if that is far away."""
        away_m = np.hypot(path[:, 0] - start.x_m, path[:, 1] - start.y_m)
        nearest = int(np.argmin(away_m))
        if away_m[nearest] > self._settings.astray_m:
            return None
        return path[min(nearest, len(path) - 2) :]
