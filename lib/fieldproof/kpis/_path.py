import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from fieldproof.kpis._collector import Collector, CollectorSpec, CollectorType
from fieldproof.kpis._figures import rounded
from fieldproof.kpis._geometry import Point, distance, is_finite, level_distance, point_of
from fieldproof.kpis._map import Metrics
from fieldproof.kpis._window import Window, window_of
from fieldproof.model import KpiBase, Label, Name, Placement, Problem, faults
from fieldproof.plan import PlanContext, PlannedAssertion
from fieldproof.samples import Sample, Subject

MOVED_M = 0.05
"""A model that never gets further than this from where it was first seen has not moved."""
FEWEST_POSES = 2


class PathParameters(Window):
    """Whose path is measured, and when."""

    vehicle: Name = Field(description="The vehicle whose ground-truth pose is read.")
    action: Label | None = Field(
        default=None, description="The timeline entry whose run is the window."
    )
    target: Placement | None = Field(
        default=None, description="Where the straight line ends; the last pose when absent."
    )

    @model_validator(mode="after")
    def _one_window(self) -> "PathParameters":
        found = list(self._second_window())
        if found:
            raise faults(type(self).__name__, found)
        return self

    def _second_window(self) -> Iterator[Problem]:
        if self.action is None:
            return
        for key, given in (("after_s", self.after_s.ns != 0), ("within_s", self.within_s)):
            if given:
                yield Problem("does not go with action", (key,), "its run is the window")


class Path(PathParameters, KpiBase):
    """The path that a vehicle drove."""

    type: Literal["path"]


def planned_path(spec: Any, context: PlanContext) -> PlannedAssertion:
    """Return a specification that has `PathParameters`, with its names resolved."""
    action = context.action(spec.action) if spec.action is not None else None
    target = context.place(spec.target) if spec.target is not None else None
    model = context.vehicle(spec.vehicle).name
    return PlannedAssertion(spec, model=model, target=target, resolved={"action": action})


class PathType(CollectorType):
    """The path that a vehicle drove.

    Missing: fewer than two poses in the window. A pose with a coordinate that is no finite number,
    and one older than the last, is left out.
    """

    type: ClassVar[str] = "path"
    Spec: ClassVar[CollectorSpec] = Path
    summary: ClassVar[str] = "The path that a vehicle drove, and how straight it was."
    metrics: ClassVar[Mapping[str, str]] = {
        "path_m": "length of the path",
        "straight_m": "from the first pose to the target, or to the last pose, without teleports",
        "efficiency": "straight line over path, at most 1",
        "max_speed_mps": "highest speed between two poses",
        "mean_speed_mps": "path over the time it took",
    }

    def plan(self, spec: Path, context: PlanContext) -> PlannedAssertion:
        """Return the collector with its names resolved."""
        return planned_path(spec, context)

    def collector(self, planned: PlannedAssertion) -> "PathCollector":
        """Return the collector."""
        return PathCollector(planned)


