"""Assertion types as a plugin's distribution might hold them, good and bad."""

from typing import ClassVar, Literal

from fieldproof.assertions import (
    FAILED,
    PASSED,
    AssertionSpec,
    AssertionType,
    Checker,
    PlanContext,
    PlannedAssertion,
    Sample,
)
from fieldproof.model import AssertionBase, Name, Placement


class VisitsWaypoints(AssertionBase):
    type: Literal["example.visits_waypoints"]
    vehicle: Name
    waypoints: list[Placement]
    tolerance_m: float = 0.5


class VisitsWaypointsChecker(Checker):
    def __init__(self, planned):
        super().__init__(planned)
        self.left = [(one["x"], one["y"]) for one in planned.resolved["waypoints"]]
        self.visited = 0

    def on_sample(self, sample: Sample, t: float) -> None:
        if sample.kind != "pose" or sample.data.get("model") != self.planned.model:
            return
        x, y = sample.data["x"], sample.data["y"]
        near = [
            one
            for one in self.left
            if abs(complex(*one) - complex(x, y)) <= self.planned.spec.tolerance_m
        ]
        for one in near:
            self.left.remove(one)
            self.visited += 1
            self.note(t, sample, x=x, y=y)
        if not self.left:
            self.resolve(PASSED, "all waypoints visited", t, sample.sim, visited=self.visited)

    def on_finish(self, t: float) -> None:
        if not self.done:
            self.resolve(FAILED, "the timeline ended", t, missing=len(self.left))

    def metrics(self):
        return {"visited": (self.visited, "")}


class VisitsWaypointsType(AssertionType):
    type: ClassVar[str] = "example.visits_waypoints"
    Spec: ClassVar[AssertionSpec] = VisitsWaypoints
    summary: ClassVar[str] = "The vehicle visits every waypoint, in any order."
    metrics: ClassVar[dict[str, str]] = {"visited": "waypoints visited"}

    def plan(self, spec: VisitsWaypoints, context: PlanContext) -> PlannedAssertion:
        vehicle = context.vehicle(spec.vehicle)
        waypoints = [context.place(one) for one in spec.waypoints]
        return PlannedAssertion(spec, model=vehicle.name, resolved={"waypoints": waypoints})

    def checker(self, planned: PlannedAssertion) -> Checker:
        return VisitsWaypointsChecker(planned)


class Taken(VisitsWaypointsType):
    pass


class BadName(VisitsWaypointsType):
    type = "Visits Waypoints"


class NoSpec(VisitsWaypointsType):
    Spec = dict


class OtherLiteral(VisitsWaypointsType):
    type = "example.other"


class NoSummary(AssertionType):
    type = "example.visits_waypoints"
    Spec = VisitsWaypoints


class NoPlan(AssertionType):
    type = "example.visits_waypoints"
    Spec = VisitsWaypoints
    summary = "Nothing."

    def checker(self, planned):
        return Checker(planned)


class NoChecker(AssertionType):
    type = "example.visits_waypoints"
    Spec = VisitsWaypoints
    summary = "Nothing."

    def plan(self, spec, context):
        return PlannedAssertion(spec)
