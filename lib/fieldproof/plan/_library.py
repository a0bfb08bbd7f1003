"""The worlds and robots that scenarios name: a folder each, with a file that describes it."""

import pathlib
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from fieldproof.model import (
    Document,
    InPart,
    Problem,
    Salvage,
    ScenarioError,
    VehicleManifest,
    World,
    nearest,
    read_in_part,
    read_yaml_file_in_part,
    shown,
)

_Model = TypeVar("_Model", VehicleManifest, World)
_Shelf = TypeVar("_Shelf")
_MODEL = "model.sdf"


@dataclass(frozen=True, slots=True)
class Shelved(Generic[_Shelf]):
    """A world, a robot or a model as its folder holds it.

    Attributes:
        model: What its file says, or stands for.
        files: What a run needs of the folder, by path relative to the folder's parent's parent,
            such as `worlds/dock_yard/world.sdf`.
        problems: What is wrong with its files; there is no plan then.
        lost: Names of the keys of its file that could not be read.
    """

    model: _Shelf
    files: Mapping[str, pathlib.Path] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    lost: frozenset[str] = frozenset()


def shelved_world(worlds_dir: pathlib.Path, name: str) -> Shelved[World]:
    """Return the world of a name, or the sound rest of it with what is wrong with its files.

    Raises:
        ScenarioError: There is none (one problem without a path), or nothing of it can be used
            (problems in its own files).
    """
    folder = _folder(worlds_dir, name, "world", "world.yaml")
    look = _Look(folder / "world.yaml")
    part = look.at(World)
    look.name(part, name)
    files: Mapping[str, pathlib.Path] = {}
    if "sdf" not in part.lost:
        sdf = part.value.sdf
        files = look.files(
            lambda: _with_resources(folder, f"worlds/{name}", sdf, look.document, ("sdf",))
        )
    if part.lost & {"frames", "physics"} or look.read.problems:
        raise ScenarioError(look.problems)
    return Shelved(part.value, files, tuple(look.problems), part.lost)


def shelved_robot(robots_dir: pathlib.Path, name: str) -> Shelved[VehicleManifest]:
    """Return the robot of a name; raises as `shelved_world` does."""
    folder = _folder(robots_dir, name, "robot", "robot.yaml")
    look = _Look(folder / "robot.yaml")
    part = look.at(VehicleManifest)
    look.name(part, name)
    files: dict[str, pathlib.Path] = {}
    if "model" not in part.lost:
        urdf = part.value.model.urdf
        where = ("model", "urdf")
        files |= look.files(
            lambda: _with_resources(folder, f"robots/{name}", urdf, look.document, where)
        )
    if "stack" not in part.lost:
        package = part.value.stack.package
        files |= look.files(lambda: _stack(robots_dir, package, look.document))
    if part.lost or not part.whole or look.read.problems:
        raise ScenarioError(look.problems)
    return Shelved(part.value, files, tuple(look.problems))


def shelved_model(worlds_dir: pathlib.Path, world: str, name: str) -> Shelved[str]:
    """Return a model that a scenario may put into a world, with its files.

    It is looked for in the world's own `models/` first and then in that beside the worlds. What
    stands in for the model is the path of its SDF file in the plan.

    Raises:
        ScenarioError: There is none (one problem without a path), or it refers to files that do
            not exist (problems in its own file).
    """
    shelves = {f"worlds/{world}/models": worlds_dir / world / "models"}
    shelves["worlds/models"] = worlds_dir / "models"
    for prefix, shelf in shelves.items():
        folder = shelf / name
        if (folder / _MODEL).is_file():
            outside = _outside(folder, folder / _MODEL)
            if outside:
                raise ScenarioError(Problem(outside, file=str(folder / _MODEL)))
            return Shelved(f"{prefix}/{name}/{_MODEL}", _files(folder, f"{prefix}/{name}"))
    known = {one.parent.name for shelf in shelves.values() for one in shelf.glob(f"*/{_MODEL}")}
    hint = nearest(name, sorted(known)) if known else f"{worlds_dir / 'models'} holds none"
    raise ScenarioError(f"unknown model {shown(name)}", hint=hint)


