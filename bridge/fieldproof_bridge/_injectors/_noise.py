from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from fieldproof_bridge._injectors._gnss import moved
from fieldproof_bridge._injectors._imu import shifted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.random import Generator

    from fieldproof_bridge._draws import Draws
    from fieldproof_bridge._readings import Fix, Inertial, Scan, WheelOdometry

    Deviations = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Noise:
    """Seeded Gaussian noise of the given standard deviations on what a sensor measures.

    Attributes:
        draws: where the numbers come from.
        kind: the kind of the route, a key of ``NOISES``.
    """

    draws: Draws
    kind: str
    name: str = "noise"

    def apply(self, reading: Any, _last: Any, time_ns: int, parameters: Deviations) -> Any:
        """The reading with noise."""
        return NOISES[self.kind](reading, parameters, self.draws.at(time_ns))


def _scan(reading: Scan, deviations: Deviations, draw: Generator) -> Scan:
    """``range_m``; rays without a return stay without, and none leaves the sensor's limits."""
    ranges = np.frombuffer(reading.ranges, dtype="<f4")
    noise = draw.standard_normal(ranges.size) * deviations["range_m"]
    inside = np.clip(ranges + noise, reading.range_min_m, reading.range_max_m)
    noisy = np.where(np.isfinite(ranges), inside, ranges).astype("<f4")
    return replace(reading, ranges=noisy.tobytes())


def _inertial(reading: Inertial, deviations: Deviations, draw: Generator) -> Inertial:
    """``gyro_radps`` and ``accel_mps2``, each axis alike."""
    gyro = draw.standard_normal(3) * deviations["gyro_radps"]
    accel = draw.standard_normal(3) * deviations["accel_mps2"]
    return shifted(reading, gyro.tolist(), accel.tolist())


def _fix(reading: Fix, deviations: Deviations, draw: Generator) -> Fix:
    """``horizontal_m`` east and north each, ``vertical_m``."""
    east, north, up = draw.standard_normal(3).tolist()
    horizontal = deviations["horizontal_m"]
    return moved(reading, east * horizontal, north * horizontal, up * deviations["vertical_m"])


def _odometry(reading: WheelOdometry, deviations: Deviations, draw: Generator) -> WheelOdometry:
    """``linear_mps`` and ``angular_radps``, on the speeds; the pose is left alone."""
    linear, angular = draw.standard_normal(2).tolist()
    return replace(
        reading,
        linear_mps=reading.linear_mps + linear * deviations["linear_mps"],
        angular_radps=reading.angular_radps + angular * deviations["angular_radps"],
    )


NOISES: Final[dict[str, Callable[[Any, Deviations, Generator], Any]]] = {
    "lidar": _scan,
    "imu": _inertial,
    "gnss": _fix,
    "odometry": _odometry,
}
