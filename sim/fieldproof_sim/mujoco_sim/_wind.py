from collections.abc import Iterable
from typing import Any, Final

import mujoco
import numpy as np

from fieldproof_sim._geometry import Vector

# Gazebo's wind pushes a link with its mass times the difference of velocities times this, 1/s.
_SCALE: Final = 1.0


class Wind:
    """An even wind over the whole world, which pushes the bodies that take part in it.

    The force on a body is its mass times its velocity against the air, times 1/s, at its centre of
    mass: the model of Gazebo's WindEffects system with its default scaling factor. It is worked
    out anew at every control instant and holds in between.

    Attributes:
        velocity: m/s, world frame, as it was set.
        enabled: whether it blows.
    """

    def __init__(self) -> None:
        self.velocity: Vector = (0.0, 0.0, 0.0)
        self.enabled = False
        self._names: tuple[str, ...] = ()
        self._ids: list[int] = []
        self._found = np.zeros(6)

    def set_bodies(self, names: Iterable[str]) -> None:
        """Say which bodies it pushes."""
        self._names = tuple(names)

    def bind(self, model: Any, data: Any) -> None:
        """Take over a compiled model."""
        self._model, self._data = model, data
        self._ids = [model.body(name).id for name in self._names]
        data.xfrc_applied[:] = 0.0
        self.push()

    def push(self) -> None:
        """Work the forces out from the velocities of now."""
        if not self._ids:
            return
        for body in self._ids:
            if not self.enabled:
                self._data.xfrc_applied[body] = 0.0
                continue
            mujoco.mj_objectVelocity(
                self._model, self._data, mujoco.mjtObj.mjOBJ_BODY, body, self._found, 0
            )
            against = np.asarray(self.velocity) - self._found[3:]
            self._data.xfrc_applied[body, :3] = self._model.body_mass[body] * _SCALE * against
