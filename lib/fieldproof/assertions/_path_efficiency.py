from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from fieldproof.assertions._checker import WindowedChecker
from fieldproof.assertions._result import FAILED, PASSED
from fieldproof.assertions._type import AssertionSpec, AssertionType
from fieldproof.kpis import (
    FEWEST_POSES,
    Metrics,
    PathCollector,
    PathParameters,
    number,
    planned_path,
    rounded,
)
from fieldproof.model import AssertionBase
from fieldproof.plan import PlanContext, PlannedAssertion
from fieldproof.samples import Sample, Subject


class PathEfficiency(PathParameters, AssertionBase):
    """The path is close to the straight line, and short enough."""

    type: Literal["path_efficiency"]
    min_ratio: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.5, description="The least straight-line distance over path length."
    )
    max_path_m: Annotated[float, Field(gt=0, le=1e9)] | None = Field(
        default=None, description="The path length never to exceed."
    )


class PathEfficiencyType(AssertionType):
    """The vehicle takes a direct way.

    The path is the sum of the distances between consecutive poses of the window; the straight line
    runs from the first of them to the target, or to the last pose. A pose that comes out of order
    is left out, one that comes twice adds nothing, and a gap is bridged in a straight line. What a
    teleport moved the vehicle is neither path nor straight line: the straight lines of the
    stretches between teleports add up, the last one's to the target. The
    window is the run of the action's first occurrence, or a window of time.
    Passes when the window closes with straight line over path at `min_ratio` or above. One that
    stops short of its target has driven less than the line, and counts as 1; one that ends no
    nearer to its target than it began counts as 0; one that did not move counts as 1 without a
    target.
    Fails there if it is below, and at once when the path is longer than `max_path_m`.
    No data: fewer than two poses in the window fail, and so does an action that never starts.
    NaN: a pose of the window with a coordinate that is no finite number fails: the length of the
    path is not known.
    End of the timeline: closes a window that is still open.
    """

    type: ClassVar[str] = "path_efficiency"
    Spec: ClassVar[AssertionSpec] = PathEfficiency
    summary: ClassVar[str] = "The path is close to the straight line, and short enough."
    metrics: ClassVar[Mapping[str, str]] = {
        "path_m": "length of the path",
        "straight_m": "from the first pose to the target, or to the last pose, without teleports",
        "efficiency": "straight line over path, at most 1",
        "max_speed_mps": "highest speed between two poses",
        "mean_speed_mps": "path over the time it took",
        "samples": "poses in the window",
    }

    def plan(self, spec: PathEfficiency, context: PlanContext) -> PlannedAssertion:
        """Return the assertion with its names resolved."""
        return planned_path(spec, context)

    def checker(self, planned: PlannedAssertion) -> "PathEfficiencyChecker":
        """Return the checker."""
        return PathEfficiencyChecker(planned)


class PathEfficiencyChecker(WindowedChecker):
    """Adds up the path and judges it when the window closes."""

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, PathEfficiency)
        self._spec = planned.spec
        self._path = PathCollector(planned)

    def subjects(self) -> tuple[Subject, ...]:
        """The vehicle's poses."""
        return self._path.subjects()

    def on_sample(self, sample: Sample, t: float) -> None:
        """Add a pose."""
        path = self._path
        before = path.poses
        path.on_sample(sample, t)
        if self.result is None and path.poses != before:
            x, y = sample.data["x"], sample.data["y"]
            self.note(t, sample, x=x, y=y, path_m=rounded(path.path_m))
        self._judge_so_far(t, sample.sim)

    def on_action(self, label: str, event: str, t: float, status: str) -> None:
        """Open the window, or close it and judge."""
        self._path.on_action(label, event, t, status)
        self._judge_so_far(t, None)
        if self._path.closed_s is not None:
            self._judge(t, f"when it ended {status}")

    def on_window_end(self, t: float, when: str) -> None:
        """Judge."""
        self._judge(t, when)

    def evidence(self) -> Mapping[str, Any]:
        """The figures."""
        return self._path.evidence()

    def metrics(self) -> Metrics:
        """Metres, metres a second, a ratio and a number of poses."""
        return {**self._path.metrics(), "samples": (self._path.poses, "")}

    def _judge_so_far(self, t: float, sim: float | None) -> None:
        path, most = self._path, self._spec.max_path_m
        if path.unsound_s is not None:
            at = number(path.unsound_s)
            what = f"{path.model} was nowhere at {at} s: a coordinate is no finite number"
            self.resolve(FAILED, what, t, sim)
        elif most is not None and path.path_m > most:
            drove = f"{path.model} drove {number(path.path_m, most)} m by {number(t)} s"
            self.resolve(FAILED, f"{drove} (at most {number(most, path.path_m)} m)", t, sim)

    def _judge(self, t: float, when: str) -> None:
        path = self._path
        if path.poses < FEWEST_POSES:
            self.resolve(FAILED, f"cannot be judged {when}: {path.missing()}", t)
            return
        efficiency, straight = path.efficiency or 0.0, path.straight_m or 0.0
        drove = f"{path.model} drove {number(path.path_m)} m for {number(straight)} m straight"
        least = self._spec.min_ratio
        limit = f"efficiency {number(efficiency, least)} (at least {number(least, efficiency)})"
        status = PASSED if efficiency >= least else FAILED
        self.resolve(status, f"{drove}: {limit}", t)
