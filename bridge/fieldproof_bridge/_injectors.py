"""The faults that routes carry, each a pure function of a reading."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from fieldproof_bridge._conventions import (
    BATTERY_DISCHARGING,
    BATTERY_NOT_CHARGING,
    STATUS_NO_FIX,
    battery_voltage,
)

if TYPE_CHECKING:
    from fieldproof_bridge._draws import Draws
    from fieldproof_bridge._manifest import Battery
    from fieldproof_bridge._readings import (
        BatteryLevel,
        Fix,
        Inertial,
        Scan,
        VelocityCommand,
        WheelOdometry,
    )

Parameters = Mapping[str, Any]

# WGS 84
_SEMI_MAJOR_M: Final = 6_378_137.0
_ECCENTRICITY_2: Final = 6.694379990141316e-3
_POLE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Deny:
    """No fix: NaN for the place, and nothing known of its covariance. No parameters."""

    name: str = "deny"

    def apply(
        self,
        reading: Fix,
        last: Fix | None,  # noqa: ARG002
        time_ns: int,  # noqa: ARG002
        parameters: Parameters,  # noqa: ARG002
    ) -> Fix:
        """The reading without its place."""
        return replace(
            reading,
            status=STATUS_NO_FIX,
            latitude_deg=math.nan,
            longitude_deg=math.nan,
            altitude_m=math.nan,
            covariance_known=False,
        )


@dataclass(frozen=True, slots=True)
class Offset:
    """A fix moved by ``east_m``, ``north_m`` and ``up_m`` at its own latitude."""

    name: str = "offset"

    def apply(
        self,
        reading: Fix,
        last: Fix | None,  # noqa: ARG002
        time_ns: int,  # noqa: ARG002
        parameters: Parameters,
    ) -> Fix:
        """The reading elsewhere."""
        return moved(
            reading,
            parameters.get("east_m", 0.0),
            parameters.get("north_m", 0.0),
            parameters.get("up_m", 0.0),
        )


def moved(fix: Fix, east_m: float, north_m: float, up_m: float) -> Fix:
    """A fix moved by metres along the ellipsoid's radii of curvature at its latitude and height.

    The radii are those of the meridian and of the prime vertical (WGS 84); for moves of some
    kilometres the error is below a part in a thousand.
    """
    latitude = math.radians(fix.latitude_deg)
    flattened = 1.0 - _ECCENTRICITY_2 * math.sin(latitude) ** 2
    vertical_m = _SEMI_MAJOR_M / math.sqrt(flattened)
    meridian_m = vertical_m * (1.0 - _ECCENTRICITY_2) / flattened
    parallel_m = (vertical_m + fix.altitude_m) * max(math.cos(latitude), _POLE)
    north = math.degrees(north_m / (meridian_m + fix.altitude_m))
    east = math.degrees(east_m / parallel_m)
    return replace(
        fix,
        latitude_deg=fix.latitude_deg + north,
        longitude_deg=math.remainder(fix.longitude_deg + east, 360.0),
        altitude_m=fix.altitude_m + up_m,
    )


@dataclass(frozen=True, slots=True)
class Bias:
    """``gyro_radps`` and ``accel_mps2``, each [x, y, z], added to what an IMU measures."""

    name: str = "bias"

    def apply(
        self,
        reading: Inertial,
        last: Inertial | None,  # noqa: ARG002
        time_ns: int,  # noqa: ARG002
        parameters: Parameters,
    ) -> Inertial:
        """The reading with the biases added."""
        none = (0.0, 0.0, 0.0)
        return replace(
            reading,
            angular_velocity=_sum(reading.angular_velocity, parameters.get("gyro_radps", none)),
            linear_acceleration=_sum(
                reading.linear_acceleration, parameters.get("accel_mps2", none)
            ),
        )


@dataclass(frozen=True, slots=True)
class Noise:
    """Seeded Gaussian noise of the given standard deviations on what a sensor measures."""

    draws: Draws
    name: str = "noise"

    def apply(
        self,
        reading: Any,
        last: Any,  # noqa: ARG002
        time_ns: int,
        parameters: Parameters,
    ) -> Any:
        """The reading with noise."""
        normal = self.draws.at(time_ns).standard_normal
        return _NOISES[type(reading).__name__](reading, parameters, normal)


def _noisy_scan(reading: Scan, parameters: Parameters, normal: Any) -> Scan:
    """``range_m``; rays without a return stay without, and none leaves the sensor's limits."""
    ranges = np.frombuffer(reading.ranges, dtype="<f4")
    noise = normal(ranges.size) * parameters.get("range_m", 0.0)
    inside = np.clip(ranges + noise, reading.range_min_m, reading.range_max_m)
    noisy = np.where(np.isfinite(ranges), inside, ranges).astype("<f4")
    return replace(reading, ranges=noisy.tobytes())


