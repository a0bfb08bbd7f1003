"""Shortest paths over the priced grid: A* on eight neighbours, then pulled taut."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ugv_nav._inflation import BLOCKED

if TYPE_CHECKING:
    from numpy.typing import NDArray

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PriceField:
    """Prices of a metre over a window of the map.

    Attributes:
        prices: shape (rows, columns); at least 1, BLOCKED where the vehicle may not be.
        resolution_m: edge of a cell.
        origin_m: the corner of cell [0, 0] with the smallest x and y, in the map frame.
    """

    prices: NDArray[np.float64]
    resolution_m: float
    origin_m: tuple[float, float]

    def cell_of(self, x_m: float, y_m: float) -> Cell | None:
        """Return (row, column) of a point, or None outside the window."""
        column = math.floor((x_m - self.origin_m[0]) / self.resolution_m)
        row = math.floor((y_m - self.origin_m[1]) / self.resolution_m)
        rows, columns = self.prices.shape
        return (row, column) if 0 <= row < rows and 0 <= column < columns else None

    def price_at(self, cell: Cell) -> float:
        """Return the price of a cell."""
        return float(self.prices[cell])

    def centre_of(self, cell: Cell) -> tuple[float, float]:
        """Return the middle of a cell in the map frame."""
        return (
            self.origin_m[0] + (cell[1] + 0.5) * self.resolution_m,
            self.origin_m[1] + (cell[0] + 0.5) * self.resolution_m,
        )

    def price_of_line(self, start: NDArray[np.float64], end: NDArray[np.float64]) -> float:
        """Return what a straight segment costs; BLOCKED if it leaves the window or is blocked.

        Args:
            start: shape (2,), metres in the map frame.
            end: likewise.
        """
        return self.price_of_path(np.stack((start, end)))

    def price_of_path(self, points: NDArray[np.float64]) -> float:
        """Return what a polyline of shape (n, 2) costs; BLOCKED as for a line."""
        samples, lengths_m = _sample(points, self.resolution_m / 2.0)
        if not lengths_m.size:
            return 0.0
        cells = np.floor((samples - np.array(self.origin_m)) / self.resolution_m).astype(np.int64)
        rows, columns = self.prices.shape
        if cells.min() < 0 or cells[:, 0].max() >= columns or cells[:, 1].max() >= rows:
            return BLOCKED
        prices = self.prices[cells[:, 1], cells[:, 0]]
        return float(np.dot(prices, lengths_m)) if np.isfinite(prices).all() else BLOCKED


def _sample(
    points: NDArray[np.float64], step_m: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the middles and lengths of pieces of a polyline no longer than `step_m`."""
    deltas = np.diff(points, axis=0)
    lengths_m = np.hypot(deltas[:, 0], deltas[:, 1])
    counts = np.maximum(np.ceil(lengths_m / step_m).astype(np.int64), 1)
    which = np.repeat(np.arange(counts.size), counts)
    rank = np.arange(which.size) - np.repeat(np.cumsum(counts) - counts, counts)
    share = (rank + 0.5) / counts[which]
    return points[which] + deltas[which] * share[:, None], lengths_m[which] / counts[which]


def search_cells(field: PriceField, start: Cell, goal: Cell) -> list[Cell] | None:
    """Return the cheapest chain of neighbouring cells from start to goal, or None.

    The price of a step is its length times the price of the cell it enters. The start may be
    blocked, the goal may not. Ties are broken by the cells' order, so that equal fields give
    equal paths.
    """
    rows, columns = field.prices.shape
    padded = np.full((rows + 2, columns + 2), BLOCKED)
    padded[1:-1, 1:-1] = field.prices * field.resolution_m
    width = columns + 2
    prices: list[float] = padded.reshape(-1).tolist()
    source = (start[0] + 1) * width + start[1] + 1
    target = (goal[0] + 1) * width + goal[1] + 1
    goal_row, goal_column = goal[0] + 1, goal[1] + 1
    diagonal = math.sqrt(2.0)
    steps = (
        (1, 1.0),
        (-1, 1.0),
        (width, 1.0),
        (-width, 1.0),
        (width + 1, diagonal),
        (width - 1, diagonal),
        (-width + 1, diagonal),
        (-width - 1, diagonal),
    )
    straight_m, bend_m = field.resolution_m, field.resolution_m * (diagonal - 1.0)
    best = {source: 0.0}
    came_from: dict[int, int] = {}
    queue: list[tuple[float, int]] = [(0.0, source)]
    closed: set[int] = set()
    while queue:
        _, cell = heapq.heappop(queue)
        if cell == target:
            return _unwind(came_from, source, target, width)
        if cell in closed:
            continue
        closed.add(cell)
        cost = best[cell]
        for offset, length in steps:
            neighbour = cell + offset
            candidate = cost + length * prices[neighbour]
            if candidate < best.get(neighbour, BLOCKED):
                best[neighbour] = candidate
                came_from[neighbour] = cell
                rise = abs(neighbour // width - goal_row)
                run = abs(neighbour % width - goal_column)
                ahead = straight_m * max(rise, run) + bend_m * min(rise, run)
                heapq.heappush(queue, (candidate + ahead, neighbour))
    return None


def _unwind(came_from: dict[int, int], source: int, target: int, width: int) -> list[Cell]:
    chain = [target]
    while chain[-1] != source:
        chain.append(came_from[chain[-1]])
    return [(cell // width - 1, cell % width - 1) for cell in reversed(chain)]


def pull_taut(field: PriceField, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace runs of a polyline by straight segments that cost no more.

    Args:
        field: the prices.
        points: shape (n, 2), n >= 2, metres in the map frame.

    Returns:
        A subset of the points, the first and the last among them.
    """
    legs = [
        field.price_of_line(points[index], points[index + 1]) for index in range(len(points) - 1)
    ]
    kept = [0]
    anchor, along = 0, legs[0]
    for index in range(2, len(points)):
        along += legs[index - 1]
        if field.price_of_line(points[anchor], points[index]) > along + 1e-9:
            anchor = index - 1
            kept.append(anchor)
            along = legs[anchor]
    kept.append(len(points) - 1)
    return points[kept]


def resample(points: NDArray[np.float64], spacing_m: float) -> NDArray[np.float64]:
    """Return the same polyline with points no farther apart than `spacing_m`, ends kept."""
    deltas = np.diff(points, axis=0)
    lengths_m = np.hypot(deltas[:, 0], deltas[:, 1])
    counts = np.maximum(np.ceil(lengths_m / spacing_m).astype(np.int64), 1)
    which = np.repeat(np.arange(counts.size), counts)
    rank = np.arange(which.size) - np.repeat(np.cumsum(counts) - counts, counts)
    share = rank / counts[which]
    return np.concatenate((points[which] + deltas[which] * share[:, None], points[-1:]))
