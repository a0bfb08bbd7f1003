"""What happens in a step: collisions, near misses, leaving the road, red lights, goal, time."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from fieldproof_sim.mock._lights import RED, Light
from fieldproof_sim.mock._plane import Point, Space, closest_approach, distance_to_line

COLLISION_M = 2.0
NEAR_MISS_M = 4.0
OFFROAD_MARGIN_M = 10.0

Event = dict[str, Any]


class Body(Protocol):
    """An ego as far as events go: metres, and the point that has to get to the goal."""

    x: float
    y: float
    z: float

    def reach(self) -> tuple[float, float, float]:
        """Return the point that has to get to the goal."""
        ...


class Other(Protocol):
    """An actor as far as events go: its id, its type, metres."""

    id: str
    kind: str
    x: float
    y: float
    z: float


class Road:
    """What counts as on the road.

    Attributes:
        bounds: the rectangle that may not be left, its edge included; None for no rectangle.
        lines: the roads' middle lines, or else the ego's route.
        margin_m: metres from a line that are still on it; infinite where lines do not count.
    """

    def __init__(
        self,
        bounds: Mapping[str, float] | None,
        lines: Sequence[Sequence[Point]],
        margin_m: float,
    ) -> None:
        self.bounds = bounds
        self.lines = [line for line in lines if line]
        self.margin_m = margin_m

    def fault(self, here: Point) -> Event | None:
        """Return the event of being off the road, None on it."""
        if self.bounds is not None:
            low_x, high_x = self.bounds["min_x"], self.bounds["max_x"]
            low_y, high_y = self.bounds["min_y"], self.bounds["max_y"]
            if not (low_x <= here[0] <= high_x and low_y <= here[1] <= high_y):
                return {"type": "offroad", "reason": "bounds"}
        if self.lines and math.isfinite(self.margin_m):
            away = min(distance_to_line(here, line) for line in self.lines)
            if away > self.margin_m:
                return {"type": "offroad", "reason": "margin", "distance": away}
        return None


class Watch:
    """Says what begins in a step.

    A collision begins when the distance to an actor falls below 2 m, a near miss when it falls
    below 4 m without a collision; either begins anew once the actor was 4 m away again. In a step
    everybody moves evenly, so that who drives through another has met it, and who drives through
    the goal has reached it. Distances are level, and in space for what flies. Leaving the road
    begins anew once the ego was back.
    """

    def __init__(
        self,
        *,
        road: Road,
        lights: Sequence[Light],
        goal: Mapping[str, Any] | None,
        duration_s: float,
        in_space: bool,
    ) -> None:
        self._road = road
        self._lights = lights
        self._goal = goal
        self._duration_s = duration_s
        self._in_space = in_space
        self._zones: dict[str, int] = {}
        self._places: dict[str, Space] = {}
        self._from_goal: Space | None = None
        self._t: float | None = None
        self._off = self._arrived = self._late = False

    def begin(self, ego: Body, actors: Sequence[Other]) -> None:
        """Learn where everybody is before the first step."""
        self._places = {actor.id: self._away(ego, actor) for actor in actors}
        if self._goal is not None:
            self._from_goal = _from_goal(ego, self._goal)

    def events(
        self, t: float, before: Point, ego: Body, actors: Sequence[Other]
    ) -> Iterator[Event]:
        """Yield the events of the step that ended at `t` seconds; the ego came from `before`."""
        first, since = self._t is None, self._t or 0.0
        self._t = t
        for actor in actors:
            yield from self._meeting(ego, actor)
        here = (ego.x, ego.y)
        fault = self._road.fault(here)
        if fault is not None and not self._off:
            yield fault
        self._off = fault is not None
        for light in self._lights:
            share = light.crossing(before, here, first=first)
            if share is not None and light.state(since + share * (t - since)) == RED:
                yield {"type": "red_light_violation", "traffic_light_id": light.id}
        if self._goal is not None and not self._arrived:
            now = _from_goal(ego, self._goal)
            away = closest_approach(self._from_goal or now, now)
            self._from_goal = now
            if away <= self._goal["tolerance"]:
                self._arrived = True
                yield {"type": "goal_reached", "distance": away}
        if t >= self._duration_s and not self._late and not self._arrived:
            self._late = True
            yield {"type": "timeout"}

    def _meeting(self, ego: Body, actor: Other) -> Iterator[Event]:
        here = self._away(ego, actor)
        away = closest_approach(self._places.get(actor.id, here), here)
        self._places[actor.id] = here
        zone = 2 if away < COLLISION_M else 1 if away < NEAR_MISS_M else 0
        before = self._zones.get(actor.id, 0)
        if zone > before:
            kind = "collision" if zone > 1 else "near_miss"
            yield {"type": kind, "actor_id": actor.id, "actor_type": actor.kind, "distance": away}
        self._zones[actor.id] = max(zone, before) if math.hypot(*here) < NEAR_MISS_M else 0

    def _away(self, ego: Body, actor: Other) -> Space:
        """Metres from the ego to an actor."""
        return (actor.x - ego.x, actor.y - ego.y, actor.z - ego.z if self._in_space else 0.0)


def goal_distance(ego: Body, goal: Mapping[str, Any]) -> float:
    """Return metres from what has to get there to the goal, heights only where it has one."""
    return math.hypot(*_from_goal(ego, goal))


def _from_goal(ego: Body, goal: Mapping[str, Any]) -> Space:
    """Return metres from the goal to what has to get there."""
    x, y, z = ego.reach()
    return (x - goal["x"], y - goal["y"], 0.0 if goal.get("z") is None else z - goal["z"])