def _stack(robots_dir: pathlib.Path, package: str, document: Document) -> dict[str, pathlib.Path]:
    """Return the sources of the Python package that the stack's processes run."""
    folder = robots_dir / package
    if not (folder / "__init__.py").is_file():
        known = [one.parent.name for one in sorted(robots_dir.glob("*/__init__.py"))]
        hint = nearest(package, known) or _empty(robots_dir)
        problem = Problem(f"unknown package {shown(package)}", ("stack", "package"), hint=hint)
        raise ScenarioError(document.source.place(problem))
    return _files(folder, f"robots/{package}")


def _files(folder: pathlib.Path, prefix: str) -> dict[str, pathlib.Path]:
    """Return every file of a folder by its path in the bundle; caches and hidden files stay out."""
    found: dict[str, pathlib.Path] = {}
    for file in sorted(folder.rglob("*")):
        relative = file.relative_to(folder)
        out = any(part.startswith(".") or part == "__pycache__" for part in relative.parts)
        if file.is_file() and not out:
            found[f"{prefix}/{relative.as_posix()}"] = file
    return found


def _folder(shelf: pathlib.Path, name: str, kind: str, file: str) -> pathlib.Path:
    folder = shelf / name
    if not (folder / file).is_file():
        known = [one.parent.name for one in sorted(shelf.glob(f"*/{file}"))]
        hint = nearest(name, known) or _empty(shelf)
        raise ScenarioError(f"unknown {kind} {shown(name)}", hint=hint)
    return folder


def _empty(shelf: pathlib.Path) -> str:
    if shelf.is_dir():
        return f"{shelf} holds none"
    return f"there is no folder {shelf}: run in the project's folder, or say where it is"


class _Look:
    """Looks at a folder, and keeps everything that is wrong with its files.

    Attributes:
        read: The file that describes it.
        problems: With positions.
    """

    def __init__(self, path: pathlib.Path) -> None:
        self.read: InPart = read_yaml_file_in_part(path)
        self.problems: list[Problem] = []

    @property
    def document(self) -> Document:
        return self.read.document

    def at(self, model: type[_Model]) -> Salvage[_Model]:
        """Return what the file says as far as it can be read; raises when that is nothing."""
        part, self.problems = read_in_part(model, self.read)
        if part is None:
            raise ScenarioError(self.problems)
        return part

    def name(self, part: Salvage[World] | Salvage[VehicleManifest], folder: str) -> None:
        if "name" not in part.lost and part.value.name != folder:
            what = f"must be {folder}, as its folder is called (got {part.value.name})"
            self.problems.append(self.document.source.place(Problem(what, ("name",))))

    def files(self, found: Callable[[], dict[str, pathlib.Path]]) -> dict[str, pathlib.Path]:
        """Return the files that a look finds; none when it refuses them."""
        try:
            return found()
        except ScenarioError as error:
            self.problems.extend(error.problems)
            return {}


def _with_resources(
    folder: pathlib.Path, prefix: str, main: str, document: Document, path: tuple[str, ...]
) -> dict[str, pathlib.Path]:
    """Return the files of a folder: a description, and whatever it may refer to beside it."""
    description = folder / main
    if not description.is_file():
        raise ScenarioError(document.source.place(Problem(f"{main} does not exist", path)))
    if outside := _outside(folder, description):
        raise ScenarioError(Problem(outside, file=str(description)))
    return _files(folder, prefix)


def _outside(folder: pathlib.Path, description: pathlib.Path) -> str:
    """Return what is wrong with the files that a description refers to; empty for nothing."""
    for reference in _references(description):
        target = (folder / reference).resolve()
        is_there = target.is_file() or target.is_dir()  # a pipe is neither: to read it may not end
        if not target.is_relative_to(folder.resolve()) or not is_there:
            return f"refers to {shown(reference)}, which is not a file in its folder"
    return ""


def _references(description: pathlib.Path) -> Iterator[str]:
    """Yield the relative file names in an SDF or URDF; names with a scheme are left alone."""
    try:
        root = ET.fromstring(description.read_bytes())  # noqa: S314 - files of the workspace
    except ET.ParseError as error:
        line, column = error.position
        what = f"is no XML: {str(error).split(':', maxsplit=1)[0]}"
        problem = Problem(what, file=str(description), line=line, column=column + 1)
        raise ScenarioError(problem) from error
    for element in root.iter():
        named = (element.text or "").strip() if element.tag == "uri" else element.get("filename")
        if named and "://" not in named and element.tag in {"uri", "mesh", "texture"}:
            yield named
