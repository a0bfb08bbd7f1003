from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fieldproof_sim._geometry import Pose, Vector
from fieldproof_sim._problems import Problem
from fieldproof_sim.shapes import Collision, Inertial, Visual


@dataclass(frozen=True, slots=True)
class Link:
    """A rigid body; the poses of what it holds are in its own frame. `wind` may push it."""

    name: str
    inertial: Inertial | None
    collisions: tuple[Collision, ...]
    visuals: tuple[Visual, ...]
    wind: bool = False


@dataclass(frozen=True, slots=True)
class Joint:
    """Holds `child` to `parent`; `origin` is the child's frame in the parent's.

    A continuous joint turns about `axis` (unit, child's frame) against `damping` in N m s/rad and
    `friction` in N m.
    """

    name: str
    kind: Literal["fixed", "continuous"]
    parent: str
    child: str
    origin: Pose
    axis: Vector
    damping: float
    friction: float


@dataclass(frozen=True, slots=True)
class Robot:
    """A parsed robot: a tree of links under `root`. `warnings` name what was left out."""

    file: Path
    name: str
    root: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    warnings: tuple[Problem, ...]

    def link(self, name: str) -> Link | None:
        """Return the link of that name."""
        return next((link for link in self.links if link.name == name), None)

    def joint(self, name: str) -> Joint | None:
        """Return the joint of that name."""
        return next((joint for joint in self.joints if joint.name == name), None)

    def joints_below(self, link: str) -> Iterator[Joint]:
        """Yield the joints whose parent is `link`, in the order of the file."""
        return (joint for joint in self.joints if joint.parent == link)
