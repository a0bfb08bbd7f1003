import difflib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal
from xml.parsers import expat

from fieldproof_sim._geometry import Pose, Vector
from fieldproof_sim._inertia import check_inertia
from fieldproof_sim._problems import Problem, UrdfError
from fieldproof_sim._xml import Element, Reader, parse_xml
from fieldproof_sim.shapes import Box, Collision, Cylinder, Inertial, Mesh, Shape, Sphere, Visual
from fieldproof_sim.urdf._model import Joint, Link, Robot

_Colour = tuple[float, float, float, float]
_GREY: Final[_Colour] = (0.7, 0.7, 0.7, 1.0)
_INERTIA: Final = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_SHAPES: Final = ("box", "cylinder", "sphere", "mesh")
_MESH_SUFFIXES: Final = (".obj", ".stl")


def parse_robot(file: Path) -> Robot:
    """Read a robot description.

    Args:
        file: a URDF document, macros already expanded.

    Raises:
        UrdfError: everything malformed, missing or outside the subset, each with file and line.
        OSError: the file cannot be read.
    """
    reader = Reader(file)
    try:
        root = parse_xml(file.read_bytes())
    except expat.ExpatError as error:
        what = expat.errors.messages.get(error.code, str(error))
        raise UrdfError((Problem(file, error.lineno, f"not XML: {what}"),)) from error
    if root.tag != "robot":
        raise UrdfError((Problem(file, root.line, f"<robot> expected (got <{root.tag}>)"),))
    reader.check_children(
        root, ("link", "joint", "material", "gazebo"), cosmetic=("transmission", "ros2_control")
    )
    name = reader.attribute(root, "name")
    extensions = _extensions(reader, root)
    colours = _colours(reader, root)
    link_elements, joint_elements = list(root.all("link")), list(root.all("joint"))
    reader.unique(link_elements, lambda link: link.attributes.get("name", ""))
    reader.unique(joint_elements, lambda joint: joint.attributes.get("name", ""))
    links = tuple(_link(reader, element, extensions, colours) for element in link_elements)
    joints = tuple(_joint(reader, element) for element in joint_elements)
    base = _check_tree(reader, root, links, list(zip(joint_elements, joints, strict=True)))
    if reader.problems:
        raise UrdfError(tuple(reader.problems))
    return Robot(file, name, base, links, joints, tuple(reader.warnings))


@dataclass(frozen=True, slots=True)
class _Extensions:
    """What `<gazebo>` says of links and URDF has no place for.

    `frictions` (`<mu1>`) and `winds` (`<enable_wind>`) are by link; `wind` is for all the others.
    """

    frictions: dict[str, float]
    winds: dict[str, bool]
    wind: bool


def _extensions(reader: Reader, root: Element) -> _Extensions:
    links = [link.attributes.get("name", "") for link in root.all("link")]
    frictions: dict[str, float] = {}
    winds: dict[str, bool] = {}
    wind = False
    for element in root.all("gazebo"):
        link = element.attributes.get("reference")
        if link is None:
            wind = reader.flag(element, "enable_wind", default=wind)
            for child in element.children:
                if child.tag != "enable_wind":
                    reader.warn(child, f"<{child.tag}> in <gazebo> without a reference is left out")
            continue
        reader.check_children(
            element,
            ("mu1", "mu2", "enable_wind"),
            cosmetic=("material", "sensor", "plugin", "visual"),
        )
        mu = reader.number(element, "mu1", 1.0)
        if mu < 0 or reader.number(element, "mu2", mu) != mu:
            reader.error(element, "<mu1> must not be negative and <mu2> must equal it")
        if element.first("mu1") is not None:
            frictions[link] = mu
        if element.first("enable_wind") is not None:
            winds[link] = reader.flag(element, "enable_wind", default=False)
        if link not in links and (link in frictions or link in winds):
            near = difflib.get_close_matches(link, links, n=1)
            hint = f" (nearest: {near[0]})" if near else ""
            reader.error(element, f"<gazebo> refers to no link: {link}{hint}")
    return _Extensions(frictions, winds, wind)


