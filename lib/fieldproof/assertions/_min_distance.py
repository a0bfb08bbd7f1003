import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from fieldproof.assertions._checker import WindowedChecker
from fieldproof.assertions._result import FAILED, PASSED
from fieldproof.assertions._type import AssertionSpec, AssertionType
from fieldproof.kpis import (
    DistanceCollector,
    DistanceParameters,
    Gap,
    Metrics,
    number,
    planned_distance,
    rounded,
)
from fieldproof.model import AssertionBase
from fieldproof.plan import PlanContext, PlannedAssertion
from fieldproof.samples import Sample, Subject


class MinDistance(DistanceParameters, AssertionBase):
    """The vehicle keeps a distance to something."""

    type: Literal["min_distance"]
    min_m: Annotated[float, Field(gt=0, le=1e6)] = Field(
        description="The distance never to go below, between the origins."
    )


class MinDistanceType(AssertionType):
    """The vehicle keeps its distance.

    Measured is the distance between the models' origins, at every pose of either once both are
    known: poses of one instant against each other, else against the other's last pose, however
    old. A model that is gone has no pose any more: nothing is measured until it is back. Heights
    count between models, and to a target where it gives `z`. A pose that comes out of order is
    measured, and not kept.
    Passes at the window's end if every distance was at least `min_m`.
    Fails at the first that is smaller.
    No data: without a distance in the window it fails at its end, and names what was not seen.
    NaN: a distance that is no finite number fails, for it shows nothing.
    End of the timeline: ends a window that is still open.
    """

    type: ClassVar[str] = "min_distance"
    Spec: ClassVar[AssertionSpec] = MinDistance
    summary: ClassVar[str] = "The vehicle keeps a minimum distance to something."
    metrics: ClassVar[Mapping[str, str]] = {
        "closest_m": "smallest distance",
        "closest_at_s": "when it was smallest",
        "final_m": "the last distance",
    }

    def plan(self, spec: MinDistance, context: PlanContext) -> PlannedAssertion:
        """Return the assertion with both ends of the distance resolved."""
        return planned_distance(spec, context)

    def checker(self, planned: PlannedAssertion) -> "MinDistanceChecker":
        """Return the checker."""
        return MinDistanceChecker(planned)


class MinDistanceChecker(WindowedChecker):
    """Looks for the first distance that is too small."""

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, MinDistance)
        self._min_m = planned.spec.min_m
        self._distance = DistanceCollector(planned, self._judge)
        self._to = self._distance.other or "the target"

    def subjects(self) -> tuple[Subject, ...]:
        """The poses of both, and their being gone."""
        return self._distance.subjects()

    def on_sample(self, sample: Sample, t: float) -> None:
        """Measure."""
        self._distance.on_sample(sample, t)
        if self.result is None:
            self.due_s = min(self.until_s, self._distance.waits_since)

    def on_tick(self, t: float) -> None:
        """Measure what waited for a pose of the same instant, and end the window."""
        if t > self._distance.waits_since:
            self._distance.settle()
            self.due_s = self.until_s
        super().on_tick(t)

    def on_window_end(self, t: float, when: str) -> None:
        """Pass if there was a distance."""
        self._distance.settle()
        missing = self._distance.missing()
        if missing:
            self.resolve(FAILED, f"{missing} {when}", t)
            return
        closest = self._distance.closest
        assert closest is not None
        near = f"at least {number(closest.distance, self._min_m)} m away from {self._to}"
        limit = f"(at least {number(self._min_m, closest.distance)} m)"
        self.resolve(PASSED, f"{self._distance.model} stayed {near} {limit}", t)

    def evidence(self) -> Mapping[str, Any]:
        """The closest call, and how many distances there were."""
        return self._distance.evidence()

    def metrics(self) -> Metrics:
        """Distances in metres and a time in seconds."""
        return self._distance.metrics()

    def _judge(self, gap: Gap) -> None:
        finite = math.isfinite(gap.distance)
        self.note(gap.t, gap.sample, distance_m=rounded(gap.distance) if finite else None)
        if finite and gap.distance >= self._min_m:
            return
        model, at = self._distance.model, f"at {number(gap.t)} s"
        if finite:
            limit = f"(at least {number(self._min_m, gap.distance)} m)"
            away = f"{number(gap.distance, self._min_m)} m away from {self._to}"
            why = f"{model} was {away} {at} {limit}"
        else:
            why = f"{model} was nowhere {at}: its distance from {self._to} is no finite number"
        self.resolve(FAILED, why, gap.t, gap.sample.sim)
