import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field

from fieldproof.assertions._checker import WindowedChecker
from fieldproof.assertions._result import FAILED, PASSED
from fieldproof.assertions._type import AssertionSpec, AssertionType
from fieldproof.kpis import MOVED_M, Metrics, number, rounded
from fieldproof.model import AssertionBase, Name, Placement, PositiveDuration
from fieldproof.plan import PlanContext, PlannedAssertion
from fieldproof.samples import Sample, Subject


class ReachPose(AssertionBase):
    """The vehicle's ground truth comes within a tolerance of a place."""

    type: Literal["reach_pose"]
    vehicle: Name = Field(description="The vehicle whose ground-truth pose is read.")
    target: Placement = Field(description="Where it must come, in the world.")
    tolerance_m: Annotated[float, Field(gt=0, le=1e6)] = Field(
        default=0.5, description="Horizontal distance to the target that counts as there."
    )
    yaw_tolerance_rad: Annotated[float, Field(gt=0, le=7)] | None = Field(
        default=None, description="Heading error that counts as aligned; unchecked when absent."
    )
    within_s: PositiveDuration | None = Field(
        default=None, description="Deadline after the timeline starts."
    )


class ReachPoseType(AssertionType):
    """The vehicle gets there.

    Passes at the first ground-truth pose of the timeline within `tolerance_m` of the target,
    measured horizontally, and, where `yaw_tolerance_rad` is given, within that of its heading
    (differences wrap at pi). A pose at exactly `within_s` still counts.
    Fails when `within_s` passes, at that moment.
    No data: without a pose it fails at the deadline or at the end, and says so.
    NaN: a pose with a coordinate, or a needed heading, that is no finite number is counted and
    otherwise ignored.
    End of the timeline: fails there if not passed; the reason says whether the vehicle moved.
    """

    type: ClassVar[str] = "reach_pose"
    Spec: ClassVar[AssertionSpec] = ReachPose
    summary: ClassVar[str] = "The vehicle's ground truth comes within a tolerance of a target."
    metrics: ClassVar[Mapping[str, str]] = {
        "closest_m": "smallest distance to the target",
        "reached_at_s": "when the target was first reached",
        "final_distance_m": "distance to the target at the last pose",
    }

    def plan(self, spec: ReachPose, context: PlanContext) -> PlannedAssertion:
        """Return the assertion with its target in the world."""
        target = context.place(spec.target)
        return PlannedAssertion(spec, model=context.vehicle(spec.vehicle).name, target=target)

    def checker(self, planned: PlannedAssertion) -> "ReachPoseChecker":
        """Return the checker."""
        return ReachPoseChecker(planned)


class ReachPoseChecker(WindowedChecker):
    """Looks for the first pose within tolerance, and remembers the closest."""

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, ReachPose)
        assert planned.target is not None
        assert planned.model is not None
        self._spec = planned.spec
        self._target = planned.target
        self._model = planned.model
        self._samples = 0
        self._first: tuple[float, float] | None = None
        self._moved_m = 0.0
        self._closest: _Seen | None = None
        self._final: _Seen | None = None
        self._reached: _Seen | None = None

    def subjects(self) -> tuple[Subject, ...]:
        """The vehicle's poses."""
        return (("pose", self._model),)

    def on_sample(self, sample: Sample, t: float) -> None:
        """Measure a pose."""
        if not self.in_window(t):
            return
        self._samples += 1
        x, y, yaw = sample.data["x"], sample.data["y"], sample.data["yaw"]
        distance = math.hypot(x - self._target.x, y - self._target.y)
        if not math.isfinite(distance):
            return
        off = math.remainder(yaw - self._target.yaw, math.tau) if math.isfinite(yaw) else math.nan
        if self._first is None:
            self._first = (x, y)
        self._moved_m = max(self._moved_m, math.hypot(x - self._first[0], y - self._first[1]))
        pose = self._final = _Seen(t, sample.sim, x, y, yaw, distance, abs(off))
        if self._closest is None or distance < self._closest.distance:
            self._closest = pose
        if self._reached is not None:
            return
        self.note(t, sample, x=x, y=y, yaw=yaw, distance_m=rounded(distance))
        if self._is_there(pose) and not self.done:
            self._reached = pose
            what = f"{self._model} reached the target: {self._how(pose)}"
            self.resolve(PASSED, what, t, sample.sim)

    def on_window_end(self, t: float, when: str) -> None:
        """Fail, and say how close it came."""
        self.resolve(FAILED, self._why_not(when), t)

    def evidence(self) -> Mapping[str, Any]:
        """The deciding pose, or else the closest; the last one; how many there were."""
        final = {"final": _shown(self._final), "samples": self._samples}
        if self._reached is not None:
            return {"reached": _shown(self._reached), **final}
        return {"closest": _shown(self._closest), **final}

    def metrics(self) -> Metrics:
        """Distances in metres and the time of arrival in seconds."""
        closest, reached, final = self._closest, self._reached, self._final
        return {
            "closest_m": (closest and rounded(closest.distance), "m"),
            "reached_at_s": (reached and reached.t, "s"),
            "final_distance_m": (final and rounded(final.distance), "m"),
        }

    def _is_there(self, pose: "_Seen") -> bool:
        limit = self._spec.yaw_tolerance_rad
        return pose.distance <= self._spec.tolerance_m and (limit is None or pose.off <= limit)

    def _how(self, pose: "_Seen") -> str:
        spec = self._spec
        text = f"{number(pose.distance, spec.tolerance_m)} m away at {number(pose.t)} s"
        limits = f"{number(spec.tolerance_m, pose.distance)} m"
        if spec.yaw_tolerance_rad is None:
            return f"{text} (tolerance {limits})"
        off = number(pose.off, spec.yaw_tolerance_rad)
        limits = f"{limits}, {number(spec.yaw_tolerance_rad, pose.off)} rad"
        return f"{text}, heading {off} rad off (tolerance {limits})"

    def _why_not(self, when: str) -> str:
        closest = self._closest
        if closest is None:
            seen = "no pose" if not self._samples else "no pose with finite numbers"
            return f"{seen} of {self._model} was seen {when}"
        if self._moved_m < MOVED_M:
            return f"{self._model} never moved: not at the target {when}, {self._how(closest)}"
        return f"{self._model} did not reach the target {when}: closest {self._how(closest)}"


class _Seen(NamedTuple):
    """A pose with its distance to the target in metres and its heading error in radians."""

    t: float
    sim: float | None
    x: float
    y: float
    yaw: float
    distance: float
    off: float


def _shown(pose: _Seen | None) -> dict[str, Any] | None:
    if pose is None:
        return None
    return {
        "t_s": pose.t,
        "sim_s": pose.sim,
        "x": pose.x,
        "y": pose.y,
        "yaw": pose.yaw,
        "distance_m": rounded(pose.distance),
        "yaw_error_rad": rounded(pose.off),
    }
