"""What travels through a route: plain values, the same before and after a fault.

Stamps are simulation time in nanoseconds. Conversions read the simulator's frames; nothing here
knows ROS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fieldproof_bridge._conventions import BATTERY_NOT_CHARGING, STATUS_FIX, battery_voltage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fieldproof_bridge._manifest import Battery

    Frame = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Scan:
    """One turn of a planar lidar.

    ``ranges`` are little-endian float32 metres, one a ray from ``angle_min_rad`` counterclockwise;
    +inf where nothing returned.
    """

    stamp_ns: int
    ranges: bytes
    angle_min_rad: float
    angle_increment_rad: float
    range_min_m: float
    range_max_m: float


@dataclass(frozen=True, slots=True)
class Inertial:
    """Orientation (unit quaternion x, y, z, w), rad/s and m/s² in the sensor's frame."""

    stamp_ns: int
    orientation: tuple[float, float, float, float]
    angular_velocity: tuple[float, float, float]
    linear_acceleration: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Fix:
    """A GNSS fix: degrees and metres above the WGS 84 ellipsoid.

    ``status`` is that of NavSatStatus; ``covariance_known`` is False where the receiver cannot
    say how good the fix is.
    """

    stamp_ns: int
    status: int
    latitude_deg: float
    longitude_deg: float
    altitude_m: float
    covariance_known: bool = True


@dataclass(frozen=True, slots=True)
class WheelOdometry:
    """Planar pose in the odometry frame, speeds in the base frame."""

    stamp_ns: int
    x_m: float
    y_m: float
    yaw_rad: float
    linear_mps: float
    angular_radps: float


@dataclass(frozen=True, slots=True)
class Joints:
    """Joint positions (rad) and velocities (rad/s), one each a name."""

    stamp_ns: int
    names: tuple[str, ...]
    positions: tuple[float, ...]
    velocities: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class BatteryLevel:
    """Charge of the battery; ``percentage`` in [0, 1], ``status`` as BatteryState counts them."""

    stamp_ns: int
    percentage: float
    voltage_v: float
    charge_ah: float
    status: int


@dataclass(frozen=True, slots=True)
class VelocityCommand:
    """What the vehicle's software asks of its drive; ``stamp_ns`` is when it was taken."""

    stamp_ns: int
    linear_mps: float
    angular_radps: float


def scan(frame: Frame) -> Scan:
    """Read a lidar frame."""
    return Scan(
        frame["time_ns"],
        frame["ranges"],
        frame["angle_min"],
        frame["angle_increment"],
        frame["range_min"],
        frame["range_max"],
    )


def inertial(frame: Frame) -> Inertial:
    """Read an IMU frame."""
    return Inertial(
        frame["time_ns"],
        (frame["qx"], frame["qy"], frame["qz"], frame["qw"]),
        (frame["gx"], frame["gy"], frame["gz"]),
        (frame["ax"], frame["ay"], frame["az"]),
    )


def fix(frame: Frame) -> Fix:
    """Read a GNSS frame; the simulated receiver always has a fix."""
    return Fix(
        frame["time_ns"],
        STATUS_FIX,
        frame["latitude_deg"],
        frame["longitude_deg"],
        frame["altitude_m"],
    )


def wheel_odometry(frame: Frame) -> WheelOdometry:
    """Read an odometry frame."""
    return WheelOdometry(
        frame["time_ns"], frame["x"], frame["y"], frame["yaw"], frame["v_mps"], frame["w_radps"]
    )


def joints(frame: Frame) -> Joints:
    """Read a frame of joint states."""
    return Joints(
        frame["time_ns"],
        tuple(frame["names"]),
        tuple(frame["positions"]),
        tuple(frame["velocities"]),
    )


def battery_level(battery: Battery, time_ns: int) -> BatteryLevel:
    """The battery as the manifest describes it: nothing in the simulator drains it."""
    percentage = battery.initial_pct / 100.0
    return BatteryLevel(
        time_ns,
        percentage,
        battery_voltage(percentage, empty_v=battery.empty_v, full_v=battery.full_v),
        battery.capacity_ah * percentage,
        BATTERY_NOT_CHARGING,
    )


def due_times(after_ns: int, until_ns: int, rate_hz: float) -> list[int]:
    """The multiples of a period, counted from time 0, that lie in (``after_ns``, ``until_ns``]."""
    period_ns = round(1e9 / rate_hz)
    first = after_ns // period_ns + 1
    return [k * period_ns for k in range(max(first, 1), until_ns // period_ns + 1)]


CONVERSIONS: dict[str, Callable[[Frame], Any]] = {
    "lidar": scan,
    "imu": inertial,
    "gnss": fix,
    "odometry": wheel_odometry,
    "joint_states": joints,
}
