"""Displacement errors, vectorised."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_MOST = 1e300
"""Metres beyond which nothing is; far from what a float cannot hold."""


@dataclass(frozen=True, slots=True)
class Displacements:
    """The errors of trajectories, one of each a sample; metres.

    Attributes:
        average: mean of the distances at every step of the truth.
        final: the distance at its last step.
    """

    average: Floats
    final: Floats


def displacements(predicted: Floats, truth: Floats, lengths: NDArray[np.int64]) -> Displacements:
    """Return the displacement errors of many trajectories at once.

    Args:
        predicted: samples x steps x 2, metres; what lies beyond a sample's length is not looked at.
        truth: the same.
        lengths: steps of each sample's truth, at least 1.
    """
    away = np.hypot(predicted[..., 0] - truth[..., 0], predicted[..., 1] - truth[..., 1])
    steps = np.arange(away.shape[1])
    away = np.where(steps < lengths[:, None], away, 0.0)
    average = away.sum(axis=1) / lengths
    final = away[np.arange(len(lengths)), lengths - 1]
    return Displacements(average, final)


def padded(trajectories: Sequence[Sequence[Sequence[float]]], steps: int) -> Floats:
    """Return trajectories of different lengths as one array, cut or padded with zeros."""
    array = np.zeros((len(trajectories), steps, 2))
    for place, trajectory in enumerate(trajectories):
        some = trajectory[:steps]
        if some:
            array[place, : len(some)] = some
    return array


def points_of(value: Any) -> list[tuple[float, float]] | None:
    """Return the points of a trajectory as JSON data has it, None where it is none.

    A point is a mapping with x and y, or a list that begins with them; all of them finite.
    """
    if not isinstance(value, list) or not value:
        return None
    try:
        points = [(one["x"], one["y"]) if type(one) is dict else (one[0], one[1]) for one in value]
    except (KeyError, IndexError, TypeError):
        return None
    return points if all(is_number(x) and is_number(y) for x, y in points) else None


def is_number(value: Any) -> bool:
    """Return whether JSON data is a finite number, which a boolean is not."""
    kind = type(value)
    return (kind is float or kind is int) and -_MOST < value < _MOST
