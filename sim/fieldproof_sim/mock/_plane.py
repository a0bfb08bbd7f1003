"""Plane geometry of the mock simulator, in metres."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

_SAME_M = 1e-9

Point = tuple[float, float]
Space = tuple[float, float, float]


def point_of(data: Mapping[str, Any]) -> Point:
    """Return x and y of a mapping."""
    return float(data["x"]), float(data["y"])


def height_of(data: Mapping[str, Any]) -> float | None:
    """Return z of a mapping, None where it has none."""
    z = data.get("z")
    return None if z is None else float(z)


def distance_to_line(point: Point, line: Sequence[Point]) -> float:
    """Return the distance to a line through points; infinity when there is no point."""
    if len(line) == 1:
        return math.dist(point, line[0])
    steps = itertools.pairwise(line)
    return min((_to_segment(point, start, end) for start, end in steps), default=math.inf)


def _to_segment(point: Point, start: Point, end: Point) -> float:
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = dx * dx + dy * dy
    if length == 0:
        return math.dist(point, start)
    along = ((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / length
    along = min(1.0, max(0.0, along))
    return math.hypot(point[0] - start[0] - along * dx, point[1] - start[1] - along * dy)


def heading_at(point: Point, lines: Sequence[Sequence[Point]]) -> float | None:
    """Return the heading of the line that is nearest to a point there, None without a line.

    At a corner it is the middle one of both headings.

    Args:
        point: metres.
        lines: points of each, metres; the first of those that are equally near counts.
    """
    best, heading = math.inf, None
    for line in lines:
        near = [
            (_to_segment(point, start, end), math.atan2(end[1] - start[1], end[0] - start[0]))
            for start, end in itertools.pairwise(line)
            if start != end
        ]
        away = min((one for one, _ in near), default=math.inf)
        if away < best:
            best = away
            both = [yaw for one, yaw in near if one <= away + _SAME_M]
            x, y = math.fsum(map(math.cos, both)), math.fsum(map(math.sin, both))
            heading = math.atan2(y, x) if math.hypot(x, y) > _SAME_M else both[0]
    return heading


def closest_approach(before: Space, now: Space) -> float:
    """Return how near something comes whose place relative to another changes evenly in a step.

    Args:
        before: metres from the one to the other at the step's start.
        now: the same at its end.
    """
    x, y, z = before  # written out, since this is the most frequent sum of a drive
    dx, dy, dz = now[0] - x, now[1] - y, now[2] - z
    length = dx * dx + dy * dy + dz * dz
    away = -(x * dx + y * dy + z * dz)
    if away <= 0:  # it only gets further away, or stays
        return math.hypot(x, y, z)
    if away >= length:
        return math.hypot(*now)
    share = away / length
    return math.hypot(x + share * dx, y + share * dy, z + share * dz)


def side_of(point: Point, start: Point, end: Point) -> float:
    """Return on which side of a directed line a point is: positive on the left, 0 on it."""
    return (end[0] - start[0]) * (point[1] - start[1]) - (end[1] - start[1]) * (point[0] - start[0])


def lateral(point: Point, origin: Point, heading: float) -> float:
    """Return metres to the left of a line through a point with a heading in radians."""
    return (point[1] - origin[1]) * math.cos(heading) - (point[0] - origin[0]) * math.sin(heading)


def degrees(radians: float) -> float:
    """Return an angle in degrees, in (-180, 180], never a negative zero."""
    turned = math.degrees(math.remainder(radians, math.tau))
    return (180.0 if turned == -180.0 else turned) + 0.0  # noqa: PLR2004 - half a turn
