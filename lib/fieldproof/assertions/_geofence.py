import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, NamedTuple

from pydantic import Field

from fieldproof.assertions._checker import WindowedChecker
from fieldproof.assertions._regions import Region, clearance_of
from fieldproof.assertions._result import FAILED, PASSED
from fieldproof.assertions._type import AssertionSpec, AssertionType, WindowedSpec
from fieldproof.kpis import Metrics, number, rounded
from fieldproof.model import Name
from fieldproof.plan import PlanContext, PlannedAssertion
from fieldproof.samples import Sample, Subject


class Geofence(WindowedSpec):
    """The vehicle's ground truth stays inside, or outside, a region."""

    type: Literal["geofence"]
    vehicle: Name = Field(description="The vehicle whose ground-truth pose is read.")
    region: Region = Field(description="A polygon, a circle or a box, in the world.")
    mode: Literal["inside", "outside"] = Field(
        default="inside", description="On which side of the boundary it must stay."
    )


class GeofenceType(AssertionType):
    """The vehicle stays on one side of a region's boundary.

    Judged is each pose of the window, on its own, whatever the order they come in: the origin of
    the model, on the level and, where `z_min` or `z_max` is given, in height. A pose on the
    boundary counts as inside.
    Passes at the window's end if every pose was on the right side. Between two poses, and in a gap
    of the stream, nothing is judged; ground truth that was lost makes the run inconclusive.
    Fails at the first pose on the wrong side.
    No data: without a pose in the window it fails at its end.
    NaN: a pose with a coordinate that matters and is no finite number fails, for it is nowhere.
    End of the timeline: ends a window that is still open.
    """

    type: ClassVar[str] = "geofence"
    Spec: ClassVar[AssertionSpec] = Geofence
    summary: ClassVar[str] = "The vehicle's ground truth stays inside, or outside, a region."
    metrics: ClassVar[Mapping[str, str]] = {
        "min_clearance_m": "smallest distance to the boundary, negative on the wrong side",
        "samples": "poses in the window",
    }

    def plan(self, spec: Geofence, context: PlanContext) -> PlannedAssertion:
        """Return the assertion with its vehicle checked."""
        return PlannedAssertion(spec, model=context.vehicle(spec.vehicle).name)

    def checker(self, planned: PlannedAssertion) -> "GeofenceChecker":
        """Return the checker."""
        return GeofenceChecker(planned)


class _Seen(NamedTuple):
    """A pose with its clearance in metres, positive on the right side."""

    t: float
    sim: float | None
    x: float
    y: float
    z: float
    clearance: float

    def to_data(self) -> dict[str, Any]:
        return {
            "t_s": self.t,
            "sim_s": self.sim,
            "x": self.x,
            "y": self.y,
            "z": self.z,
            "clearance_m": rounded(self.clearance) if math.isfinite(self.clearance) else None,
        }


class GeofenceChecker(WindowedChecker):
    """Looks for the first pose on the wrong side, and remembers the closest call."""

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, Geofence)
        assert planned.model is not None
        self._model = planned.model
        self._inside = planned.spec.mode == "inside"
        self._clearance = clearance_of(planned.spec.region)
        self._samples = 0
        self._closest: _Seen | None = None
        self._violation: _Seen | None = None

    def subjects(self) -> tuple[Subject, ...]:
        """The vehicle's poses."""
        return (("pose", self._model),)

    def on_sample(self, sample: Sample, t: float) -> None:
        """Judge a pose."""
        if not self.after_s <= t <= self.until_s:
            return
        self._samples += 1
        data = sample.data
        x, y, z = data["x"], data["y"], data["z"]
        clearance = self._clearance(x, y, z)
        if not self._inside:
            clearance = -clearance
        is_right = clearance >= 0 if self._inside else clearance > 0
        is_right = is_right and math.isfinite(clearance)
        closest = self._closest
        if is_right and closest is not None and clearance >= closest.clearance:
            if self.result is None:
                self.note(t, sample, x=x, y=y, z=z, clearance_m=rounded(clearance))
            return
        seen = _Seen(t, sample.sim, x, y, z, clearance)
        if math.isfinite(clearance):
            self.note(t, sample, x=x, y=y, z=z, clearance_m=rounded(clearance))
            if closest is None or clearance < closest.clearance:
                self._closest = seen
        else:
            self.note(t, sample, x=x, y=y, z=z)
        if not is_right and self._violation is None and self.result is None:
            self._violation = seen
            self.resolve(FAILED, self._why(seen), t, sample.sim)

    def on_window_end(self, t: float, when: str) -> None:
        """Pass if there was a pose."""
        if self._closest is None:
            self.resolve(FAILED, f"no pose of {self._model} was seen {when}", t)
            return
        where = "inside" if self._inside else "outside"
        least = f"never nearer than {number(self._closest.clearance, 0)} m to the boundary"
        self.resolve(PASSED, f"{self._model} stayed {where} the region: {least}", t)

    def evidence(self) -> Mapping[str, Any]:
        """The pose closest to the boundary, the one on the wrong side, and how many there were."""
        closest = None if self._closest is None else self._closest.to_data()
        shown = {"min_clearance": closest, "samples": self._samples}
        return (
            shown if self._violation is None else {**shown, "violation": self._violation.to_data()}
        )

    def metrics(self) -> Metrics:
        """The smallest clearance in metres, and the number of poses."""
        least = None if self._closest is None else rounded(self._closest.clearance)
        return {"min_clearance_m": (least, "m"), "samples": (self._samples, "")}

    def _why(self, seen: _Seen) -> str:
        place = f"at {number(seen.t)} s, x {number(seen.x)} m, y {number(seen.y)} m"
        if not math.isfinite(seen.clearance):
            return f"{self._model} was nowhere {place}: a coordinate is no finite number"
        past = f"{number(-seen.clearance, 0)} m past the boundary"
        if self._inside:
            return f"{self._model} left the region {place}: {past}"
        if seen.clearance == 0:
            past = "on the boundary"
        return f"{self._model} entered the region {place}: {past}"
