from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from fieldproof_bridge._injectors._gnss import moved
from fieldproof_bridge._injectors._imu import shifted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from fieldproof_bridge._draws import Draws
    from fieldproof_bridge._readings import Fix, Inertial, Scan, WheelOdometry
    from fieldproof_bridge._route import Held

    Sources = Sequence[tuple[Mapping[str, float], Generator]]
    """Deviations, and what draws the numbers that they scale."""


@dataclass(frozen=True, slots=True)
class Noise:
    """Seeded Gaussian noise of the given standard deviations on what a sensor measures.

    Each holder draws for itself, and what they draw adds up: so do their variances.

    Attributes:
        draws: where the numbers come from.
        kind: the kind of the route, a key of ``NOISES``.
    """

    draws: Draws
    kind: str
    name: str = "noise"

    def apply(self, reading: Any, _last: Any, time_ns: int, held: Held) -> Any:
        """The reading with noise."""
        sources = [(each, self.draws.of(holder).at(time_ns)) for holder, each in held.items()]
        return NOISES[self.kind](reading, sources)


def _noise(sources: Sources, keys: Sequence[str]) -> NDArray[np.float64]:
    """The sum of what all draw: a number for each key, scaled by the deviation of that name."""
    total = np.zeros(len(keys))
    for deviations, draw in sources:
        total += draw.standard_normal(len(keys)) * [deviations[key] for key in keys]
    return total


def _scan(reading: Scan, sources: Sources) -> Scan:
    """``range_m``; rays without a return stay without, and none leaves the sensor's limits."""
    ranges = np.frombuffer(reading.ranges, dtype="<f4")
    noise = np.zeros(ranges.size)
    for deviations, draw in sources:
        noise += draw.standard_normal(ranges.size) * deviations["range_m"]
    inside = np.clip(ranges + noise, reading.range_min_m, reading.range_max_m)
    noisy = np.where(np.isfinite(ranges), inside, ranges).astype("<f4")
    return replace(reading, ranges=noisy.tobytes())


def _inertial(reading: Inertial, sources: Sources) -> Inertial:
    """``gyro_radps`` and ``accel_mps2``, each axis alike."""
    noise = _noise(sources, ("gyro_radps",) * 3 + ("accel_mps2",) * 3).tolist()
    return shifted(reading, noise[:3], noise[3:])


def _fix(reading: Fix, sources: Sources) -> Fix:
    """``horizontal_m`` east and north each, ``vertical_m``."""
    return moved(reading, *_noise(sources, ("horizontal_m", "horizontal_m", "vertical_m")).tolist())


def _odometry(reading: WheelOdometry, sources: Sources) -> WheelOdometry:
    """``linear_mps`` and ``angular_radps``, on the speeds; the pose is left alone."""
    linear, angular = _noise(sources, ("linear_mps", "angular_radps")).tolist()
    return replace(
        reading,
        linear_mps=reading.linear_mps + linear,
        angular_radps=reading.angular_radps + angular,
    )


NOISES: Final[dict[str, Callable[[Any, Sources], Any]]] = {
    "lidar": _scan,
    "imu": _inertial,
    "gnss": _fix,
    "odometry": _odometry,
}
