from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from fieldproof.model._durations import NS_PER_S, Duration, PositiveDuration
from fieldproof.model._names import Name, Namespace, TopicName
from fieldproof.model._placements import Placement
from fieldproof.model._problems import Problem, faults
from fieldproof.model._strict import Strict

Mode = Literal["lockstep", "sim", "realtime"]
DEFAULT_TICK = Duration(50_000_000)


class TimeSettings(Strict):
    """How time passes in a run."""

    mode: Mode = Field(
        default="sim",
        description="lockstep: fixed ticks that wait for everyone; sim: simulation time paced at "
        "rtf; realtime: simulation time paced at the wall clock.",
    )
    tick_s: PositiveDuration | None = Field(
        default=None, description="With lockstep: the tick, 50ms when absent."
    )
    rtf: Annotated[float, Field(gt=0, le=1000)] | None = Field(
        default=None, description="With sim: the target real-time factor, 1 when absent."
    )
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = Field(
        default=0, description="What all randomness of the run is drawn from."
    )

    @property
    def tick(self) -> Duration:
        """The tick, whether given or not."""
        return self.tick_s or DEFAULT_TICK

    @model_validator(mode="after")
    def _keys_fit_the_mode(self) -> "TimeSettings":
        found = list(self._misfits())
        if found:
            raise faults("TimeSettings", found)
        return self

    def _misfits(self) -> Iterator[Problem]:
        if self.tick_s is not None and self.mode != "lockstep":
            yield Problem("only goes with mode: lockstep", ("tick_s",))
        if self.rtf is not None and self.mode != "sim":
            yield Problem("only goes with mode: sim", ("rtf",))


class VehicleSettings(Strict):
    """One vehicle of a scenario."""

    name: Name = Field(description="What the scenario calls the vehicle.")
    manifest: Name = Field(description="The robot: a folder of robots/ with a robot.yaml.")
    namespace: Namespace | None = Field(
        default=None, description="The ROS namespace of its topics; the name when absent."
    )
    spawn: Placement = Field(description="Where it starts; z is the ground it stands on.")

    @property
    def ros_namespace(self) -> str:
        """The namespace, without slashes around it."""
        return self.namespace or self.name


class Outputs(Strict):
    """What a run leaves besides its verdict."""

    record: bool = Field(default=False, description="Record topics as MCAP.")
    topics: list[TopicName] = Field(
        default_factory=list,
        description="What is recorded: absolute, or relative to every vehicle; all when empty.",
    )


class RunBudget(Strict):
    """What a run may take."""

    timeout_s: PositiveDuration = Field(
        default=Duration(600 * NS_PER_S), description="How long the timeline may last."
    )


class ScenarioFile(Strict):
    """A scenario: a world, vehicles, what happens, and what must hold."""

    apiVersion: Literal["fieldproof.dev/v0alpha1"]  # noqa: N815 - the file's own spelling
    kind: Literal["Scenario"]
    name: Name = Field(description="What reports call the scenario.")
    description: str = Field(default="", description="What the scenario is for.")
    world: Name = Field(description="A folder of worlds/ with a world.yaml.")
    time: TimeSettings = Field(default_factory=TimeSettings)
    vehicles: Annotated[list[Any], Field(min_length=1, max_length=64)]
    timeline: list[Any] = Field(default_factory=list, description="What happens, and when.")
    assertions: list[Any] = Field(default_factory=list, description="What must hold.")
    kpis: list[Any] = Field(default_factory=list, description="What is measured, unjudged.")
    outputs: Outputs = Field(default_factory=Outputs)
    budget: RunBudget = Field(default_factory=RunBudget)
