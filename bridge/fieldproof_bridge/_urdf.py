from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass

from fieldproof_bridge._errors import ConfigError


@dataclass(frozen=True, slots=True)
class FixedTransform:
    """Pose of ``child`` in ``parent``: metres, and a unit quaternion (x, y, z, w)."""

    parent: str
    child: str
    translation: tuple[float, float, float]
    rotation: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class RobotDescription:
    """A URDF as far as its frames go.

    Attributes:
        text: the document, published as ``robot_description``.
        links: link names in the order of the document.
        fixed: one transform for each fixed joint, in the order of the document.
    """

    text: str
    links: tuple[str, ...]
    fixed: tuple[FixedTransform, ...]

    @classmethod
    def parse(cls, text: str) -> RobotDescription:
        """Read a URDF.

        Raises:
            ConfigError: it is no XML, no robot, or a joint lacks a name or numbers.
        """
        try:
            root = ET.fromstring(text)  # noqa: S314 - the robot's own file, no external entities
        except ET.ParseError as error:
            raise ConfigError([f"urdf: {error}"]) from error
        if root.tag != "robot":
            raise ConfigError([f"urdf: the root element must be robot (got {root.tag})"])
        problems: list[str] = []
        links = tuple(link.get("name", "") for link in root.findall("link"))
        fixed = tuple(
            _transform(joint, problems)
            for joint in root.findall("joint")
            if joint.get("type") == "fixed"
        )
        if problems:
            raise ConfigError(problems)
        return cls(text=text, links=links, fixed=fixed)

    def fixed_to(self, base_link: str) -> frozenset[str]:
        """The links that stand still in ``base_link``, itself included."""
        reached = {base_link}
        while True:
            more = {
                other
                for joint in self.fixed
                for one, other in ((joint.parent, joint.child), (joint.child, joint.parent))
                if one in reached and other not in reached
            }
            if not more:
                return frozenset(reached)
            reached |= more


def quaternion(
    roll_rad: float, pitch_rad: float, yaw_rad: float
) -> tuple[float, float, float, float]:
    """Unit quaternion (x, y, z, w) of a rotation about the fixed axes x, y, z in that order."""
    sr, cr = math.sin(roll_rad / 2), math.cos(roll_rad / 2)
    sp, cp = math.sin(pitch_rad / 2), math.cos(pitch_rad / 2)
    sy, cy = math.sin(yaw_rad / 2), math.cos(yaw_rad / 2)
    return (
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )


def _transform(joint: ET.Element, problems: list[str]) -> FixedTransform:
    name = joint.get("name", "?")
    ends = {}
    for end in ("parent", "child"):
        element = joint.find(end)
        ends[end] = "" if element is None else element.get("link", "")
        if not ends[end]:
            problems.append(f"urdf: joint {name}: {end} must name a link")
    origin = joint.find("origin")
    xyz = _triple(origin, "xyz", name, problems)
    rpy = _triple(origin, "rpy", name, problems)
    return FixedTransform(ends["parent"], ends["child"], xyz, quaternion(*rpy))


def _triple(
    origin: ET.Element | None, key: str, joint: str, problems: list[str]
) -> tuple[float, float, float]:
    text = "0 0 0" if origin is None else origin.get(key, "0 0 0")
    try:
        x, y, z = (float(part) for part in text.split())
    except ValueError:
        problems.append(f"urdf: joint {joint}: origin {key} must be three numbers (got {text!r})")
        return (0.0, 0.0, 0.0)
    return (x, y, z)
