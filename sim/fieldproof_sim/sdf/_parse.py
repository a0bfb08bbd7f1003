from pathlib import Path
from typing import Final
from xml.parsers import expat

from fieldproof_sim._geometry import Vector
from fieldproof_sim._problems import Problem, SdfError
from fieldproof_sim._xml import Element, Reader, parse_xml
from fieldproof_sim.sdf._links import read_link
from fieldproof_sim.sdf._model import GeodeticOrigin, Link, Model, World
from fieldproof_sim.sdf._shapes import read_pose, read_vector, resolve_uri

_OLDEST: Final = (1, 7)
_NEWEST: Final = (1, 11)
_GRAVITY: Final = (0.0, 0.0, -9.8)  # the default of SDF
_MAX_INCLUDES: Final = 16

_WORLD: Final = ("model", "include", "gravity", "spherical_coordinates", "physics", "wind")
_WORLD_RENDERING: Final = ("light", "scene", "gui", "magnetic_field", "atmosphere", "audio")
_WORLD_COSMETIC: Final = ("plugin", "frame")
_MODEL: Final = ("link", "model", "include", "pose", "static", "enable_wind")
_MODEL_COSMETIC: Final = ("plugin", "frame")
_MODEL_IGNORED: Final = ("allow_auto_disable",)


def parse_world(file: Path) -> World:
    """Read a world file and the local models it includes.

    Args:
        file: an SDF document with one `<world>`.

    Raises:
        SdfError: everything malformed, missing or outside the subset, each with file and line.
        OSError: the file itself cannot be read.
    """
    reader = Reader(file)
    root = _document(reader)
    world = root.first("world")
    if world is None:
        reader.error(root, "<sdf> needs a <world>")
        raise SdfError(tuple(reader.problems))
    reader.check_children(root, ("world",))
    reader.check_children(world, _WORLD, ignored=_WORLD_RENDERING, cosmetic=_WORLD_COSMETIC)
    for extra in list(root.all("world"))[1:]:
        reader.error(extra, "only one <world> can be used")
    name = reader.attribute(world, "name")
    gravity = read_vector(reader, world, "gravity", _GRAVITY)
    origin = _origin(reader, world)
    wind = _wind(reader, world)
    models = _models(reader, world, depth=0)
    if reader.problems:
        raise SdfError(tuple(reader.problems))
    return World(file, name, gravity, origin, models, tuple(reader.warnings), wind)


def parse_model_file(file: Path) -> tuple[Model, tuple[Problem, ...]]:
    """Read a file with one `<model>`, as `<include>` does.

    Returns:
        The model, and what was left out without changing physics.

    Raises:
        SdfError: as for `parse_world`.
        OSError: the file itself cannot be read.
    """
    reader = Reader(file)
    model = _model_of(reader, depth=0)
    if reader.problems or model is None:
        raise SdfError(tuple(reader.problems))
    return model, tuple(reader.warnings)


def _document(reader: Reader) -> Element:
    if reader.file.exists() and not (reader.file.is_file() or reader.file.is_dir()):
        raise SdfError((Problem(reader.file, 0, "is no plain file"),))  # a pipe may never end
    try:
        root = parse_xml(reader.file.read_bytes())
    except expat.ExpatError as error:
        what = expat.errors.messages.get(error.code, str(error))
        raise SdfError((Problem(reader.file, error.lineno, f"not XML: {what}"),)) from error
    if root.tag != "sdf":
        raise SdfError((Problem(reader.file, root.line, f"<sdf> expected (got <{root.tag}>)"),))
    version = reader.attribute(root, "version")
    try:
        major, minor = (int(part) for part in version.split("."))
    except ValueError:
        reader.error(root, f"the version must look like 1.11 (got {version or 'none'})")
        return root
    if not _OLDEST <= (major, minor) <= _NEWEST:
        reader.error(root, f"SDF {version} cannot be read: 1.7 to 1.11 can")
    return root


def _origin(reader: Reader, world: Element) -> GeodeticOrigin | None:
    element = world.first("spherical_coordinates")
    if element is None:
        return None
    known = (
        "surface_model",
        "world_frame_orientation",
        "latitude_deg",
        "longitude_deg",
        "elevation",
        "heading_deg",
    )
    reader.check_children(element, known)
    for tag, only in (("surface_model", "EARTH_WGS84"), ("world_frame_orientation", "ENU")):
        child = element.first(tag)
        if child is not None and child.text.strip() != only:
            reader.error(child, f"<{tag}> must be {only} (got {child.text.strip()})")
    heading = element.first("heading_deg")
    if heading is not None and reader.numbers(heading, heading.text, 1)[0] != 0:
        reader.error(heading, "<heading_deg> must be 0: x points east")
    latitude = reader.number(element, "latitude_deg", 0.0)
    longitude = reader.number(element, "longitude_deg", 0.0)
    if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):  # noqa: PLR2004
        reader.error(element, f"no such place: latitude {latitude:g}, longitude {longitude:g}")
    return GeodeticOrigin(latitude, longitude, reader.number(element, "elevation", 0.0))


