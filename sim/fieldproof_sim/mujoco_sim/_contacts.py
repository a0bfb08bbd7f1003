from collections.abc import Iterable
from typing import Any, Final

import mujoco
import numpy as np
from numpy.typing import NDArray

CHUNK_S: Final = 0.01
_LEAST_SPEED_MPS: Final = 1.25
_ARM_M: Final = 0.5


def gap_m(max_linear_mps: float) -> float:
    """Return within which distance of a watched collision MuJoCo reports what has yet to touch."""
    return 4 * CHUNK_S * _guarded_speed(max_linear_mps)


def _guarded_speed(max_linear_mps: float) -> float:
    return 1.25 * max(_LEAST_SPEED_MPS / 1.25, max_linear_mps)


class ContactWatch:
    """Finds every contact of the watched geoms, also the ones that last a single step.

    Physics advances up to 10 ms at a time. Watched geoms have a gap: MuJoCo lists what comes
    within it, without a force. While nothing is listed and nothing moves faster than a quarter of
    the gap in 10 ms, nothing can touch before the next look; else `near` asks for single steps,
    each of which is looked at.
    """

    def __init__(self) -> None:
        self.near = False
        self._found: dict[str, dict[tuple[str, str], int]] = {}
        self._limit_mps = _LEAST_SPEED_MPS

    def bind(self, model: Any, data: Any, watched: Iterable[tuple[str, float]]) -> None:
        """Watch geoms, by name and the speed their vehicle may reach."""
        self._model = model
        self._data = data
        self._mask = np.zeros(model.ngeom, dtype=bool)
        for name, max_linear_mps in watched:
            geom = model.geom(name).id
            self._mask[geom] = True
            self._limit_mps = max(self._limit_mps, _guarded_speed(max_linear_mps))
        self._any = bool(self._mask.any())
        self._qvel = data.qvel
        free = model.jnt_dofadr[model.jnt_type == mujoco.mjtJoint.mjJNT_FREE]
        self._dofs = (free[:, None] + np.arange(6)).ravel()
        self._arms = np.tile((1.0, 1.0, 1.0, _ARM_M, _ARM_M, _ARM_M), len(free))

    def look(self) -> None:
        """Take note of the contacts of this instant."""
        if not self._any:
            return
        geoms: NDArray[np.int32] = self._data.contact.geom
        listed = self._mask[geoms]
        if listed.any():
            self.near = True
            rows = np.flatnonzero(listed.any(axis=1))
            self._note(geoms[rows].tolist(), self._data.contact.dist[rows].tolist())
        else:
            speeds = np.abs(self._qvel[self._dofs] * self._arms)
            self.near = bool(speeds.max() > self._limit_mps)

    def take(self, geom: str) -> list[dict[str, Any]]:
        """Return what a geom touched since it was last asked; `count` is the most points at once.

        The watched collision comes first; the order is that of the first contact. Geoms go by
        name, so that a contact outlives a change of the world between two readings.
        """
        return [
            {"collision1": first, "collision2": second, "count": count}
            for (first, second), count in self._found.pop(geom, {}).items()
        ]

    def _note(self, pairs: list[list[int]], distances: list[float]) -> None:
        counts: dict[tuple[int, int], int] = {}
        for (one, other), distance in zip(pairs, distances, strict=True):
            if distance > 0:
                continue
            for mine, theirs in ((one, other), (other, one)):
                if self._mask[mine]:
                    counts[mine, theirs] = counts.get((mine, theirs), 0) + 1
        for (mine, theirs), count in counts.items():
            names = (self._model.geom(mine).name, self._model.geom(theirs).name)
            found = self._found.setdefault(names[0], {})
            found[names] = max(found.get(names, 0), count)