def _colours(reader: Reader, root: Element) -> dict[str, _Colour]:
    return {
        material.attributes.get("name", ""): colour
        for material in root.all("material")
        if (colour := _rgba(reader, material)) is not None
    }


def _rgba(reader: Reader, material: Element) -> _Colour | None:
    element = material.first("color")
    if element is None:
        return None
    red, green, blue, alpha = reader.numbers(element, reader.attribute(element, "rgba"), 4)
    return red, green, blue, alpha


def _link(
    reader: Reader, element: Element, extensions: _Extensions, colours: dict[str, _Colour]
) -> Link:
    name = reader.attribute(element, "name")
    reader.check_children(element, ("inertial", "collision", "visual"))
    collisions = [
        Collision(
            child.attributes.get("name") or _numbered(f"{name}_collision", index),
            _origin(reader, child),
            shape,
            extensions.frictions.get(name, 1.0),
        )
        for index, child in enumerate(element.all("collision"))
        if (shape := _shape(reader, child, ())) is not None
    ]
    visuals = [
        Visual(
            child.attributes.get("name") or _numbered(f"{name}_visual", index),
            _origin(reader, child),
            shape,
            _visual_colour(reader, child, colours),
        )
        for index, child in enumerate(element.all("visual"))
        if (shape := _shape(reader, child, ("material",))) is not None
    ]
    for kind, names in (
        ("collision", [c.name for c in collisions]),
        ("visual", [v.name for v in visuals]),
    ):
        for taken in {n for n in names if names.count(n) > 1}:
            reader.error(element, f"the link {name} has two {kind}s named {taken}")
    return Link(
        name,
        _inertial(reader, element),
        tuple(collisions),
        tuple(visuals),
        extensions.winds.get(name, extensions.wind),
    )


def _numbered(name: str, index: int) -> str:
    return f"{name}_{index}" if index else name


def _visual_colour(reader: Reader, visual: Element, colours: dict[str, _Colour]) -> _Colour:
    material = visual.first("material")
    if material is None:
        return _GREY
    return _rgba(reader, material) or colours.get(material.attributes.get("name", ""), _GREY)


def _origin(reader: Reader, parent: Element) -> Pose:
    element = parent.first("origin")
    if element is None:
        return Pose()
    return Pose.from_rpy(
        _triple(reader, element, "xyz", "0 0 0"), _triple(reader, element, "rpy", "0 0 0")
    )


def _triple(reader: Reader, element: Element, attribute: str, default: str) -> Vector:
    x, y, z = reader.numbers(element, element.attributes.get(attribute, default), 3)
    return x, y, z


def _inertial(reader: Reader, link: Element) -> Inertial | None:
    element = link.first("inertial")
    if element is None:
        return None
    reader.check_children(element, ("origin", "mass", "inertia"))
    mass, inertia = element.first("mass"), element.first("inertia")
    if mass is None or inertia is None:
        reader.error(element, "<inertial> needs <mass> and <inertia>")
        return None
    (kilograms,) = reader.numbers(mass, reader.attribute(mass, "value"), 1)
    ixx, iyy, izz, ixy, ixz, iyz = (
        reader.numbers(inertia, inertia.attributes.get(name, "0"), 1)[0] for name in _INERTIA
    )
    tensor = (ixx, iyy, izz, ixy, ixz, iyz)
    check_inertia(reader, element, kilograms, tensor)
    return Inertial(kilograms, tensor, _origin(reader, element))


def _shape(reader: Reader, parent: Element, more: tuple[str, ...]) -> Shape | None:
    reader.check_children(parent, ("origin", "geometry", *more))
    geometry = parent.first("geometry")
    if geometry is None or len(geometry.children) != 1:
        reader.error(parent, f"<{parent.tag}> needs a <geometry> with one shape")
        return None
    reader.check_children(geometry, _SHAPES)
    element = geometry.children[0]
    if element.tag == "box":
        x, y, z = reader.positive(element, reader.attribute(element, "size"), 3)
        return Box((x, y, z))
    if element.tag == "sphere":
        return Sphere(reader.positive(element, reader.attribute(element, "radius"), 1)[0])
    if element.tag == "cylinder":
        (radius,) = reader.positive(element, reader.attribute(element, "radius"), 1)
        (length,) = reader.positive(element, reader.attribute(element, "length"), 1)
        return Cylinder(radius, length)
    return _mesh(reader, element) if element.tag == "mesh" else None