class PathCollector(Collector):
    """Adds up the distances between a model's poses.

    The window reaches from `after_s` to `within_s`, or from the start of the entry's first
    occurrence to its end, ends included. Lengths count heights, the straight line to a target only
    where the target gives `z`. Speeds are in simulation time where the stream has it.

    A teleport is no driving: what it moved the model is neither path nor straight line. The
    straight lines of the stretches between teleports add up, the last one's to the target.

    Attributes:
        opened_s: When the window opened; None before.
        closed_s: When the entry ended; None before, and for a window of time.
        path_m: Metres driven.
        poses: Poses in the window.
        unsound_s: When a pose in the window first had a coordinate that is no finite number.
    """

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert planned.model is not None
        self.model = planned.model
        self.label: str | None = planned.resolved["action"]
        self.after_s, self.until_s = window_of(planned.spec)
        self.opened_s: float | None = None if self.label is not None else self.after_s
        self.closed_s: float | None = None
        self.path_m = 0.0
        self.poses = 0
        self.unsound_s: float | None = None
        self._target = _target_of(planned)
        self._level = self._target is not None and planned.spec.target.z is None  # type: ignore[union-attr]
        self._first: Point | None = None
        self._last: Point | None = None
        self._last_t = -math.inf
        self._clock = self._first_clock = 0.0
        self._stretches_m = 0.0  # straight lines of the stretches before the last teleport
        self._teleported = False
        self._farthest_m = 0.0
        self._fastest_mps = 0.0
        self._before: tuple[Sample, float] | None = None

    def subjects(self) -> tuple[Subject, ...]:
        """The model's poses."""
        return (("pose", self.model),)

    def on_sample(self, sample: Sample, t: float) -> None:
        """Add a pose of the window."""
        if t < self._last_t:
            return
        self._last_t = t
        self._teleported = self._teleported or bool(sample.data.get("teleported"))
        if self.opened_s is None or self.closed_s is not None:
            self._before = (sample, t)
        elif self.opened_s <= t <= self.until_s:
            self._add(sample, t)

    def on_action(self, label: str, event: str, t: float, status: str) -> None:  # noqa: ARG002
        """Open and close the window with the entry's first occurrence."""
        if label != self.label or self.closed_s is not None:
            return
        if event == "started" and self.opened_s is None:
            self.opened_s = t
            if self._before is not None and self._before[1] == t:
                self._add(*self._before)
        elif event == "finished":
            self.closed_s = t

    def missing(self) -> str:
        """Fewer than two poses."""
        if self.poses >= FEWEST_POSES:
            return ""
        if self.opened_s is None:
            return f"{self.label} never started"
        return f"{self.poses or 'no'} pose{'s' * (not self.poses)} of {self.model} in the window"

    @property
    def straight_m(self) -> float | None:
        """Metres from the first pose to the target, or to the last pose, without teleports."""
        if self._first is None:
            return None
        return self._stretches_m + self._left_from(self._first)

    @property
    def efficiency(self) -> float | None:
        """The straight line over the path, from 0 to 1; None with fewer than two poses.

        A model that stops short of its target has driven less than the line: it counts as 1. One
        that ends no nearer to the target than it began, or was put last, counts as 0. One that has
        not moved counts as 1 if it has no target, or stands on it.
        """
        straight = self.straight_m
        if straight is None or self._first is None or self._last is None:
            return None
        if self.poses < FEWEST_POSES:
            return None
        begun, left = self._left_from(self._first), self._left_from(self._last)
        if self._farthest_m <= MOVED_M:
            return 1.0 if self._target is None or begun <= MOVED_M else 0.0
        was_put_there = self._stretches_m > 0 and left <= MOVED_M
        if self._target is not None and left >= begun and not was_put_there:
            return 0.0
        return min(1.0, straight / self.path_m)

    def evidence(self) -> Mapping[str, Any]:
        """The figures, and the number of poses."""
        figures = {name: value for name, (value, _) in self.metrics().items()}
        return {**figures, "samples": self.poses}

    def metrics(self) -> Metrics:
        """Metres, metres a second, and a ratio."""
        measured = self.poses >= FEWEST_POSES
        took = self._clock - self._first_clock
        return {
            "path_m": (rounded(self.path_m) if measured else None, "m"),
            "straight_m": (rounded(self.straight_m) if measured else None, "m"),
            "efficiency": (rounded(self.efficiency), ""),
            "max_speed_mps": (rounded(self._fastest_mps) if took > 0 else None, "m/s"),
            "mean_speed_mps": (rounded(self.path_m / took) if took > 0 else None, "m/s"),
        }

    def _left_from(self, point: Point) -> float:
        end = self._target or self._last
        assert end is not None
        return level_distance(point, end) if self._level else distance(point, end)

    def _add(self, sample: Sample, t: float) -> None:
        here = point_of(sample.data)
        if not is_finite(here):
            self.unsound_s = t if self.unsound_s is None else self.unsound_s
            return
        clock = t if sample.sim is None else sample.sim
        self.poses += 1
        if self._first is None or self._last is None:
            self._first, self._first_clock = here, clock
        elif self._teleported:
            self._stretches_m += distance(self._first, self._last)
            self._first = here
        else:
            step, took = distance(self._last, here), clock - self._clock
            self.path_m += step
            self._farthest_m = max(self._farthest_m, distance(self._first, here))
            if took > 0:
                self._fastest_mps = max(self._fastest_mps, step / took)
        self._last, self._clock = here, clock
        self._teleported = False


def _target_of(planned: PlannedAssertion) -> Point | None:
    target = planned.target
    return None if target is None else (target.x, target.y, target.z)
