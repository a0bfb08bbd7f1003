import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field, model_validator

from fieldproof.kpis._collector import Collector, CollectorSpec, CollectorType
from fieldproof.kpis._figures import rounded
from fieldproof.kpis._geometry import (
    Point,
    distance,
    level_distance,
    point_of,
    shown_point,
)
from fieldproof.kpis._map import Metrics
from fieldproof.kpis._window import Window, window_of
from fieldproof.model import KpiBase, Name, Placement, Problem, Strict, faults
from fieldproof.plan import PlanContext, PlannedAssertion, Watch
from fieldproof.samples import Sample, Subject

ModelName = Annotated[str, Field(min_length=1, max_length=255)]


class DistanceTo(Strict):
    """What a distance is measured to: one of the three."""

    vehicle: Name | None = Field(default=None, description="Another vehicle of the scenario.")
    model: ModelName | None = Field(
        default=None, description="A model of the world, spawned ones included."
    )
    target: Placement | None = Field(default=None, description="A place in the world.")

    @model_validator(mode="after")
    def _one_of_them(self) -> "DistanceTo":
        if sum(one is not None for one in (self.vehicle, self.model, self.target)) != 1:
            what = "must have one of vehicle, model and target"
            raise faults("DistanceTo", [Problem(what)])
        return self


class DistanceParameters(Window):
    """Between what a distance is measured, and when."""

    vehicle: Name = Field(description="The vehicle whose ground-truth pose is read.")
    to: DistanceTo = Field(description="What it is measured to.")

    def vehicle_names(self) -> tuple[str, ...]:
        """Return both vehicles."""
        return (self.vehicle, self.to.vehicle) if self.to.vehicle else (self.vehicle,)


class Distance(DistanceParameters, KpiBase):
    """The distance between a vehicle and something else."""

    type: Literal["distance"]


def planned_distance(spec: Any, context: PlanContext) -> PlannedAssertion:
    """Return a specification that has `DistanceParameters`, with its names resolved."""
    model = context.vehicle(spec.vehicle).name
    to: DistanceTo = spec.to
    if to.target is not None:
        return PlannedAssertion(
            spec, model=model, target=context.place(to.target), resolved={"to": None}
        )
    other = to.model
    if to.vehicle is not None:
        other = context.vehicle(to.vehicle, at=("to", "vehicle")).name
    if other == model:
        key = "model" if to.vehicle is None else "vehicle"
        raise context.refusal(f"{model} has no distance to itself", at=("to", key))
    watch = Watch("model", model=other)
    return PlannedAssertion(spec, model=model, resolved={"to": other}, watches=(watch,))


class DistanceType(CollectorType):
    """The distance between a vehicle and something else.

    Missing: no distance was measured in the window. A pose with a coordinate that is no finite
    number is left out.
    """

    type: ClassVar[str] = "distance"
    Spec: ClassVar[CollectorSpec] = Distance
    summary: ClassVar[str] = "How close a vehicle came to something else."
    metrics: ClassVar[Mapping[str, str]] = {
        "closest_m": "smallest distance",
        "closest_at_s": "when it was smallest",
        "final_m": "the last distance",
    }

    def plan(self, spec: Distance, context: PlanContext) -> PlannedAssertion:
        """Return the collector with its names resolved."""
        return planned_distance(spec, context)

    def collector(self, planned: PlannedAssertion) -> "DistanceCollector":
        """Return the collector."""
        return DistanceCollector(planned)


class Gap(NamedTuple):
    """A measured distance in metres, with both places; not finite when one of them is not."""

    t: float
    sample: Sample
    distance: float
    here: Point
    there: Point

    def to_data(self) -> dict[str, Any]:
        """Return it as evidence shows it."""
        return {
            "t_s": self.t,
            "sim_s": self.sample.sim,
            "distance_m": rounded(self.distance),
            "position": shown_point(self.here),
            "other": shown_point(self.there),
        }


class _Seen(NamedTuple):
    """A model's newest pose; `moment` is the same for poses of one instant."""

    t: float
    moment: float
    sample: Sample
    point: Point


