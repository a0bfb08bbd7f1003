import math
from typing import Any, Protocol

import mujoco
import numpy as np

from fieldproof_sim.geodesy import LocalFrame
from fieldproof_sim.manifest import ContactSensor, GnssSensor, ImuSensor, LidarSensor
from fieldproof_sim.mujoco_sim._contacts import ContactWatch
from fieldproof_sim.mujoco_sim._geoms import GROUP_HIDDEN, GROUP_SOLID, GROUP_VISUAL


class Source(Protocol):
    """Something whose frames are due at a rate."""

    def bind(self, model: Any, data: Any) -> None:
        """Find in a (re)compiled model what is read."""
        ...

    def read(self) -> dict[str, Any] | None:
        """Return the fields of the frame of this instant; None when there is nothing to say."""
        ...


class Lidar:
    """Casts rays in the x-y plane of its link at what can be seen, its own vehicle excepted."""

    def __init__(self, sensor: LidarSensor, prefix: str, noise: np.random.Generator) -> None:
        self._sensor = sensor
        self._prefix = prefix
        self._noise = noise
        span = sensor.angle_max_rad - sensor.angle_min_rad
        self._increment = span / (sensor.rays - 1) if sensor.rays > 1 else 0.0
        angles = sensor.angle_min_rad + self._increment * np.arange(sensor.rays)
        self._directions = np.stack((np.cos(angles), np.sin(angles), np.zeros_like(angles)), 1)
        self._distances = np.empty(sensor.rays)
        self._hits = np.empty(sensor.rays, np.int32)
        self._groups = np.zeros(6, np.uint8)
        self._groups[[GROUP_SOLID, GROUP_VISUAL]] = 1

    def bind(self, model: Any, data: Any) -> None:
        """Find the sensor's site and the geoms of its vehicle."""
        self._model, self._data = model, data
        site = model.site(self._prefix + self._sensor.name).id
        self._position, self._axes = data.site_xpos[site], data.site_xmat[site].reshape(3, 3)
        root = model.body_rootid[model.site_bodyid[site]]
        self._own = np.flatnonzero(model.body_rootid[model.geom_bodyid] == root)
        self._own_groups = model.geom_group[self._own].copy()

    def read(self) -> dict[str, Any]:
        """Return ranges in m: +inf for no return, -inf for one below the range (REP 117)."""
        sensor, distances = self._sensor, self._distances
        rays = (self._directions @ self._axes.T).ravel()
        groups = self._model.geom_group
        groups[self._own] = GROUP_HIDDEN
        mujoco.mj_multiRay(
            self._model,
            self._data,
            self._position,
            rays,
            self._groups,
            1,
            -1,
            self._hits,
            distances,
            None,
            sensor.rays,
            sensor.range_max_m,
        )
        groups[self._own] = self._own_groups
        missed = distances < 0
        ranges = distances
        if sensor.noise.range_stddev_m > 0:
            # Every ray draws, hit or not: what one sees does not shift the noise of the others.
            spread = self._noise.standard_normal(sensor.rays) * sensor.noise.range_stddev_m
            ranges = np.clip(distances + spread, sensor.range_min_m, sensor.range_max_m)
        ranges = np.where(distances < sensor.range_min_m, -np.inf, ranges)
        ranges[missed | (distances > sensor.range_max_m)] = np.inf
        return {
            "ranges": ranges.astype("<f4").tobytes(),
            "angle_min": sensor.angle_min_rad,
            "angle_max": sensor.angle_max_rad,
            "angle_increment": self._increment,
            "range_min": sensor.range_min_m,
            "range_max": sensor.range_max_m,
        }


