import math
from collections.abc import Mapping, Sequence
from typing import Any

from fieldproof_sim.mock._plane import Point, heading_at, point_of, side_of

RED = "red"


class Light:
    """A traffic light and its stop line.

    Attributes:
        id: its id.
        start, end: the line's ends; where the line stops one direction, its traffic comes from
            the right of the way from start to end.
    """

    def __init__(
        self, data: Mapping[str, Any], ways: Sequence[Sequence[Point]], ego_yaw: float
    ) -> None:
        """Read a traffic light of a scenario.

        Args:
            data: the light.
            ways: what a stop line with a middle lies across where it is nearest: the roads, and
                the way that the ego is to take.
            ego_yaw: radians; what it lies across where there is no way.
        """
        self.id: str = data["id"]
        line = data["stop_line"]
        self._both_ways = line.get("yaw") is None
        if line.get("start") is not None:
            self.start, self.end = point_of(line["start"]), point_of(line["end"])
        elif self._both_ways:
            heading = heading_at(point_of(line), ways)
            self.start, self.end = _across(line, ego_yaw if heading is None else heading)
        else:
            self.start, self.end = _across(line, math.radians(line["yaw"]))
        self._states = [(0.0, data["state"])]
        self._states += [(one["at_seconds"], one["state"]) for one in data["changes"]]

    def state(self, t: float) -> str:
        """Return what it shows at a time; a change counts from its very moment."""
        shown = self._states[0][1]
        for at, state in self._states[1:]:
            if t >= at:
                shown = state
        return str(shown)

    def crossing(self, before: Point, now: Point, *, first: bool) -> float | None:
        """Return after which share of a step it reaches the line, None where it does not.

        A step leads over the line from before it to it, or past it; the first step of all also
        from on it to past it.
        """
        was, is_ = side_of(before, self.start, self.end), side_of(now, self.start, self.end)
        forward = was < 0 <= is_ or (first and was == 0 < is_)
        backward = was > 0 >= is_ or (first and was == 0 > is_)
        if not forward and not (self._both_ways and backward):
            return None
        share = was / (was - is_)
        x = before[0] + share * (now[0] - before[0])
        y = before[1] + share * (now[1] - before[1])
        dx, dy = self.end[0] - self.start[0], self.end[1] - self.start[1]
        along = (x - self.start[0]) * dx + (y - self.start[1]) * dy
        return share if 0 <= along <= dx * dx + dy * dy else None

    def to_data(self, t: float) -> dict[str, Any]:
        """Return the light as observations show it."""
        ends = {"start": self.start, "end": self.end}
        line = {key: {"x": point[0], "y": point[1]} for key, point in ends.items()}
        return {"id": self.id, "state": self.state(t), "stop_line": line}


def _across(line: Mapping[str, Any], heading: float) -> tuple[Point, Point]:
    """Return the ends of a line across a heading; what comes along it crosses to the left side."""
    x, y = point_of(line)
    dx, dy = -math.sin(heading) * line["width"] / 2, math.cos(heading) * line["width"] / 2
    # from the left end to the right one, so that what comes towards it is on the line's right
    return (x + dx, y + dy), (x - dx, y - dy)
