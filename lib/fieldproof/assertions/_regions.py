"""Regions of the world and how far inside them a place is. Pure; metres in the world frame."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated

from pydantic import Field, model_validator

from fieldproof.model import Metres, Problem, Strict, faults

Vertex = tuple[float, float]
Clearance = Callable[[float, float, float], float]
"""Returns metres from a place to a region's boundary: positive inside, negative outside."""

_ON_BOUNDARY_M = 1e-9
_SMALLEST_M2 = 1e-9


class Circle(Strict):
    """A disc."""

    x: Metres = Field(description="The middle, metres east.")
    y: Metres = Field(description="The middle, metres north.")
    radius_m: Annotated[float, Field(gt=0, le=1e6)] = Field(description="Its radius.")


class Box(Strict):
    """A rectangle along the axes of the world."""

    x_min: Metres = Field(description="Its western edge.")
    x_max: Metres = Field(description="Its eastern edge.")
    y_min: Metres = Field(description="Its southern edge.")
    y_max: Metres = Field(description="Its northern edge.")

    @model_validator(mode="after")
    def _has_area(self) -> "Box":
        pairs = (("x_max", self.x_min, self.x_max), ("y_max", self.y_min, self.y_max))
        found = [
            Problem(f"must be above {key.replace('max', 'min')}", (key,), f"{low}")
            for key, low, high in pairs
            if high <= low
        ]
        if found:
            raise faults("Box", found)
        return self


class Region(Strict):
    """A part of the world: a polygon, a circle or a box, at any height or between two."""

    polygon: Annotated[list[tuple[Metres, Metres]], Field(min_length=3, max_length=500)] | None = (
        Field(default=None, description="Vertices [x, y] in order; the last joins the first.")
    )
    circle: Circle | None = Field(default=None, description="x, y and radius_m.")
    box: Box | None = Field(default=None, description="x_min, x_max, y_min and y_max.")
    z_min: Metres | None = Field(default=None, description="The lowest height inside.")
    z_max: Metres | None = Field(default=None, description="The greatest height inside.")

    @model_validator(mode="after")
    def _is_a_region(self) -> "Region":
        found = list(self._problems())
        if found:
            raise faults("Region", found)
        return self

    def _problems(self) -> Iterator[Problem]:
        if sum(one is not None for one in (self.polygon, self.circle, self.box)) != 1:
            yield Problem("must have one of polygon, circle and box")
        elif self.polygon is not None:
            yield from _polygon_problems(self.polygon)
        if self.z_min is not None and self.z_max is not None and self.z_max <= self.z_min:
            yield Problem("must be above z_min", ("z_max",), f"{self.z_min}")


def clearance_of(region: Region) -> Clearance:
    """Return the function that says how far inside a region a place is.

    It returns NaN where a coordinate that matters is no number.
    """
    level = _level(region)
    if region.z_min is None and region.z_max is None:
        return lambda x, y, _z: level(x, y)
    low = -math.inf if region.z_min is None else region.z_min
    high = math.inf if region.z_max is None else region.z_max

    def clearance(x: float, y: float, z: float) -> float:
        aside, above = -level(x, y), max(low - z, z - high)
        if math.isnan(z):
            return math.nan
        return -(min(max(aside, above), 0.0) + math.hypot(max(aside, 0.0), max(above, 0.0)))

    return clearance


def _level(region: Region) -> Callable[[float, float], float]:
    if region.circle is not None:
        circle = region.circle
        return lambda x, y: circle.radius_m - math.hypot(x - circle.x, y - circle.y)
    if region.box is not None:
        return lambda x, y: box_clearance(region.box, x, y)  # type: ignore[arg-type]
    assert region.polygon is not None
    edges = edges_of(region.polygon)
    return lambda x, y: polygon_clearance(edges, x, y)


def box_clearance(box: Box, x: float, y: float) -> float:
    """Return how far inside a rectangle a place is."""
    aside = max(box.x_min - x, x - box.x_max)
    beyond = max(box.y_min - y, y - box.y_max)
    if math.isnan(aside) or math.isnan(beyond):
        return math.nan
    return -(min(max(aside, beyond), 0.0) + math.hypot(max(aside, 0.0), max(beyond, 0.0)))


def edges_of(polygon: Sequence[Vertex]) -> list[tuple[Vertex, Vertex]]:
    """Return a polygon's edges, the closing one last, without those of no length."""
    pairs = zip(polygon, [*polygon[1:], polygon[0]], strict=True)
    return [(one, other) for one, other in pairs if one != other]


def polygon_clearance(edges: Sequence[tuple[Vertex, Vertex]], x: float, y: float) -> float:
    """Return how far inside a polygon without crossing edges a place is.

    A place within a nanometre of an edge is on it: 0.
    """
    if math.isnan(x) or math.isnan(y):
        return math.nan
    inside, nearest = False, math.inf
    for (x1, y1), (x2, y2) in edges:
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            inside = not inside
        nearest = min(nearest, _to_edge((x1, y1), (x2, y2), x, y))
    if nearest <= _ON_BOUNDARY_M:
        return 0.0
    return nearest if inside else -nearest


def _to_edge(start: Vertex, end: Vertex, x: float, y: float) -> float:
    (x1, y1), (x2, y2) = start, end
    dx, dy = x2 - x1, y2 - y1
    along = ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)
    along = min(max(along, 0.0), 1.0)
    return math.hypot(x - (x1 + along * dx), y - (y1 + along * dy))


def _polygon_problems(polygon: Sequence[Vertex]) -> Iterator[Problem]:
    edges = edges_of(polygon)
    doubled = sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in edges)
    for place, one in enumerate(edges):
        for other in edges[place + 2 :]:
            if _cross(one, other):
                what = f"the edges from {list(one[0])} and from {list(other[0])} cross"
                yield Problem(what, ("polygon",), "give the vertices in order")
                return
    if abs(doubled) / 2 < _SMALLEST_M2:
        yield Problem("encloses no area", ("polygon",))


def _cross(one: tuple[Vertex, Vertex], other: tuple[Vertex, Vertex]) -> bool:
    """Return whether two edges cross in a point that is no end of either."""
    (a, b), (c, d) = one, other
    return _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0


def _side(a: Vertex, b: Vertex, p: Vertex) -> float:
    """Return on which side of the line through a and b a place lies; 0 on it."""
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
