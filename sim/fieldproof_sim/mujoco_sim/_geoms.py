from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import mujoco
import numpy as np

from fieldproof_sim._geometry import Pose
from fieldproof_sim.shapes import (
    Box,
    Collision,
    Cylinder,
    Heightmap,
    Mesh,
    Plane,
    Shape,
    Sphere,
    Visual,
)

# Geom groups. What touches and is seen alike needs one geom; sensors look at the first two groups.
GROUP_SOLID: Final = 0
GROUP_VISUAL: Final = 1
GROUP_COLLISION: Final = 3
GROUP_HIDDEN: Final = 5

_TORSIONAL_M: Final = 0.005
_ROLLING_M: Final = 0.0001
_HFIELD_BASE_M: Final = 0.1


@dataclass(frozen=True, slots=True)
class Part:
    """One geom to be: `name` within its link, what it is and what it does."""

    name: str
    pose: Pose
    shape: Shape
    group: int
    rgba: tuple[float, float, float, float]
    friction: float


def parts_of(collisions: Iterable[Collision], visuals: Sequence[Visual]) -> list[Part]:
    """Plan a link's geoms, merging each collision with the visual of the same place and shape."""
    left = list(visuals)
    parts = []
    for collision in collisions:
        twin = next(
            (v for v in left if v.shape == collision.shape and v.pose == collision.pose), None
        )
        if twin is not None:
            left.remove(twin)
        parts.append(
            Part(
                collision.name,
                collision.pose,
                collision.shape,
                GROUP_COLLISION if twin is None else GROUP_SOLID,
                (0.5, 0.5, 0.5, 1.0) if twin is None else twin.rgba,
                collision.friction,
            )
        )
    parts += [
        Part(f"visual:{v.name}", v.pose, v.shape, GROUP_VISUAL, v.rgba, 1.0)
        for v in left
        if v.rgba[3] > 0
    ]
    return parts


def add_part(spec: Any, body: Any, name: str, part: Part, frame: Pose) -> Any:
    """Add a geom to a body; `frame` is the part's parent frame in the body's.

    MuJoCo takes the larger friction of two geoms, others the smaller: the slicker geom gets the
    higher priority, which decides friction alone, so that ice is ice under any tyre.
    """
    pose = frame.compose(part.pose)
    solid = part.group != GROUP_VISUAL
    geom = body.add_geom(
        name=name,
        pos=list(pose.position),
        quat=list(pose.rotation),
        group=part.group,
        rgba=list(part.rgba),
        contype=int(solid),
        conaffinity=int(solid),
        mass=0.0,
        friction=[part.friction, _TORSIONAL_M, _ROLLING_M],
        condim=3 if part.friction > 0 else 1,
        priority=-round(part.friction * 10_000),
    )
    _SHAPERS[type(part.shape)](spec, geom, part.shape)
    return geom


def _box(_spec: Any, geom: Any, shape: Box) -> None:
    geom.type = mujoco.mjtGeom.mjGEOM_BOX
    geom.size = [edge / 2 for edge in shape.size]


def _cylinder(_spec: Any, geom: Any, shape: Cylinder) -> None:
    geom.type = mujoco.mjtGeom.mjGEOM_CYLINDER
    geom.size = [shape.radius, shape.length / 2, 0]


def _sphere(_spec: Any, geom: Any, shape: Sphere) -> None:
    geom.type = mujoco.mjtGeom.mjGEOM_SPHERE
    geom.size = [shape.radius, 0, 0]


def _plane(_spec: Any, geom: Any, shape: Plane) -> None:
    geom.type = mujoco.mjtGeom.mjGEOM_PLANE
    geom.size = [0, 0, 1]  # infinite in both directions
    quaternion = np.zeros(4)
    normal = np.array(shape.normal, float)
    mujoco.mju_quatZ2Vec(quaternion, normal / np.linalg.norm(normal))
    turned = np.zeros(4)
    mujoco.mju_mulQuat(turned, np.array(geom.quat), quaternion)
    geom.quat = turned


def _mesh(spec: Any, geom: Any, shape: Mesh) -> None:
    name = f"{shape.file}|{shape.scale}"
    if spec.mesh(name) is None:
        spec.add_mesh(name=name, file=str(shape.file), scale=list(shape.scale))
    geom.type = mujoco.mjtGeom.mjGEOM_MESH
    geom.meshname = name


def _heightmap(spec: Any, geom: Any, shape: Heightmap) -> None:
    name = f"{shape.file}|{shape.size}"
    if spec.hfield(name) is None:
        x, y, z = shape.size
        spec.add_hfield(name=name, file=str(shape.file), size=[x / 2, y / 2, z, _HFIELD_BASE_M])
    geom.type = mujoco.mjtGeom.mjGEOM_HFIELD
    geom.hfieldname = name


_SHAPERS: Final[dict[type[Shape], Callable[[Any, Any, Any], None]]] = {
    Box: _box,
    Cylinder: _cylinder,
    Sphere: _sphere,
    Plane: _plane,
    Mesh: _mesh,
    Heightmap: _heightmap,
}
