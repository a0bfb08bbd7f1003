"""The part of a vehicle's manifest that the bridge acts on.

The manifest was validated as a whole before the run; here only what becomes a route, a frame or
a wait is read, and other keys are passed over.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fieldproof_bridge._config import problem_lines
from fieldproof_bridge._errors import ConfigError

Diagonal = tuple[float, float, float, float, float, float]
Positive = Annotated[float, Field(gt=0.0)]

_ZERO_DIAGONAL: Diagonal = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, allow_inf_nan=False)


class Qos(_Part):
    """Quality of service that the real driver offers on a topic (keep last, ``depth``)."""

    reliability: Literal["reliable", "best_effort"] = "reliable"
    durability: Literal["volatile", "transient_local"] = "volatile"
    depth: int = Field(default=10, ge=1)


class Command(_Part):
    """The topic on which the vehicle's software commands its drive."""

    topic: str
    ros_type: str
    qos: Qos = Qos()


class Odometry(_Part):
    """Wheel odometry; the diagonals are variances of x, y, z, roll, pitch, yaw in SI units."""

    topic: str
    ros_type: str
    frame_id: str
    child_frame_id: str
    rate_hz: Positive
    qos: Qos = Qos()
    pose_covariance_diagonal: Diagonal = _ZERO_DIAGONAL
    twist_covariance_diagonal: Diagonal = _ZERO_DIAGONAL


class JointStates(_Part):
    """Positions (rad) and velocities (rad/s) of the driven joints."""

    topic: str
    ros_type: str
    rate_hz: Positive
    qos: Qos = Qos()


class Drive(_Part):
    """The vehicle's drive and its three interfaces."""

    command: Command
    odometry: Odometry
    joint_states: JointStates | None = None


class Sensor(_Part):
    """One sensor of any type; what a type does not use stays at its default.

    Attributes:
        noise: standard deviations by name, each ending in its unit.
    """

    name: str
    type: str
    frame_id: str = ""
    topic: str = ""
    ros_type: str = ""
    rate_hz: float = 0.0
    qos: Qos = Qos()
    noise: dict[str, float] = {}


class Battery(_Part):
    """The battery's figures: volts when empty and full, ampere-hours, percent at the start."""

    topic: str
    ros_type: str
    rate_hz: Positive
    qos: Qos = Qos()
    empty_v: float
    full_v: float
    capacity_ah: float
    initial_pct: float = Field(default=100.0, ge=0.0, le=100.0)


class Power(_Part):
    """The power system."""

    battery: Battery | None = None


class Model(_Part):
    """Names in the vehicle's URDF."""

    base_link: str = "base_link"


class Swap(_Part):
    """One entry of the driver-swap map: the node that the bridge stands in for."""

    replaces: str
    sensor: str
    ros_topic: str
    ros_type: str
    frame_id: str | None = None
    rate_hz: float | None = None


class Lockstep(_Part):
    """How the vehicle ends a tick: its nodes acknowledge on ``ack``, or time is held.

    Attributes:
        ack: topic of the acknowledgements; empty when the vehicle cannot acknowledge.
        nodes: node names that must acknowledge each tick.
        hold_ms: wall time to wait for a vehicle that cannot acknowledge.
    """

    ack: str = ""
    nodes: tuple[str, ...] = ()
    hold_ms: float = Field(default=0.0, ge=0.0)


class Manifest(_Part):
    """What the bridge takes from a vehicle's manifest."""

    model: Model = Model()
    drive: Drive
    sensors: tuple[Sensor, ...] = ()
    power: Power = Power()
    driver_swap: tuple[Swap, ...] = ()
    lockstep: Lockstep = Lockstep()

    @classmethod
    def parse(cls, data: object) -> Manifest:
        """Read the bridge's part of a parsed manifest.

        Raises:
            ConfigError: with every problem found.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise ConfigError(problem_lines(error, "manifest")) from error