class DistanceCollector(Collector):
    """Measures at every pose of either model, once both are known.

    Poses of one instant are measured against each other; where the other model has none of that
    instant, its last one counts, however old. That shows when time has moved on, so a measurement
    may come then, with its own time. A pose older than the last of its model is measured and then
    forgotten. A model that is gone has no last pose: nothing is measured until it is back. Between
    models heights count; to a target only where it gives `z`.

    Args:
        planned: The collector, or the assertion that measures with it.
        told: Told of each measurement in the window.

    Attributes:
        samples: Measurements in the window.
        closest: The smallest of them.
        waits_since: The time of a pose that waits for the other's of its instant; else infinity.
    """

    def __init__(
        self, planned: PlannedAssertion, told: Callable[[Gap], None] | None = None
    ) -> None:
        super().__init__(planned)
        assert planned.model is not None
        self.model = planned.model
        self.other: str | None = planned.resolved["to"]
        self.after_s, self.until_s = window_of(planned.spec)
        self.samples = 0
        self.closest: Gap | None = None
        self._told = told
        self._last: dict[str, _Seen] = {}
        self._newest_s: dict[str, float] = {}  # when each was last seen, or seen to be gone
        self._seen: set[str] = set()
        self._waiting: _Seen | None = None
        self._final: Gap | None = None
        self._level = False
        self._target: Point | None = None
        if planned.target is not None:
            target = planned.target
            self._target = (target.x, target.y, target.z)
            self._level = planned.spec.to.target.z is None  # type: ignore[union-attr]

    @property
    def waits_since(self) -> float:
        """When the pose that waits was seen; infinity when none waits."""
        return math.inf if self._waiting is None else self._waiting.t

    def subjects(self) -> tuple[Subject, ...]:
        """The poses of both, and their being gone."""
        return tuple((kind, model) for model in self._models for kind in ("pose", "gone"))

    @property
    def _models(self) -> tuple[str, ...]:
        return (self.model,) if self.other is None else (self.model, self.other)

    def on_sample(self, sample: Sample, t: float) -> None:
        """Measure, wait for the other's pose of this instant, or forget what is gone."""
        moment = t if sample.sim is None else sample.sim
        if sample.kind == "gone":
            self._forget(sample.data["model"], t, moment)
            return
        seen = _Seen(t, moment, sample, point_of(sample.data))
        if self._target is not None:
            self._measure(seen, self._target)
            return
        model = sample.data["model"]
        waiting = self._waiting
        if waiting is not None and waiting.moment != moment:
            self.settle()
        self._waiting = None
        late = t < self._newest_s.get(model, -math.inf)
        self._seen.add(model)
        if not late:
            self._last[model] = seen
            self._newest_s[model] = t
        other = self._last.get(str(self.other) if model == self.model else self.model)
        if other is None:
            return
        if other.moment == moment or late:
            self._pair(seen, other)
        else:
            self._waiting = seen

    def _forget(self, model: str, t: float, moment: float) -> None:
        """Know no pose of a model any more: from this moment on it is nowhere."""
        if t < self._newest_s.get(model, -math.inf):
            return
        if self._waiting is not None and self._waiting.moment != moment:
            self.settle()
        self._waiting = None
        self._last.pop(model, None)
        self._newest_s[model] = t

    def settle(self) -> None:
        """Measure the pose that waits against the other's last one."""
        if self._waiting is None:
            return
        seen, self._waiting = self._waiting, None
        model = seen.sample.data["model"]
        self._pair(seen, self._last[str(self.other) if model == self.model else self.model])

    def on_finish(self, t: float) -> None:  # noqa: ARG002
        """Measure what still waits."""
        self.settle()

    def missing(self) -> str:
        """No distance was measured."""
        if self.closest is not None:
            return ""
        unseen = [model for model in self._models if model not in self._seen]
        if self._target is not None or not unseen:
            what = f"no distance from {self.model} was measured in the window"
            if self.samples:
                return f"{what}: its poses are no finite numbers"
            gone = [model for model in self._models if model not in self._last]
            return f"{what}: {' and '.join(gone)} was gone" if gone else what
        return f"no pose of {' and of '.join(unseen)} was seen"

    def evidence(self) -> Mapping[str, Any]:
        """The closest of the measurements, and their number."""
        closest = None if self.closest is None else self.closest.to_data()
        return {"closest": closest, "samples": self.samples}

    def metrics(self) -> Metrics:
        """Distances in metres and a time in seconds."""
        closest, final = self.closest, self._final
        return {
            "closest_m": (closest and rounded(closest.distance), "m"),
            "closest_at_s": (closest and closest.t, "s"),
            "final_m": (final and rounded(final.distance), "m"),
        }

    def _pair(self, seen: _Seen, other: _Seen) -> None:
        if seen.sample.data["model"] == self.model:
            self._measure(seen, other.point)
        else:
            self._measure(seen, other.point, swapped=True)

    def _measure(self, seen: _Seen, there: Point, *, swapped: bool = False) -> None:
        if not self.after_s <= seen.t <= self.until_s:
            return
        here = seen.point
        between = level_distance(here, there) if self._level else distance(here, there)
        if swapped:
            here, there = there, here
        gap = Gap(seen.t, seen.sample, between, here, there)
        self.samples += 1
        if math.isfinite(between):
            if self._final is None or gap.t >= self._final.t:
                self._final = gap
            if self.closest is None or between < self.closest.distance:
                self.closest = gap
        if self._told is not None:
            self._told(gap)