def _mesh(reader: Reader, element: Element) -> Shape | None:
    """Find a mesh beside the file, or in the folder of a package that holds or neighbours it."""
    name = reader.attribute(element, "filename")
    scale = _triple(reader, element, "scale", "1 1 1")
    folder = reader.file.resolve().parent
    if name.startswith("package://"):
        candidates = [above / name.removeprefix("package://") for above in folder.parents]
    else:
        candidates = [folder / name.removeprefix("file://")]
    path = next((candidate for candidate in candidates if candidate.is_file()), None)
    if path is None:
        reader.error(element, f"{name or 'the mesh'} does not exist")
        return None
    if path.suffix.lower() not in _MESH_SUFFIXES:
        reader.error(element, f"meshes must be OBJ or STL (got {path.name})")
        return None
    return Mesh(path, scale)


def _joint(reader: Reader, element: Element) -> Joint:
    name = reader.attribute(element, "name")
    kind: Literal["fixed", "continuous"] = "fixed"
    written = reader.attribute(element, "type")
    if written == "continuous":
        kind = "continuous"
    elif written not in {"", "fixed"}:
        reader.error(element, f"the joint type must be fixed or continuous (got {written})")
    reader.check_children(
        element,
        ("parent", "child", "origin", "axis", "dynamics"),
        ignored=("limit", "calibration", "safety_controller") if kind == "continuous" else (),
    )
    ends = []
    for tag in ("parent", "child"):
        end = element.first(tag)
        if end is None:
            reader.error(element, f"the joint {name} needs a <{tag}>")
        ends.append("" if end is None else reader.attribute(end, "link"))
    axis_element = element.first("axis")
    axis = (
        (1.0, 0.0, 0.0) if axis_element is None else _triple(reader, axis_element, "xyz", "1 0 0")
    )
    length = math.hypot(*axis)
    if length == 0:
        reader.error(element, f"the axis of {name} must not be zero")
        length = 1.0
    dynamics = element.first("dynamics")
    damping, friction = 0.0, 0.0
    if dynamics is not None:
        (damping,) = reader.numbers(dynamics, dynamics.attributes.get("damping", "0"), 1)
        (friction,) = reader.numbers(dynamics, dynamics.attributes.get("friction", "0"), 1)
    unit = (axis[0] / length, axis[1] / length, axis[2] / length)
    return Joint(name, kind, ends[0], ends[1], _origin(reader, element), unit, damping, friction)


def _check_tree(
    reader: Reader, root: Element, links: tuple[Link, ...], joints: list[tuple[Element, Joint]]
) -> str:
    """Return the root link's name; note links that are unknown, held twice or in a ring."""
    names = {link.name for link in links}
    parent_of: dict[str, str] = {}
    for element, joint in joints:
        for end in (joint.parent, joint.child):
            if end and end not in names:
                reader.error(element, f"the joint {joint.name} names no link: {end}")
        if joint.child in parent_of:
            reader.error(element, f"the link {joint.child} already has a parent")
        parent_of[joint.child] = joint.parent
    roots = [link.name for link in links if link.name not in parent_of]
    if len(roots) != 1:
        listed = ", ".join(roots) or "none"
        reader.error(root, f"exactly one link must have no parent (got {listed})")
        return ""
    for name in sorted(names):
        seen, at = {name}, name
        while at in parent_of and (at := parent_of[at]) not in seen:
            seen.add(at)
        if at != roots[0] and at in names:
            reader.error(root, f"the link {name} does not hang on {roots[0]}")
    return roots[0]
