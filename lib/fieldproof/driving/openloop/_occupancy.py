from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

KEYS = ("occupancy_grid", "occupancy_mask", "occupancy_map", "occupancy")
_OCCUPIED = 0.5
_MOST_DIMENSIONS = 3


def grid_of(data: Mapping[str, Any]) -> NDArray[np.bool_] | None:
    """Return the occupancy grid of a prediction or a truth, None where there is none.

    The first of `KEYS` that holds rows of numbers or booleans counts; above 0.5 is occupied.
    """
    for key in KEYS:
        value = data.get(key)
        if isinstance(value, list) and value:
            try:
                array = np.asarray(value, dtype=np.float64)
            except (ValueError, TypeError, OverflowError):
                continue
            if 1 <= array.ndim <= _MOST_DIMENSIONS and np.isfinite(array).all():
                return array > _OCCUPIED
    return None


def iou(predicted: NDArray[np.bool_], truth: NDArray[np.bool_]) -> float:
    """Return the occupied cells that both have over those that either has; 1 if neither has any.

    Grids of different shapes have nothing in common: 0.
    """
    if predicted.shape != truth.shape:
        return 0.0
    union = np.count_nonzero(predicted | truth)
    return 1.0 if union == 0 else float(np.count_nonzero(predicted & truth) / union)
