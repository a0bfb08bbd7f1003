import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from fieldproof.assertions import (
    FAILED,
    PASSED,
    AssertionSpec,
    AssertionType,
    PlanContext,
    PlannedAssertion,
    Sample,
    WindowedChecker,
    WindowedSpec,
)
from fieldproof.kpis import Metrics, number, rounded
from fieldproof.model import Name, Placement, counted
from fieldproof.samples import Subject

_NAMED = 3
"""The most waypoints that a reason names; the evidence has them all."""


class VisitsWaypoints(WindowedSpec):
    """What a scenario writes, besides `name`, `on_fail`, `after_s` and `within_s`."""

    type: Literal["example.visits_waypoints"]
    vehicle: Name = Field(description="The vehicle whose ground-truth pose is read.")
    waypoints: Annotated[list[Placement], Field(min_length=1, max_length=256)] = Field(
        description="Where it must come, in any order."
    )
    tolerance_m: Annotated[float, Field(gt=0, le=1e6)] = Field(
        default=0.5, description="Horizontal distance to a waypoint that counts as a visit."
    )


class VisitsWaypointsType(AssertionType):
    """The vehicle visits every waypoint.

    Passes at the pose that visits the last waypoint still missing. A pose visits every waypoint
    within `tolerance_m` of it, measured horizontally; poses at exactly `after_s` and `within_s`
    count.
    Fails when `within_s` passes, at that moment, and names the waypoints that it missed.
    No data: without a pose in the window it fails when the window ends, and says so.
    NaN: a pose with a coordinate that is no finite number visits nothing.
    End of the timeline: fails there if not passed.
    """

    type: ClassVar[str] = "example.visits_waypoints"
    Spec: ClassVar[AssertionSpec] = VisitsWaypoints
    summary: ClassVar[str] = "The vehicle's ground truth visits every waypoint, in any order."
    metrics: ClassVar[Mapping[str, str]] = {
        "visited": "waypoints visited",
        "last_visit_s": "when the last of them was visited first",
    }

    def plan(self, spec: VisitsWaypoints, context: PlanContext) -> PlannedAssertion:
        """Return it with its waypoints in the world; an unknown vehicle or frame is refused."""
        waypoints = []
        for place, waypoint in enumerate(spec.waypoints):
            pose = context.place(waypoint, at=("waypoints", place))
            name = waypoint.frame or f"({number(pose.x)}, {number(pose.y)})"
            waypoints.append({"name": name, "x": pose.x, "y": pose.y})
        vehicle = context.vehicle(spec.vehicle)
        return PlannedAssertion(spec, model=vehicle.name, resolved={"waypoints": waypoints})

    def checker(self, planned: PlannedAssertion) -> "VisitsWaypointsChecker":
        """Return the checker."""
        return VisitsWaypointsChecker(planned)


class VisitsWaypointsChecker(WindowedChecker):
    """Ticks off waypoints as the vehicle comes by."""

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, VisitsWaypoints)
        assert planned.model is not None
        self._spec = planned.spec
        self._model = planned.model
        self._poses = 0
        self._visited: list[dict[str, Any]] = []
        self._missing = [_Waypoint(**one) for one in planned.resolved["waypoints"]]

    def subjects(self) -> tuple[Subject, ...]:
        """The vehicle's poses; the evaluator brings no other samples."""
        return (("pose", self._model),)

    def on_sample(self, sample: Sample, t: float) -> None:
        """Take a pose."""
        if self.done or not self.in_window(t):
            return
        self._poses += 1
        x, y = sample.data["x"], sample.data["y"]
        if not (math.isfinite(x) and math.isfinite(y)):
            return
        for waypoint in self._missing:
            waypoint.approach(x, y)
        nearest = min(self._missing, key=lambda one: one.distance_m)
        away_m = rounded(nearest.distance_m)
        self.note(t, sample, x=x, y=y, nearest=nearest.name, distance_m=away_m)
        here = [one for one in self._missing if one.distance_m <= self._spec.tolerance_m]
        self._missing = [one for one in self._missing if one not in here]
        for one in here:
            shown = {"t_s": t, "sim_s": sample.sim, "distance_m": rounded(one.distance_m)}
            self._visited.append({**one.shown(), **shown})
        if not self._missing:
            what = f"{self._model} visited {self._how_many()}, the last at {number(t)} s"
            self.resolve(PASSED, what, t, sample.sim)

    def on_window_end(self, t: float, when: str) -> None:
        """Fail, and name what it missed."""
        self.resolve(FAILED, self._why_not(when), t)

    def evidence(self) -> Mapping[str, Any]:
        """The waypoints visited, in the order of the visits, those missing, and how many poses."""
        missing = [{**one.shown(), "closest_m": rounded(one.closest_m)} for one in self._missing]
        return {"visited": self._visited, "missing": missing, "poses": self._poses}

    def metrics(self) -> Metrics:
        """A number of waypoints, and a time in seconds."""
        last_s = self._visited[-1]["t_s"] if self._visited else None
        return {"visited": (len(self._visited), ""), "last_visit_s": (last_s, "s")}

    def _how_many(self) -> str:
        total = len(self._visited) + len(self._missing)
        limit = f"tolerance {number(self._spec.tolerance_m)} m"
        return f"{len(self._visited)} of {counted(total, 'waypoint')} ({limit})"

    def _why_not(self, when: str) -> str:
        missed = [
            f"{one.name}, closest {number(one.closest_m)} m away"
            for one in self._missing
            if one.closest_m is not None
        ]
        if not missed:
            seen = "no pose with finite numbers" if self._poses else "no pose"
            return f"{seen} of {self._model} was seen {when}"
        more = f"; and {len(missed) - _NAMED} more" if len(missed) > _NAMED else ""
        named = "; ".join(missed[:_NAMED]) + more
        return f"{self._model} visited {self._how_many()} {when}; missed {named}"


@dataclass(slots=True, eq=False)
class _Waypoint:
    """A waypoint in the world frame and how far the vehicle is, and was, from it; in metres."""

    name: str
    x: float
    y: float
    distance_m: float = math.inf
    closest_m: float | None = None

    def approach(self, x: float, y: float) -> None:
        """Measure the distance to the vehicle."""
        self.distance_m = math.hypot(x - self.x, y - self.y)
        if self.closest_m is None or self.distance_m < self.closest_m:
            self.closest_m = self.distance_m

    def shown(self) -> dict[str, Any]:
        return {"waypoint": self.name, "x": self.x, "y": self.y}
