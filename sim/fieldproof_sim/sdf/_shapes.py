import math
from pathlib import Path
from typing import Final

from fieldproof_sim._geometry import Pose, Vector
from fieldproof_sim._xml import Element, Reader
from fieldproof_sim.shapes import Box, Cylinder, Heightmap, Mesh, Plane, Shape, Sphere

_RPY_COUNT: Final = 6
_QUATERNION_COUNT: Final = 7
_MESH_SUFFIXES: Final = (".obj", ".stl")
_SHAPES: Final = ("box", "cylinder", "sphere", "plane", "mesh", "heightmap")


def read_pose(reader: Reader, parent: Element) -> Pose:
    """Read the `<pose>` child: x y z roll pitch yaw, or x y z qx qy qz qw when it says so."""
    element = parent.first("pose")
    if element is None:
        return Pose()
    if element.attributes.get("relative_to"):
        reader.error(element, "<pose> with relative_to is not supported: give it in the parent")
    form = element.attributes.get("rotation_format", "euler_rpy")
    if form == "quat_xyzw":
        x, y, z, qx, qy, qz, qw = reader.numbers(element, element.text, _QUATERNION_COUNT)
        norm = (qx * qx + qy * qy + qz * qz + qw * qw) ** 0.5
        if norm == 0:
            return Pose((x, y, z))
        return Pose((x, y, z), (qw / norm, qx / norm, qy / norm, qz / norm))
    if form != "euler_rpy":
        reader.error(element, f"rotation_format must be euler_rpy or quat_xyzw (got {form})")
    x, y, z, *rpy = reader.numbers(element, element.text or "0 0 0 0 0 0", _RPY_COUNT)
    unit = math.radians(1.0) if element.attributes.get("degrees") in ("true", "1") else 1.0
    return Pose.from_rpy((x, y, z), (rpy[0] * unit, rpy[1] * unit, rpy[2] * unit))


def read_vector(reader: Reader, parent: Element, tag: str, default: Vector) -> Vector:
    """Read a child that holds three numbers."""
    element = parent.first(tag)
    if element is None:
        return default
    x, y, z = reader.numbers(element, element.text, 3)
    return x, y, z


def read_shape(reader: Reader, parent: Element) -> Shape | None:
    """Read the `<geometry>` child; None after a problem was noted."""
    geometry = parent.first("geometry")
    if geometry is None:
        reader.error(parent, f"<{parent.tag}> needs a <geometry>")
        return None
    reader.check_children(geometry, _SHAPES)
    chosen = [child for child in geometry.children if child.tag in _SHAPES]
    if len(chosen) != 1:
        if chosen or not geometry.children:
            reader.error(geometry, f"<geometry> needs exactly one of {', '.join(_SHAPES)}")
        return None
    return _SHAPE_READERS[chosen[0].tag](reader, chosen[0])


def _required(reader: Reader, parent: Element, tag: str, count: int) -> tuple[float, ...]:
    element = parent.first(tag)
    if element is None:
        reader.error(parent, f"<{parent.tag}> needs a <{tag}>")
        return (1.0,) * count
    return reader.positive(element, element.text, count)


def _box(reader: Reader, element: Element) -> Shape:
    reader.check_children(element, ("size",))
    x, y, z = _required(reader, element, "size", 3)
    return Box((x, y, z))


def _cylinder(reader: Reader, element: Element) -> Shape:
    reader.check_children(element, ("radius", "length"))
    (radius,) = _required(reader, element, "radius", 1)
    (length,) = _required(reader, element, "length", 1)
    return Cylinder(radius, length)


def _sphere(reader: Reader, element: Element) -> Shape:
    reader.check_children(element, ("radius",))
    (radius,) = _required(reader, element, "radius", 1)
    return Sphere(radius)


def _plane(reader: Reader, element: Element) -> Shape:
    reader.check_children(element, ("normal", "size"))
    normal = read_vector(reader, element, "normal", (0.0, 0.0, 1.0))
    if not any(normal):
        reader.error(element, "<normal> must not be zero")
    size = element.first("size")
    x, y = (1.0, 1.0) if size is None else reader.positive(size, size.text, 2)
    return Plane(normal, (x, y))


def _mesh(reader: Reader, element: Element) -> Shape | None:
    reader.check_children(element, ("uri", "scale"))
    file = resolve_uri(reader, element, element.first("uri"))
    if file is None:
        return None
    if file.suffix.lower() not in _MESH_SUFFIXES:
        reader.error(element, f"meshes must be OBJ or STL (got {file.name})")
        return None
    return Mesh(file, read_vector(reader, element, "scale", (1.0, 1.0, 1.0)))


def _heightmap(reader: Reader, element: Element) -> Shape | None:
    reader.check_children(
        element,
        ("uri", "size", "pos"),
        cosmetic=("texture", "blend", "use_terrain_paging", "sampling"),
    )
    pos = element.first("pos")
    if pos is not None and any(reader.numbers(pos, pos.text, 3)):
        reader.error(pos, "<pos> of a heightmap must be zero: move the collision or visual instead")
    x, y, z = _required(reader, element, "size", 3)
    file = resolve_uri(reader, element, element.first("uri"))
    if file is None:
        return None
    if file.suffix.lower() != ".png":
        reader.error(element, f"heightmaps must be PNG (got {file.name})")
        return None
    return Heightmap(file, (x, y, z))


_SHAPE_READERS: Final = {
    "box": _box,
    "cylinder": _cylinder,
    "sphere": _sphere,
    "plane": _plane,
    "mesh": _mesh,
    "heightmap": _heightmap,
}


def resolve_uri(reader: Reader, parent: Element, element: Element | None) -> Path | None:
    """Find the local file or folder that a `<uri>` names.

    `model://NAME/...` is looked up in `models/` beside the world's or model's file and in every
    folder above it that has a `models/`; anything without a scheme is relative to the file.
    """
    if element is None or not element.text.strip():
        reader.error(parent, f"<{parent.tag}> needs a <uri>")
        return None
    uri = element.text.strip()
    scheme, found, rest = uri.partition("://")
    folder = reader.file.resolve().parent
    if not found:
        candidates = [folder / uri]
    elif scheme == "file":
        candidates = [folder / rest]
    elif scheme == "model":
        candidates = [above / "models" / rest for above in (folder, *folder.parents)]
    else:
        reader.error(element, f"only local files can be used (got {uri})")
        return None
    path = next((candidate for candidate in candidates if candidate.exists()), None)
    if path is None:
        reader.error(element, f"{uri} does not exist")
    return path
