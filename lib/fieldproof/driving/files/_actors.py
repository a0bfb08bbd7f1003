from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from fieldproof.driving.files._names import ActorName, Degrees, Metres, PositiveMetres, Speed
from fieldproof.model import Strict


class Point(Strict):
    """A place in the scenario's local frame: metres, x ahead, y to the left, z up."""

    x: Metres
    y: Metres
    z: Metres | None = Field(default=None, description="Height; not looked at when absent.")


class Start(Strict):
    """Where something starts and how fast it goes."""

    x: Metres
    y: Metres
    z: Metres | None = Field(default=None, description="Height in metres; 0 when absent.")
    yaw: Degrees = Field(default=0.0, description="Heading in degrees, counter-clockwise from x.")
    speed: Speed = Field(default=0.0, description="Metres a second, along the heading.")


class Goal(Strict):
    """Where the ego has to get."""

    x: Metres
    y: Metres
    z: Metres | None = Field(default=None, description="Height; not looked at when absent.")
    tolerance: PositiveMetres = Field(default=2.0, description="Metres that count as there.")


class Ego(Strict):
    """What the agent drives, with its start wherever that was written."""

    start: Start
    goal: Goal | None = None
    route: Annotated[list[Point], Field(max_length=10_000)] = Field(
        default=[], description="Points that the mock simulator steers to, one after another."
    )


class WrittenEgo(Strict):
    """The ego as it is written: it may start at `initial_state.pose` instead."""

    start: Start | None = Field(default=None, description="May be absent with initial_state.pose.")
    goal: Goal | None = None
    route: Annotated[list[Point], Field(max_length=10_000)] = Field(
        default=[], description="Points that the mock simulator steers to, one after another."
    )


class Behavior(Strict):
    """How an actor moves; waypoints come before the pattern, the pattern before the type."""

    type: Literal["constant_velocity", "constant_speed", "waypoints", "static"] = Field(
        default="constant_velocity", description="How it moves unless the rest says otherwise."
    )
    pattern: Annotated[str, Field(max_length=200)] = Field(
        default="", description="What it does in traffic, such as `cut in`."
    )
    waypoints: Annotated[list[Point], Field(max_length=10_000)] = Field(
        default=[], description="Points that it moves to at its speed, one after another."
    )


class Actor(Strict):
    """Somebody or something else on the road."""

    id: ActorName
    type: ActorName = Field(description="Such as pedestrian, vehicle, emergency_vehicle.")
    start: Start
    behavior: Behavior = Field(default_factory=Behavior)


class PlacedPose(Strict):
    """A pose as external simulators give it."""

    x: Metres
    y: Metres
    z: Metres | None = Field(
        default=None, description="Height; what a start without one means when absent."
    )
    yaw: Degrees | None = Field(default=None, description="Heading in degrees; 0 when absent.")
    pitch: Degrees = 0.0
    roll: Degrees = 0.0


class InitialState(Strict):
    """The state in which a simulator puts the ego; another way to write its start."""

    pose: PlacedPose | None = None
    speed: Speed = Field(
        default=0.0, description="Metres a second; 0 gives way to the speed of ego.start."
    )
    joint_positions: Annotated[
        Sequence[Annotated[float, Field(ge=-1000, le=1000)]], Field(max_length=32)
    ] = Field(default=[], description="Of a manipulator, radians; all zero when absent.")
