from dataclasses import dataclass
from pathlib import Path

from fieldproof_sim._geometry import Pose, Vector


@dataclass(frozen=True, slots=True)
class Box:
    """A box by its full edge lengths in metres."""

    size: Vector


@dataclass(frozen=True, slots=True)
class Cylinder:
    """A cylinder along its z axis, in metres."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class Sphere:
    """A sphere, radius in metres."""

    radius: float


@dataclass(frozen=True, slots=True)
class Plane:
    """An infinite plane through its frame's origin; `size` in metres only bounds its picture."""

    normal: Vector
    size: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Mesh:
    """A triangle mesh file (OBJ or STL); its convex hull is what collides."""

    file: Path
    scale: Vector


@dataclass(frozen=True, slots=True)
class Heightmap:
    """Elevation from a greyscale PNG: its darkest pixel lies at 0 m, its brightest at `size` z.

    `size` is the extent in x and y and the height range in z, in metres.
    """

    file: Path
    size: Vector


Shape = Box | Cylinder | Sphere | Plane | Mesh | Heightmap


@dataclass(frozen=True, slots=True)
class Inertial:
    """Mass in kg and inertia in kg m2 (ixx, iyy, izz, ixy, ixz, iyz) about the frame `pose`."""

    mass: float
    inertia: tuple[float, float, float, float, float, float]
    pose: Pose


@dataclass(frozen=True, slots=True)
class Collision:
    """A shape that touches; `friction` is the Coulomb coefficient."""

    name: str
    pose: Pose
    shape: Shape
    friction: float = 1.0


@dataclass(frozen=True, slots=True)
class Visual:
    """A shape that sensors see; `rgba` in 0..1."""

    name: str
    pose: Pose
    shape: Shape
    rgba: tuple[float, float, float, float] = (0.7, 0.7, 0.7, 1.0)
