from collections.abc import Iterable
from typing import Any, Final

import mujoco
import numpy as np

from fieldproof_sim._geometry import Vector

# Gazebo's WindEffects calls it the force approximation scaling factor; 1/s.
_SCALE: Final = 1.0


class Wind:
    """An even wind over the whole world, which pushes the bodies that take part in it.

    The force on a body acts at its centre of mass and is its mass times the wind's velocity less
    that of the body's frame, times 1/s: the model of Gazebo's WindEffects system with its default
    factor, of which neither shape nor air density is part. It is worked out anew in every step.

    Attributes:
        velocity: m/s, world frame, as it was set.
        enabled: whether it blows.
    """

    def __init__(self, velocity: Vector | None = None) -> None:
        self.velocity: Vector = velocity or (0.0, 0.0, 0.0)
        self.enabled = velocity is not None
        self._bodies: list[int] = []
        self._found = np.zeros(6)

    @property
    def acts(self) -> bool:
        """Whether there is anything to push, and a wind to do it."""
        return self.enabled and bool(self._bodies)

    @property
    def reach(self) -> int:
        """How many bodies take part in it."""
        return len(self._bodies)

    def set(self, velocity: Vector, *, enabled: bool) -> None:
        """Blow from now on as told, or not at all."""
        self.velocity, self.enabled = velocity, enabled
        self._data.xfrc_applied[self._bodies] = 0.0

    def bind(self, model: Any, data: Any, bodies: Iterable[str]) -> None:
        """Find the bodies that it pushes in a model that was just compiled."""
        self._model, self._data = model, data
        self._bodies = [model.body(name).id for name in bodies]

    def push(self) -> None:
        """Work the forces of this step out from the velocities of this instant."""
        for body in self._bodies:
            mujoco.mj_objectVelocity(
                self._model, self._data, mujoco.mjtObj.mjOBJ_XBODY, body, self._found, 0
            )
            against = np.subtract(self.velocity, self._found[3:])
            self._data.xfrc_applied[body, :3] = self._model.body_mass[body] * _SCALE * against
