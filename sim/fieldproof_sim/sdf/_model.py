from dataclasses import dataclass
from pathlib import Path

from fieldproof_sim._geometry import Pose, Vector
from fieldproof_sim._problems import Problem
from fieldproof_sim.shapes import Collision, Inertial, Visual


@dataclass(frozen=True, slots=True)
class Link:
    """A rigid body; `pose` is in the model's frame. A nested model's links are `model::link`.

    `wind` says whether wind pushes it.
    """

    name: str
    pose: Pose
    inertial: Inertial
    collisions: tuple[Collision, ...]
    visuals: tuple[Visual, ...]
    gravity: bool = True
    wind: bool = False


@dataclass(frozen=True, slots=True)
class Model:
    """A named group of links; `pose` is in the world's frame. The links of one never collide."""

    name: str
    pose: Pose
    static: bool
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class GeodeticOrigin:
    """Where the world's origin lies on WGS84; x points east, y north."""

    latitude_deg: float
    longitude_deg: float
    altitude_m: float


@dataclass(frozen=True, slots=True)
class World:
    """A parsed world file. `warnings` name what was left out without changing physics.

    `gravity` is in m/s2, `wind` in m/s, None where the file says nothing of it; world frame.
    """

    file: Path
    name: str
    gravity: Vector
    origin: GeodeticOrigin | None
    models: tuple[Model, ...]
    warnings: tuple[Problem, ...]
    wind: Vector | None = None
