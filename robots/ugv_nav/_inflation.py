"""Distance to the nearest obstacle, and what it costs to be near one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCKED = math.inf


@dataclass(frozen=True, slots=True)
class Inflation:
    """How obstacles spread over the grid.

    Attributes:
        lethal_m: the vehicle's centre must stay at least this far from an occupied cell's middle.
        radius_m: farther away than this, an obstacle costs nothing; more than `lethal_m`.
        weight: extra cost per metre driven at the lethal distance, falling to 0 at `radius_m`.
    """

    lethal_m: float = 0.45
    radius_m: float = 0.9
    weight: float = 4.0


def measure_distances(
    occupied: NDArray[np.bool_], resolution_m: float, limit_m: float
) -> NDArray[np.float32]:
    """Return each cell's distance to the nearest occupied cell, between the cells' middles.

    Exact up to `limit_m`; cells farther away hold a value above it.

    Args:
        occupied: shape (rows, columns).
        resolution_m: edge of a cell.
        limit_m: how far to look; at most 100 cells.

    Returns:
        Metres, shape (rows, columns).
    """
    reach = math.ceil(limit_m / resolution_m)
    far = reach + 1
    row = np.where(occupied, 0, far).astype(np.int16)
    along = row.copy()
    for step in range(1, reach + 1):
        np.minimum(along[:, step:], row[:, :-step] + np.int16(step), out=along[:, step:])
        np.minimum(along[:, :-step], row[:, step:] + np.int16(step), out=along[:, :-step])
    squared = along * along
    nearest = squared.copy()
    for step in range(1, reach + 1):
        cost = np.int16(step * step)
        np.minimum(nearest[step:], squared[:-step] + cost, out=nearest[step:])
        np.minimum(nearest[:-step], squared[step:] + cost, out=nearest[:-step])
    metres: NDArray[np.float32] = np.sqrt(nearest.astype(np.float32)) * np.float32(resolution_m)
    return metres


def price_cells(distances_m: NDArray[np.float32], inflation: Inflation) -> NDArray[np.float64]:
    """Return the cost of a metre driven in each cell: 1 in the open, BLOCKED where lethal."""
    span_m = inflation.radius_m - inflation.lethal_m
    nearness = np.clip((inflation.radius_m - distances_m.astype(np.float64)) / span_m, 0.0, 1.0)
    prices = 1.0 + inflation.weight * nearness * nearness
    prices[distances_m < inflation.lethal_m] = BLOCKED
    return prices


def shade_cells(distances_m: NDArray[np.float32], inflation: Inflation) -> NDArray[np.int8]:
    """Return the costmap as published: 100 occupied, 99 lethal, 98 to 1 near, 0 free."""
    span_m = inflation.radius_m - inflation.lethal_m
    nearness = np.clip((inflation.radius_m - distances_m) / span_m, 0.0, 1.0)
    shades = np.rint(98.0 * nearness * nearness).astype(np.int8)
    shades[distances_m < inflation.lethal_m] = 99
    shades[distances_m == 0.0] = 100
    return shades
