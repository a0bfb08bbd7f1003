"""Conventions of sensor_msgs about what is known, unknown and not there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

Covariance3 = tuple[float, float, float, float, float, float, float, float, float]

NOT_MEASURED: Final[Covariance3] = (-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
UNKNOWN: Final[Covariance3] = (0.0,) * 9

# sensor_msgs/msg/NavSatStatus
STATUS_NO_FIX: Final = -1
STATUS_FIX: Final = 0
SERVICE_GPS: Final = 1
# sensor_msgs/msg/NavSatFix
COVARIANCE_UNKNOWN: Final = 0
COVARIANCE_DIAGONAL: Final = 2
# sensor_msgs/msg/BatteryState
BATTERY_DISCHARGING: Final = 2
BATTERY_NOT_CHARGING: Final = 3


def diagonal(first: float, second: float, third: float) -> Covariance3:
    """A 3x3 covariance, row by row, with the given variances."""
    return (first, 0.0, 0.0, 0.0, second, 0.0, 0.0, 0.0, third)


@dataclass(frozen=True, slots=True)
class ImuCovariances:
    """The three 3x3 covariances of a sensor_msgs/msg/Imu, row by row.

    By the message's definition a covariance of zeros says "not known", and a first element of -1
    says that the quantity is not measured at all.
    """

    orientation: Covariance3
    angular_velocity: Covariance3
    linear_acceleration: Covariance3

    @classmethod
    def from_noise(cls, noise: Mapping[str, float]) -> ImuCovariances:
        """Covariances of an IMU with white noise of the given standard deviations.

        Args:
            noise: ``gyro_stddev_radps`` and ``accel_stddev_mps2``, not known where missing, and
                ``orientation_stddev_rad``, missing in a device that gives no orientation.
        """

        def of(key: str) -> Covariance3:
            if key not in noise:
                return UNKNOWN
            variance = noise[key] ** 2
            return diagonal(variance, variance, variance)

        return cls(
            orientation=(
                of("orientation_stddev_rad") if "orientation_stddev_rad" in noise else NOT_MEASURED
            ),
            angular_velocity=of("gyro_stddev_radps"),
            linear_acceleration=of("accel_stddev_mps2"),
        )


def fix_covariance(noise: Mapping[str, float]) -> tuple[Covariance3, int]:
    """Position covariance (m², east, north, up) of a GNSS receiver, and its type.

    Args:
        noise: ``horizontal_stddev_m`` and ``vertical_stddev_m``; without both, nothing is known.
    """
    if "horizontal_stddev_m" not in noise or "vertical_stddev_m" not in noise:
        return UNKNOWN, COVARIANCE_UNKNOWN
    horizontal = noise["horizontal_stddev_m"] ** 2
    return diagonal(horizontal, horizontal, noise["vertical_stddev_m"] ** 2), COVARIANCE_DIAGONAL


def battery_voltage(percentage: float, *, empty_v: float, full_v: float) -> float:
    """Volts of a battery at ``percentage`` in [0, 1], on the line between empty and full."""
    return empty_v + (full_v - empty_v) * percentage


@dataclass(frozen=True, slots=True)
class CameraInfo:
    """The fields of a sensor_msgs/msg/CameraInfo, matrices row by row, focal lengths in pixels.

    Attributes:
        d: five coefficients of the ``plumb_bob`` model.
        k: 3x3 intrinsic matrix of the raw image.
        r: 3x3 rotation into the rectified (stereo) frame.
        p: 3x4 projection of the rectified image; its last column is -fx times the baseline.
    """

    width: int
    height: int
    distortion_model: str
    d: tuple[float, ...]
    k: tuple[float, ...]
    r: tuple[float, ...]
    p: tuple[float, ...]


def camera_info(
    *, width: int, height: int, horizontal_fov_rad: float, baseline_m: float = 0.0
) -> CameraInfo:
    """Calibration of an ideal pinhole camera with square pixels.

    Whole pixel coordinates lie at pixel centres, so the optical axis meets the image at
    ((width - 1) / 2, (height - 1) / 2).

    Args:
        width: columns, at least 1.
        height: rows, at least 1.
        horizontal_fov_rad: angle between the left and right image edges, in (0, pi).
        baseline_m: distance from the first camera of a stereo pair along +x; 0 for a single one.

    Raises:
        ValueError: a size or angle outside its range.
    """
    if width < 1 or height < 1:
        raise ValueError(f"image must have at least one pixel (got {width} x {height})")
    if not 0.0 < horizontal_fov_rad < math.pi:
        raise ValueError(f"field of view must lie in (0, pi) (got {horizontal_fov_rad})")
    focal = (width / 2) / math.tan(horizontal_fov_rad / 2)
    cx, cy = (width - 1) / 2, (height - 1) / 2
    return CameraInfo(
        width=width,
        height=height,
        distortion_model="plumb_bob",
        d=(0.0,) * 5,
        k=(focal, 0.0, cx, 0.0, focal, cy, 0.0, 0.0, 1.0),
        r=(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        p=(focal, 0.0, cx, -focal * baseline_m, 0.0, focal, cy, 0.0, 0.0, 0.0, 1.0, 0.0),
    )
