from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from fieldproof.driving.files._actors import Actor, Ego, InitialState, Start, WrittenEgo
from fieldproof.driving.files._environment import Environment
from fieldproof.driving.files._names import ActorName, Identifier, PassedOn, Tag
from fieldproof.model import Path, Problem, Strict, fault, faults, nearest, shown

EXTERNAL = ("carla", "gazebo", "isaac")
"""Simulators that an adapter speaks to."""
SIMULATORS = (*EXTERNAL, "mock", "ros2")
MOST_STEPS = 100_000
_SAME_STEP = 1e-9
_SUFFIXES = (".dll", ".dylib", ".py", ".so")
EGO = "ego"


def _known(name: str) -> str:
    if name in SIMULATORS or "/" in name or name.endswith(_SUFFIXES):
        return name
    raise fault(f"unknown simulator {shown(name)}", hint=nearest(name, SIMULATORS))


SimulatorName = Annotated[str, AfterValidator(_known)]
"""A simulator's name, or the path of one: a Python file or a native library."""

Seconds = Annotated[float, Field(gt=0, le=86_400)]


class SimulatorSettings(Strict):
    """A simulator with what its adapter needs to reach it."""

    name: SimulatorName
    host: Annotated[str, Field(min_length=1, max_length=253)] = "localhost"
    port: Annotated[int, Field(ge=1, le=65_535)] | None = None
    sync: bool = True
    fixed_delta_seconds: Seconds | None = Field(
        default=None,
        description="The simulator's own step, of which timestep_seconds is a multiple; "
        "timestep_seconds when absent.",
    )
    timeout_seconds: Seconds = 10.0
    map: str | None = Field(default=None, description="The map or stage that it loads.")
    topics: dict[str, str] = Field(
        default_factory=dict, description="Gazebo: topics by what they carry."
    )
    options: Annotated[dict[str, Any], PassedOn] = Field(
        default_factory=dict, description="Passed on as they are."
    )


class Camera(Strict):
    """A camera of an external simulator."""

    name: ActorName
    type: Literal["rgb", "depth", "semantic"] = "rgb"
    width: Annotated[int, Field(ge=1, le=16_384)] = 1280
    height: Annotated[int, Field(ge=1, le=16_384)] = 720
    fov: Annotated[float, Field(gt=0, lt=180)] = Field(default=90.0, description="Degrees.")


class Lidar(Strict):
    """A lidar of an external simulator."""

    name: ActorName = "lidar"
    channels: Annotated[int, Field(ge=1, le=1024)] = 32
    range_m: Annotated[float, Field(gt=0, le=1e4)] = 100.0


class Sensors(Strict):
    """What an external simulator renders for the agent; the mock simulator has no sensors."""

    cameras: Annotated[list[Camera], Field(max_length=64)] = Field(default=[])
    lidar: Lidar | list[Lidar] | None = None

    def all(self) -> tuple[Camera | Lidar, ...]:
        """Return every sensor, the cameras first."""
        lidars = self.lidar if isinstance(self.lidar, list) else [self.lidar]
        return (*self.cameras, *(one for one in lidars if one is not None))

    @model_validator(mode="after")
    def _names_differ(self) -> "Sensors":
        places: list[Path] = [("cameras", place, "name") for place in range(len(self.cameras))]
        lidars = len(self.lidar) if isinstance(self.lidar, list) else 0
        places += [("lidar", place, "name") for place in range(lidars)] or [("lidar", "name")]
        names = [one.name for one in self.all()]
        found = [
            Problem(f"{name} is taken", path)
            for name, path, before in zip(names, places, range(len(names)), strict=False)
            if name in names[:before]
        ]
        if found:
            raise faults("Sensors", found)
        return self


class SuccessCriteria(Strict):
    """What must be so at the end."""

    max_collisions: Annotated[int, Field(ge=0)] | None = None
    must_reach_goal: bool = False
    max_time_seconds: Seconds | None = None


class FailureCriteria(Strict):
    """What ends the scenario as failed when it happens."""

    collision: bool = True
    offroad: bool = True
    timeout: bool | None = Field(
        default=None, description="True when there is a goal and nothing is said."
    )
    red_light_violation: bool = False


