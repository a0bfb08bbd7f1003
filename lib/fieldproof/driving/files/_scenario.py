from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from fieldproof.driving.files._actors import Actor, Ego, InitialState, Start
from fieldproof.driving.files._environment import Environment
from fieldproof.driving.files._names import ActorName, Identifier, PassedOn, Tag
from fieldproof.model import Problem, Strict, fault, faults, nearest, shown

EXTERNAL = ("carla", "gazebo", "isaac")
"""Simulators that an adapter speaks to."""
SIMULATORS = (*EXTERNAL, "mock", "ros2")
MOST_STEPS = 100_000
_SUFFIXES = (".py", ".so")
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
    fixed_delta_seconds: Seconds | None = None
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
    ego: Ego | None = Field(default=None, description="May be absent with initial_state.pose.")
    initial_state: InitialState | None = None
    actors: Annotated[list[Actor], Field(max_length=1000)] = Field(default=[])
    environment: Environment = Field(default_factory=Environment)
    sensors: Sensors | None = None
    success_criteria: SuccessCriteria = Field(default_factory=SuccessCriteria)
    failure_criteria: FailureCriteria = Field(default_factory=FailureCriteria)
    assertions: Annotated[list[dict[str, Any]], Field(max_length=1000)] = Field(default=[])

    def the_ego(self) -> Ego:
        """Return the ego, from the initial pose where the file has no other."""
        if self.ego is not None:
            return self.ego
        state = self.initial_state
        assert state is not None
        assert state.pose is not None
        pose = state.pose
        return Ego(start=Start(x=pose.x, y=pose.y, z=pose.z, yaw=pose.yaw, speed=state.speed))

    def simulator_settings(self) -> SimulatorSettings:
        """Return the simulator as a mapping, whichever way it was written."""
        if isinstance(self.simulator, SimulatorSettings):
            return self.simulator
        return SimulatorSettings(name=self.simulator)

    @model_validator(mode="after")
    def _parts_agree(self) -> "ScenarioFile":
        found = [*self._times(), *self._people(), *self._steps()]
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

    def _people(self) -> Iterator[Problem]:
        if self.ego is None and (self.initial_state is None or self.initial_state.pose is None):
            yield Problem("is missing", ("ego",), "or give initial_state.pose")
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
        delta = self.simulator.fixed_delta_seconds
        if delta is not None and delta != self.timestep_seconds:
            what = f"must be timestep_seconds, {self.timestep_seconds:g} (got {delta:g})"
            yield Problem(what, ("simulator", "fixed_delta_seconds"))
