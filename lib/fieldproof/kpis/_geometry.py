"""Distances between places, without any state."""

import math
from collections.abc import Mapping
from typing import Any

Point = tuple[float, float, float]
"""x, y and z in metres, in the world frame."""


def point_of(pose: Mapping[str, Any]) -> Point:
    """Return where a pose is."""
    return (pose["x"], pose["y"], pose["z"])


def distance(one: Point, other: Point) -> float:
    """Return the distance in metres; NaN or infinity when a coordinate is."""
    return math.dist(one, other)


def level_distance(one: Point, other: Point) -> float:
    """Return the distance in metres on the level, heights left out."""
    return math.hypot(one[0] - other[0], one[1] - other[1])


def is_finite(point: Point) -> bool:
    """Return whether all three coordinates are finite numbers."""
    x, y, z = point
    return math.isfinite(x) and math.isfinite(y) and math.isfinite(z)


def shown_point(point: Point) -> dict[str, float]:
    """Return a place as evidence shows it."""
    return dict(zip("xyz", point, strict=True))
