"""The parts of a vehicle's manifest that a simulator needs; the rest is for others to check."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fieldproof_sim.protocol import Code, RequestError, explain

_Positive = Annotated[float, Field(gt=0, le=1e9)]
_Spread = Annotated[float, Field(ge=0, le=1e6)]
_Rate = Annotated[float, Field(gt=0, le=10_000)]


class _Part(BaseModel):
    """Reads its keys from a manifest that others have checked as a whole."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Body(_Part):
    """How the vehicle stands: its base link's height above the ground, in metres."""

    spawn_height_m: Annotated[float, Field(ge=0, le=100)] = 0.0


class Rated(_Part):
    """Something published at a rate in Hz of simulation time."""

    rate_hz: _Rate


class Drive(_Part):
    """A differential drive: metres, radians, seconds."""

    type: Literal["differential"]
    left_joints: Annotated[tuple[str, ...], Field(min_length=1)]
    right_joints: Annotated[tuple[str, ...], Field(min_length=1)]
    wheel_radius_m: _Positive
    wheel_separation_m: _Positive
    max_linear_mps: _Positive
    max_angular_radps: _Positive
    max_linear_accel_mps2: _Positive
    odometry: Rated
    joint_states: Rated | None = None


class _Noise(_Part):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class LidarNoise(_Noise):
    """Standard deviation of a range."""

    range_stddev_m: _Spread = 0.0


class ImuNoise(_Noise):
    """Standard deviations per axis."""

    orientation_stddev_rad: _Spread = 0.0
    gyro_stddev_radps: _Spread = 0.0
    accel_stddev_mps2: _Spread = 0.0


class GnssNoise(_Noise):
    """Standard deviations per axis, along the ground and up."""

    horizontal_stddev_m: _Spread = 0.0
    vertical_stddev_m: _Spread = 0.0


class LidarSensor(Rated):
    """A planar lidar in the x-y plane of its link, counter-clockwise from x."""

    type: Literal["lidar"]
    name: str
    link: str
    rays: Annotated[int, Field(ge=1, le=100_000)]
    angle_min_rad: float
    angle_max_rad: float
    range_min_m: Annotated[float, Field(ge=0)]
    range_max_m: _Positive
    noise: LidarNoise = LidarNoise()


class ImuSensor(Rated):
    """Orientation, angular velocity and specific force in the link's frame."""

    type: Literal["imu"]
    name: str
    link: str
    noise: ImuNoise = ImuNoise()


class GnssSensor(Rated):
    """Position on WGS84."""

    type: Literal["gnss"]
    name: str
    link: str
    noise: GnssNoise = GnssNoise()


class ContactSensor(Rated):
    """Ground truth of what touches one collision of a link."""

    type: Literal["contact"]
    name: str
    link: str
    collision: str
    rate_hz: Annotated[float, Field(gt=0, le=50)] = 50.0


Sensor = Annotated[
    LidarSensor | ImuSensor | GnssSensor | ContactSensor, Field(discriminator="type")
]


class Manifest(_Part):
    """A vehicle as the simulator sees it."""

    name: str
    model: Body = Body()
    drive: Drive
    sensors: tuple[Sensor, ...] = ()


def read_manifest(data: dict[str, Any], vehicle: str) -> Manifest:
    """Read a manifest's data.

    Raises:
        RequestError: `bad_robot`, with every key that is missing or wrong.
    """
    try:
        manifest = Manifest.model_validate(data)
    except ValidationError as error:
        message = f"{vehicle}: manifest: {explain(error)}"
        raise RequestError(Code.BAD_ROBOT, message) from error
    names = [sensor.name for sensor in manifest.sensors]
    names += ["odometry", "joint_states"]  # they publish beside the sensors
    for name in sorted({name for name in names if names.count(name) > 1}):
        raise RequestError(Code.BAD_ROBOT, f"{vehicle}: manifest: two sensors are named {name}")
    for sensor in manifest.sensors:
        if isinstance(sensor, LidarSensor) and (
            sensor.range_min_m >= sensor.range_max_m or sensor.angle_min_rad >= sensor.angle_max_rad
        ):
            raise RequestError(
                Code.BAD_ROBOT, f"{vehicle}: manifest: {sensor.name}: a range of it is empty"
            )
    return manifest
