from typing import Final

from fieldproof_sim._geometry import Pose
from fieldproof_sim._inertia import check_inertia
from fieldproof_sim._xml import Element, Reader
from fieldproof_sim.sdf._model import Link
from fieldproof_sim.sdf._shapes import read_pose, read_shape
from fieldproof_sim.shapes import Collision, Inertial, Visual

_LINK: Final = ("pose", "inertial", "collision", "visual", "gravity", "enable_wind")
_LINK_COSMETIC: Final = ("sensor", "light", "particle_emitter", "audio_source", "plugin")
_FALSE_ONLY: Final = ("kinematic", "self_collide", "must_be_base_link")
_INERTIA: Final = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_VISUAL_IGNORED: Final = ("cast_shadows", "laser_retro", "visibility_flags")


def read_link(reader: Reader, element: Element, *, wind: bool = False) -> Link:
    """Read a link; problems go to the reader. `wind` is what its model says of it."""
    name = reader.attribute(element, "name")
    reader.check_children(element, (*_LINK, *_FALSE_ONLY), cosmetic=_LINK_COSMETIC)
    for tag in _FALSE_ONLY:
        child = element.first(tag)
        if child is not None and reader.flag(element, tag, default=False):
            reader.error(child, f"<{tag}> must be false")
    collisions = list(element.all("collision"))
    visuals = list(element.all("visual"))
    reader.unique(collisions, lambda child: child.attributes.get("name", ""))
    reader.unique(visuals, lambda child: child.attributes.get("name", ""))
    return Link(
        name,
        read_pose(reader, element),
        _inertial(reader, element),
        tuple(c for child in collisions if (c := _collision(reader, child)) is not None),
        tuple(v for child in visuals if (v := _visual(reader, child)) is not None),
        reader.flag(element, "gravity", default=True),
        reader.flag(element, "enable_wind", default=wind),
    )


def _inertial(reader: Reader, link: Element) -> Inertial:
    element = link.first("inertial")
    if element is None:
        return Inertial(1.0, (1.0, 1.0, 1.0, 0.0, 0.0, 0.0), Pose())
    reader.check_children(element, ("mass", "inertia", "pose"))
    if element.attributes.get("auto") in ("true", "1"):
        reader.error(element, "<inertial auto> is not supported: give mass and inertia")
    mass = reader.number(element, "mass", 1.0)
    values = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    inertia = element.first("inertia")
    if inertia is not None:
        reader.check_children(inertia, _INERTIA)
        values = [
            reader.number(inertia, tag, default)
            for tag, default in zip(_INERTIA, values, strict=True)
        ]
    ixx, iyy, izz, ixy, ixz, iyz = values
    tensor = (ixx, iyy, izz, ixy, ixz, iyz)
    check_inertia(reader, element, mass, tensor)
    return Inertial(mass, tensor, read_pose(reader, element))


def _collision(reader: Reader, element: Element) -> Collision | None:
    name = reader.attribute(element, "name")
    reader.check_children(element, ("pose", "geometry", "surface"), ignored=("laser_retro",))
    shape = read_shape(reader, element)
    friction = _friction(reader, element)
    pose = read_pose(reader, element)
    return None if shape is None else Collision(name, pose, shape, friction)


def _friction(reader: Reader, collision: Element) -> float:
    """Read the Coulomb coefficient out of `<surface><friction><ode><mu>`; 1 by default."""
    surface = collision.first("surface")
    if surface is None:
        return 1.0
    reader.check_children(surface, ("friction",))
    friction = surface.first("friction")
    if friction is None:
        return 1.0
    reader.check_children(friction, ("ode",))
    ode = friction.first("ode")
    if ode is None:
        return 1.0
    reader.check_children(ode, ("mu", "mu2"))
    mu = reader.number(ode, "mu", 1.0)
    if mu < 0:
        reader.error(ode, f"<mu> must not be negative (got {mu:g})")
    if reader.number(ode, "mu2", mu) != mu:
        reader.error(ode, "<mu2> must equal <mu>: friction is the same in all directions")
    return mu


def _visual(reader: Reader, element: Element) -> Visual | None:
    name = reader.attribute(element, "name")
    reader.check_children(
        element,
        ("pose", "geometry", "material", "transparency"),
        ignored=_VISUAL_IGNORED,
        cosmetic=("plugin", "meta"),
    )
    shape = read_shape(reader, element)
    pose = read_pose(reader, element)
    red, green, blue, alpha = _colour(reader, element)
    alpha *= 1 - reader.number(element, "transparency", 0.0)
    if shape is None:
        return None
    return Visual(name, pose, shape, (red, green, blue, alpha))


def _colour(reader: Reader, visual: Element) -> tuple[float, float, float, float]:
    """Read the diffuse (else ambient) colour; the rest of a material is for renderers."""
    grey = (0.7, 0.7, 0.7, 1.0)
    material = visual.first("material")
    if material is None:
        return grey
    chosen = material.first("diffuse") or material.first("ambient")
    if chosen is None:
        return grey
    parts = chosen.text.split()
    if len(parts) == 3:  # noqa: PLR2004 - alpha may be left out
        red, green, blue = reader.numbers(chosen, chosen.text, 3)
        return red, green, blue, 1.0
    red, green, blue, alpha = reader.numbers(chosen, chosen.text, 4)
    return red, green, blue, alpha
