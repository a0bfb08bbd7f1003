"""The static part of the transform tree, as far as a planar vehicle needs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ugv_nav._geometry import Pose2, yaw_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Mount:
    """A rigid transform: points of the child frame into the parent frame.

    Attributes:
        translation_m: shape (3,).
        quaternion: shape (4,), x y z w, of unit length.
    """

    translation_m: tuple[float, float, float]
    quaternion: tuple[float, float, float, float]

    def rotation(self) -> NDArray[np.float64]:
        """Return the rotation matrix, shape (3, 3)."""
        x, y, z, w = self.quaternion
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )

    def compose(self, inner: Mount) -> Mount:
        """Return `inner`, a transform into this mount's child frame, into its parent frame."""
        moved = self.rotation() @ np.array(inner.translation_m)
        ax, ay, az, aw = self.quaternion
        bx, by, bz, bw = inner.quaternion
        return Mount(
            (
                self.translation_m[0] + float(moved[0]),
                self.translation_m[1] + float(moved[1]),
                self.translation_m[2] + float(moved[2]),
            ),
            (
                aw * bx + ax * bw + ay * bz - az * by,
                aw * by - ax * bz + ay * bw + az * bx,
                aw * bz + ax * by - ay * bx + az * bw,
                aw * bw - ax * bx - ay * by - az * bz,
            ),
        )

    def planar(self) -> Pose2:
        """Return the transform seen from above."""
        return Pose2(self.translation_m[0], self.translation_m[1], yaw_of(*self.quaternion))


IDENTITY = Mount((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


class StaticFrames:
    """A forest of fixed transforms, each frame with at most one parent."""

    def __init__(self) -> None:
        self._parents: dict[str, tuple[str, Mount]] = {}
        self._found: dict[tuple[str, str], Mount] = {}

    def add(self, parent: str, child: str, mount: Mount) -> None:
        """Set the transform of `child` in `parent`; a later one replaces an earlier one."""
        self._parents[child] = (parent, mount)
        self._found.clear()

    def find(self, ancestor: str, frame: str) -> Mount | None:
        """Return the transform of `frame` in `ancestor`, or None while no chain leads there."""
        if (ancestor, frame) in self._found:
            return self._found[ancestor, frame]
        mount, wanted = IDENTITY, frame
        seen: set[str] = set()
        while frame != ancestor:
            step = self._parents.get(frame)
            if step is None or frame in seen:
                return None
            seen.add(frame)
            frame, outer = step
            mount = outer.compose(mount)
        self._found[ancestor, wanted] = mount
        return mount
