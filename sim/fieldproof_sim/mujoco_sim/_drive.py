import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldproof_sim.manifest import Drive

CONTROL_HZ: Final = 100


class DifferentialDrive:
    """Turns a speed command into wheel speeds, at 100 Hz and within the acceleration limit.

    The command is clamped to the manifest's limits and stands until the next one. Both sides
    change in proportion, so that a change of speed keeps to the arc it leads to.
    """

    def __init__(self, drive: Drive, prefix: str) -> None:
        self._drive = drive
        self._prefix = prefix
        self._target = (0.0, 0.0)
        self._now = (0.0, 0.0)

    def bind(self, model: Any, data: Any) -> None:
        """Find the wheels' actuators."""
        self._control = data.ctrl
        self._left = [model.actuator(self._prefix + name).id for name in self._drive.left_joints]
        self._right = [model.actuator(self._prefix + name).id for name in self._drive.right_joints]
        self._write()

    def command(self, linear_mps: float, angular_radps: float) -> None:
        """Aim at a speed along x and a turn rate about z."""
        limits = self._drive
        linear = math.copysign(min(abs(linear_mps), limits.max_linear_mps), linear_mps)
        angular = math.copysign(min(abs(angular_radps), limits.max_angular_radps), angular_radps)
        turn = angular * limits.wheel_separation_m / 2
        self._target = (linear - turn, linear + turn)

    def control(self) -> None:
        """Move the wheel speeds on by one control period."""
        if self._now == self._target:
            return
        change = [goal - now for goal, now in zip(self._target, self._now, strict=True)]
        largest = max(map(abs, change))
        allowed = self._drive.max_linear_accel_mps2 / CONTROL_HZ
        if largest <= allowed:
            self._now = self._target
        else:
            part = allowed / largest
            self._now = (self._now[0] + change[0] * part, self._now[1] + change[1] * part)
        self._write()

    def _write(self) -> None:
        for side, speed in zip((self._left, self._right), self._now, strict=True):
            self._control[side] = speed / self._drive.wheel_radius_m


class Odometry:
    """What wheel encoders know: the pose integrated from their turns, starting at zero.

    Each reading adds the arc that the wheels' turns since the one before describe.
    """

    def __init__(self, drive: Drive, prefix: str) -> None:
        self._drive = drive
        self._prefix = prefix
        self._x, self._y, self._yaw = 0.0, 0.0, 0.0
        self._last: tuple[float, float] | None = None

    def bind(self, model: Any, data: Any) -> None:
        """Find the wheels; turns already made before the first binding do not count."""
        self._angles, self._speeds = data.qpos, data.qvel
        sides = (self._drive.left_joints, self._drive.right_joints)
        joints = [[model.joint(self._prefix + name).id for name in side] for side in sides]
        self._positions_at = [model.jnt_qposadr[side] for side in joints]
        self._speeds_at = [model.jnt_dofadr[side] for side in joints]
        if self._last is None:
            self._last = self._travel()

    def read(self) -> dict[str, Any]:
        """Integrate up to now and return pose (odom frame) and speeds (base link)."""
        radius, separation = self._drive.wheel_radius_m, self._drive.wheel_separation_m
        left, right = self._travel()
        assert self._last is not None, "bound before it is read"
        along = (left - self._last[0] + right - self._last[1]) / 2
        turn = (right - self._last[1] - left + self._last[0]) / separation
        self._last = (left, right)
        chord = along if turn == 0 else along * math.sin(turn / 2) / (turn / 2)
        self._x += chord * math.cos(self._yaw + turn / 2)
        self._y += chord * math.sin(self._yaw + turn / 2)
        self._yaw = math.remainder(self._yaw + turn, math.tau)
        slow, fast = (_mean(self._speeds, at) * radius for at in self._speeds_at)
        return {
            "x": self._x,
            "y": self._y,
            "yaw": self._yaw,
            "v_mps": (slow + fast) / 2,
            "w_radps": (fast - slow) / separation,
        }

    def _travel(self) -> tuple[float, float]:
        """Return how far the rims of the left and right wheels have rolled, in metres."""
        left, right = (_mean(self._angles, at) for at in self._positions_at)
        return left * self._drive.wheel_radius_m, right * self._drive.wheel_radius_m


def _mean(values: NDArray[np.float64], at: NDArray[np.int32]) -> float:
    picked: list[float] = values[at].tolist()
    return sum(picked) / len(picked)


class JointStates:
    """Angles in rad and speeds in rad/s of the joints that turn, in the order of the URDF."""

    def __init__(self, joints: tuple[str, ...], prefix: str) -> None:
        self._joints = joints
        self._prefix = prefix

    def bind(self, model: Any, data: Any) -> None:
        """Find the joints."""
        self._angles, self._speeds = data.qpos, data.qvel
        found = [model.joint(self._prefix + name).id for name in self._joints]
        self._positions_at, self._speeds_at = model.jnt_qposadr[found], model.jnt_dofadr[found]

    def read(self) -> dict[str, Any]:
        """Return names, positions and velocities."""
        return {
            "names": list(self._joints),
            "positions": self._angles[self._positions_at].tolist(),
            "velocities": self._speeds[self._speeds_at].tolist(),
        }