class Imu:
    """Orientation in the world (x east), angular velocity and specific force in its link.

    The specific force is the change of velocity since the last reading over the time between, less
    gravity: what an integrating accelerometer gives, with no peak of a contact lost or singled out.
    """

    def __init__(self, sensor: ImuSensor, prefix: str, noise: np.random.Generator) -> None:
        self._sensor = sensor
        self._prefix = prefix
        self._noise = noise
        spread = sensor.noise
        self._spreads = np.repeat(
            (spread.orientation_stddev_rad, spread.gyro_stddev_radps, spread.accel_stddev_mps2), 3
        )
        self._noisy = bool(self._spreads.any())
        self._quaternion = np.empty(4)
        self._velocity = np.zeros(6)
        self._last = (0.0, 0.0, 0.0)
        self._last_s = 0.0

    def bind(self, model: Any, data: Any) -> None:
        """Find the sensor's site."""
        self._model, self._data = model, data
        self._site = model.site(self._prefix + self._sensor.name).id
        self._axes = data.site_xmat[self._site]
        self._gravity = model.opt.gravity.tolist()

    def read(self) -> dict[str, Any]:
        """Return the reading of this instant."""
        velocity = self._velocity
        mujoco.mj_objectVelocity(
            self._model, self._data, mujoco.mjtObj.mjOBJ_SITE, self._site, velocity, 0
        )
        # Plain floats: arrays of three cost more than the arithmetic, a hundred times a second.
        tx, ty, tz, vx, vy, vz = velocity.tolist()
        axes = self._axes.tolist()
        now_s, (lx, ly, lz) = self._data.time, self._last
        elapsed_s = now_s - self._last_s
        self._last, self._last_s = (vx, vy, vz), now_s
        down_x, down_y, down_z = self._gravity
        gx, gy, gz = _into(axes, tx, ty, tz)
        ax, ay, az = _into(
            axes,
            (vx - lx) / elapsed_s - down_x,
            (vy - ly) / elapsed_s - down_y,
            (vz - lz) / elapsed_s - down_z,
        )
        mujoco.mju_mat2Quat(self._quaternion, self._axes)
        w, x, y, z = self._quaternion.tolist()
        if self._noisy:
            noise = (self._noise.standard_normal(9) * self._spreads).tolist()
            # A small rotation about the body's axes; its half-angles are the vector part.
            rx, ry, rz = (angle / 2 for angle in noise[:3])
            w, x, y, z = (
                w - x * rx - y * ry - z * rz,
                x + w * rx + y * rz - z * ry,
                y + w * ry + z * rx - x * rz,
                z + w * rz + x * ry - y * rx,
            )
            norm = math.sqrt(w * w + x * x + y * y + z * z)
            w, x, y, z = w / norm, x / norm, y / norm, z / norm
            gx, gy, gz = gx + noise[3], gy + noise[4], gz + noise[5]
            ax, ay, az = ax + noise[6], ay + noise[7], az + noise[8]
        return {
            "qx": x, "qy": y, "qz": z, "qw": w,
            "gx": gx, "gy": gy, "gz": gz,
            "ax": ax, "ay": ay, "az": az,
        }  # fmt: skip


def _into(axes: list[float], x: float, y: float, z: float) -> tuple[float, float, float]:
    """Express a vector of the world in a frame, given by its rotation matrix row by row."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = axes
    return (xx * x + yx * y + zx * z, xy * x + yy * y + zy * z, xz * x + yz * y + zz * z)


class Gnss:
    """Where its link is on WGS84."""

    def __init__(
        self, sensor: GnssSensor, prefix: str, noise: np.random.Generator, frame: LocalFrame
    ) -> None:
        self._sensor = sensor
        self._prefix = prefix
        self._noise = noise
        self._frame = frame
        spread = sensor.noise
        self._spreads = np.array(
            (spread.horizontal_stddev_m, spread.horizontal_stddev_m, spread.vertical_stddev_m)
        )

    def bind(self, model: Any, data: Any) -> None:
        """Find the antenna."""
        self._position = data.site_xpos[model.site(self._prefix + self._sensor.name).id]

    def read(self) -> dict[str, Any]:
        """Return latitude and longitude in degrees, altitude above the ellipsoid in metres."""
        x, y, z = (self._position + self._noise.standard_normal(3) * self._spreads).tolist()
        latitude, longitude, altitude = self._frame.to_geodetic(x, y, z)
        return {"latitude_deg": latitude, "longitude_deg": longitude, "altitude_m": altitude}


class Contact:
    """Says what touched one collision, while something does."""

    def __init__(self, sensor: ContactSensor, prefix: str, watch: ContactWatch) -> None:
        self.geom_name = f"{prefix}{sensor.link}::{sensor.collision}"
        self._watch = watch

    def bind(self, model: Any, data: Any) -> None:
        """Nothing to find: the watch knows the collision by its name."""

    def read(self) -> dict[str, Any] | None:
        """Return the contacts since the last reading, if there were any."""
        contacts = self._watch.take(self.geom_name)
        return {"contacts": contacts} if contacts else None