def _wind(reader: Reader, world: Element) -> Vector | None:
    element = world.first("wind")
    if element is None:
        return None
    reader.check_children(element, ("linear_velocity",))
    return read_vector(reader, element, "linear_velocity", (0.0, 0.0, 0.0))


def _models(reader: Reader, parent: Element, *, depth: int) -> tuple[Model, ...]:
    """Read the models and includes of a world or model, in the order of the file."""
    found: dict[str, Model] = {}
    for element in parent.children:
        if element.tag == "model":
            model = _model(reader, element, depth=depth)
        elif element.tag == "include":
            model = _include(reader, element, depth=depth)
        else:
            continue
        if model is None:
            continue
        if model.name in found:
            reader.error(element, f"the model name {model.name} is taken")
        found[model.name] = model
    return tuple(found.values())


def _model(reader: Reader, element: Element, *, depth: int) -> Model | None:
    name = reader.attribute(element, "name")
    for attribute in ("placement_frame", "canonical_link"):
        if element.attributes.get(attribute):
            reader.error(element, f"the attribute {attribute} is not supported")
    reader.check_children(element, _MODEL, ignored=_MODEL_IGNORED, cosmetic=_MODEL_COSMETIC)
    static = reader.flag(element, "static", default=False)
    elements = list(element.all("link"))
    reader.unique(elements, lambda link: link.attributes.get("name", ""))
    wind = reader.flag(element, "enable_wind", default=False)
    links = [read_link(reader, link, wind=wind) for link in elements]
    for nested in _models(reader, element, depth=depth):
        static = static or nested.static
        links += [_nested(nested, link) for link in nested.links]
    if not name:
        return None
    if not links:
        reader.error(element, f"the model {name} has no link")
    return Model(name, read_pose(reader, element), static, tuple(links))


def _nested(model: Model, link: Link) -> Link:
    """Express a nested model's link in its parent model."""
    return Link(
        f"{model.name}::{link.name}",
        model.pose.compose(link.pose),
        link.inertial,
        link.collisions,
        link.visuals,
        link.gravity,
        link.wind,
    )


def _include(reader: Reader, element: Element, *, depth: int) -> Model | None:
    reader.check_children(element, ("uri", "name", "pose", "static"), cosmetic=("plugin",))
    path = resolve_uri(reader, element, element.first("uri"))
    if path is None:
        return None
    if depth >= _MAX_INCLUDES:
        reader.error(element, f"includes nest more than {_MAX_INCLUDES} deep: is one in itself?")
        return None
    inner = Reader(_model_file(path))
    try:
        model = _model_of(inner, depth=depth + 1)
    except SdfError as error:
        reader.problems.extend(error.problems)
        return None
    except OSError as error:
        reader.error(element, f"cannot be read: {error}")
        return None
    reader.problems.extend(inner.problems)
    reader.warnings.extend(inner.warnings)
    if model is None:
        return None
    name = element.first("name")
    pose = read_pose(reader, element) if element.first("pose") is not None else model.pose
    return Model(
        model.name if name is None else name.text.strip(),
        pose,
        reader.flag(element, "static", default=model.static),
        model.links,
    )


def _model_of(reader: Reader, *, depth: int) -> Model | None:
    """Read the one model of a document."""
    root = _document(reader)
    reader.check_children(root, ("model",))
    models = list(root.all("model"))
    if len(models) != 1:
        reader.error(root, f"exactly one <model> expected (got {len(models)})")
        return None
    return _model(reader, models[0], depth=depth)


def _model_file(path: Path) -> Path:
    """Return the newest SDF file of a model's folder, as its `model.config` names it."""
    if path.is_file():
        return path
    config = path / "model.config"
    if config.is_file():
        try:
            listed = [e.text.strip() for e in parse_xml(config.read_bytes()).all("sdf")]
        except expat.ExpatError as error:
            raise SdfError((Problem(config, error.lineno, "not XML"),)) from error
        if listed:
            return path / listed[-1]
    return path / "model.sdf"
