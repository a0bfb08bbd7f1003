from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fieldproof_bridge._readings import Inertial
    from fieldproof_bridge._route import Held


@dataclass(frozen=True, slots=True)
class Bias:
    """``gyro_radps`` and ``accel_mps2``, each [x, y, z], added to what an IMU measures.

    Several add up.
    """

    name: str = "bias"

    def apply(
        self,
        reading: Inertial,
        _last: Inertial | None,
        _time_ns: int,
        held: Held,
    ) -> Inertial:
        """The reading with the biases added."""
        gyro, accel = (
            [sum(axis) for axis in zip(*(each[key] for each in held.values()), strict=True)]
            for key in ("gyro_radps", "accel_mps2")
        )
        return shifted(reading, gyro, accel)


def shifted(
    reading: Inertial, gyro_radps: Sequence[float], accel_mps2: Sequence[float]
) -> Inertial:
    """An IMU's reading with something added to each axis."""
    (gx, gy, gz), (ax, ay, az) = reading.angular_velocity, reading.linear_acceleration
    return replace(
        reading,
        angular_velocity=(gx + gyro_radps[0], gy + gyro_radps[1], gz + gyro_radps[2]),
        linear_acceleration=(ax + accel_mps2[0], ay + accel_mps2[1], az + accel_mps2[2]),
    )