class ScenarioFile(Strict):
    """A driving scenario as it is written; its assertions are read by their types."""

    id: Identifier
    name: Annotated[str, Field(min_length=1, max_length=200)]
    description: Annotated[str, Field(max_length=10_000)] = ""
    tags: Annotated[list[Tag], Field(max_length=100)] | None = None
    simulator: SimulatorName | SimulatorSettings = "mock"
    duration_seconds: Seconds
    timestep_seconds: Seconds
    ego: WrittenEgo | None = Field(
        default=None, description="May be absent with initial_state.pose."
    )
    initial_state: InitialState | None = None
    actors: Annotated[list[Actor], Field(max_length=1000)] = Field(default=[])
    environment: Environment = Field(default_factory=Environment)
    sensors: Sensors | None = None
    success_criteria: SuccessCriteria = Field(default_factory=SuccessCriteria)
    failure_criteria: FailureCriteria = Field(default_factory=FailureCriteria)
    assertions: Annotated[list[dict[str, Any]], Field(max_length=1000)] = Field(default=[])

    def the_ego(self) -> Ego:
        """Return the ego; it starts as `ego.start` and `initial_state` say together."""
        written = self.ego or WrittenEgo()
        said = self._placed()
        if written.start is not None:
            said |= written.start.model_dump(exclude_unset=True, exclude_none=True)
        return Ego(start=Start(**said), goal=written.goal, route=written.route)

    def steps_within(self) -> int:
        """Return how many steps of its own a simulator makes in one of the scenario's."""
        delta = self.simulator_settings().fixed_delta_seconds
        return 1 if delta is None else round(self.timestep_seconds / delta)

    def simulator_settings(self) -> SimulatorSettings:
        """Return the simulator as a mapping, whichever way it was written."""
        if isinstance(self.simulator, SimulatorSettings):
            return self.simulator
        return SimulatorSettings(name=self.simulator)

    @model_validator(mode="after")
    def _parts_agree(self) -> "ScenarioFile":
        found = [*self._times(), *self._start(), *self._people(), *self._steps()]
        if found:
            raise faults("ScenarioFile", found)
        return self

    def _times(self) -> Iterator[Problem]:
        step, length = self.timestep_seconds, self.duration_seconds
        if step > length:
            what = f"must be at most duration_seconds (got {step:g})"
            yield Problem(what, ("timestep_seconds",))
        elif length / step > MOST_STEPS:
            what = f"makes {length / step:.10g} steps, at most {MOST_STEPS} are run"
            yield Problem(what, ("timestep_seconds",), "use longer steps")

    def _start(self) -> Iterator[Problem]:
        start = None if self.ego is None else self.ego.start
        placed = self._placed()
        if start is None:
            if "x" not in placed:
                path = ("ego",) if self.ego is None else ("ego", "start")
                yield Problem("is missing", path, "or give initial_state.pose")
            return
        for key, said in start.model_dump(exclude_unset=True, exclude_none=True).items():
            other = placed.get(key, said)
            if other != said:
                path = ("initial_state", *(() if key == "speed" else ("pose",)), key)
                what = f"contradicts ego.start.{key}, {said:g} (got {other:g})"
                yield Problem(what, path, "leave one of the two out")

    def _placed(self) -> dict[str, float]:
        """Return what initial_state says of the start; a speed of 0 is that of who says none."""
        state = self.initial_state or InitialState()
        said = {"speed": state.speed} if state.speed else {}
        if state.pose is not None:
            said |= state.pose.model_dump(include={"x", "y", "z", "yaw"}, exclude_none=True)
        return said

    def _people(self) -> Iterator[Problem]:
        if self.success_criteria.must_reach_goal and (self.ego is None or self.ego.goal is None):
            where = ("success_criteria", "must_reach_goal")
            yield Problem("needs a goal", where, "give ego.goal")
        taken = {EGO}
        for place, actor in enumerate(self.actors):
            if actor.id in taken:
                yield Problem(f"{actor.id} is taken", ("actors", place, "id"))
            taken.add(actor.id)
        lights: set[str] = set()
        for key in ("traffic_lights", "traffic_signals"):
            for place, light in enumerate(getattr(self.environment, key)):
                if light.id in lights:
                    yield Problem(f"{light.id} is taken", ("environment", key, place, "id"))
                lights.add(light.id)
        for place, tag in enumerate(self.tags or ()):
            if tag in (self.tags or ())[:place]:
                yield Problem(f"{tag} is given twice", ("tags", place))

    def _steps(self) -> Iterator[Problem]:
        if isinstance(self.simulator, str):
            return
        delta, step = self.simulator.fixed_delta_seconds, self.timestep_seconds
        if delta is None:
            return
        path = ("simulator", "fixed_delta_seconds")
        within = round(step / delta)
        if within < 1 or abs(within * delta - step) > _SAME_STEP * step:
            what = f"must go into timestep_seconds, {step:g}, without a rest (got {delta:g})"
            yield Problem(what, path, f"such as {step:g}")
        elif self.duration_seconds / delta > MOST_STEPS:
            what = f"makes {self.duration_seconds / delta:.0f} steps, at most {MOST_STEPS} are run"
            yield Problem(what, path, "use longer steps")