def _noisy_inertial(reading: Inertial, parameters: Parameters, normal: Any) -> Inertial:
    """``gyro_radps`` and ``accel_mps2``, each axis alike."""
    gyro = normal(3) * parameters.get("gyro_radps", 0.0)
    accel = normal(3) * parameters.get("accel_mps2", 0.0)
    return replace(
        reading,
        angular_velocity=_sum(reading.angular_velocity, gyro.tolist()),
        linear_acceleration=_sum(reading.linear_acceleration, accel.tolist()),
    )


def _noisy_fix(reading: Fix, parameters: Parameters, normal: Any) -> Fix:
    """``horizontal_m`` east and north each, ``vertical_m``."""
    east, north, up = normal(3).tolist()
    horizontal = parameters.get("horizontal_m", 0.0)
    vertical = parameters.get("vertical_m", 0.0)
    return moved(reading, east * horizontal, north * horizontal, up * vertical)


def _noisy_odometry(reading: WheelOdometry, parameters: Parameters, normal: Any) -> WheelOdometry:
    """``linear_mps`` and ``angular_radps``, on the speeds; the pose is left alone."""
    linear, angular = normal(2).tolist()
    return replace(
        reading,
        linear_mps=reading.linear_mps + linear * parameters.get("linear_mps", 0.0),
        angular_radps=reading.angular_radps + angular * parameters.get("angular_radps", 0.0),
    )


_NOISES: Final[dict[str, Any]] = {
    "Scan": _noisy_scan,
    "Inertial": _noisy_inertial,
    "Fix": _noisy_fix,
    "WheelOdometry": _noisy_odometry,
}


@dataclass(frozen=True, slots=True)
class Freeze:
    """The last reading again and again, stamp included; nothing where there was none."""

    name: str = "freeze"

    def apply(
        self,
        reading: Any,  # noqa: ARG002
        last: Any,
        time_ns: int,  # noqa: ARG002
        parameters: Parameters,  # noqa: ARG002
    ) -> Any:
        """The last reading."""
        return last


@dataclass(frozen=True, slots=True)
class Dropout:
    """Nothing, with ``probability`` (1 when absent) for each reading."""

    draws: Draws
    name: str = "dropout"

    def apply(
        self,
        reading: Any,
        last: Any,  # noqa: ARG002
        time_ns: int,
        parameters: Parameters,
    ) -> Any:
        """The reading, or None."""
        probability = parameters.get("probability", 1.0)
        if probability >= 1.0 or self.draws.at(time_ns).random() < probability:
            return None
        return reading


@dataclass(frozen=True, slots=True)
class Limit:
    """A command clamped to ``max_linear_mps`` and ``max_angular_radps``, where given."""

    name: str = "limit"

    def apply(
        self,
        reading: VelocityCommand,
        last: VelocityCommand | None,  # noqa: ARG002
        time_ns: int,  # noqa: ARG002
        parameters: Parameters,
    ) -> VelocityCommand:
        """The command within the limits."""
        return replace(
            reading,
            linear_mps=_clamped(reading.linear_mps, parameters.get("max_linear_mps")),
            angular_radps=_clamped(reading.angular_radps, parameters.get("max_angular_radps")),
        )


@dataclass(frozen=True, slots=True)
class Drain:
    """A charge that falls in a straight line and stays where it got to.

    Parameters: ``to_pct`` (percent), ``duration_s``, and where it started: ``from_pct`` and
    ``since_ns``, which ``started`` adds.
    """

    battery: Battery
    name: str = "drain"

    def started(
        self, parameters: Parameters, last: BatteryLevel | None, time_ns: int
    ) -> Parameters:
        """The parameters of a fall from where the battery is now."""
        level = self.battery.initial_pct if last is None else last.percentage * 100.0
        return {**parameters, "from_pct": level, "since_ns": time_ns}

    def apply(
        self,
        reading: BatteryLevel,
        last: BatteryLevel | None,  # noqa: ARG002
        time_ns: int,
        parameters: Parameters,
    ) -> BatteryLevel:
        """The battery on its way down."""
        duration_ns = parameters["duration_s"] * 1e9
        share = min(max((time_ns - parameters["since_ns"]) / duration_ns, 0.0), 1.0)
        begin, end = parameters["from_pct"], parameters["to_pct"]
        percentage = (begin + (end - begin) * share) / 100.0
        battery = self.battery
        return replace(
            reading,
            percentage=percentage,
            voltage_v=battery_voltage(percentage, empty_v=battery.empty_v, full_v=battery.full_v),
            charge_ah=battery.capacity_ah * percentage,
            status=BATTERY_DISCHARGING if share < 1.0 else BATTERY_NOT_CHARGING,
        )


def _sum(left: tuple[float, float, float], right: Any) -> tuple[float, float, float]:
    return (left[0] + right[0], left[1] + right[1], left[2] + right[2])


def _clamped(value: float, limit: float | None) -> float:
    return value if limit is None else min(max(value, -limit), limit)
