import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fieldproof.driving.files import PackManifest
from fieldproof.driving.loading import MANIFEST, load_scenario, mapping_in, part_of
from fieldproof.driving.packs._archive import unpack
from fieldproof.driving.packs._error import PackError
from fieldproof.model import ScenarioError, digest_of, nearest

_ABOUT = ("README", "LICENSE", "LICENCE", "NOTICE", "CHANGELOG", ".git")
"""What names of files at a pack's root begin with that are about it; they are not installed."""
_GIT = ".git"
_MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack in a folder.

    Attributes:
        path: the folder.
        manifest: what its `pack.yaml` says.
        digest: SHA-256 over the manifest and the files that it names.
    """

    path: Path
    manifest: PackManifest
    digest: str

    @property
    def id(self) -> str:
        """The pack's id."""
        return self.manifest.id


def read_pack(folder: Path) -> Pack:
    """Return the pack in a folder; its files are not looked at yet.

    Raises:
        ScenarioError: The manifest is not sound.
        OSError: It cannot be read.
    """
    path = folder / MANIFEST
    document = mapping_in(path, str(path))
    manifest = part_of(document, PackManifest, document.value, ())
    files = {one.file: one.sha256 for one in manifest.scenarios}
    own = hashlib.sha256(path.read_bytes()).hexdigest()
    return Pack(folder, manifest, digest_of({"manifest": own, "files": files}))


def find_packs(folder: Path) -> list[Path]:
    """Return the folders of the packs in a folder, by name."""
    return [
        path.parent for path in sorted(folder.glob(f"*/{MANIFEST}")) if path.parent.name[0] != "."
    ]


def verify_pack(pack: Pack) -> list[str]:
    """Return what of a pack is not as its manifest says, a sentence each.

    Every file must have its hash, every scenario be sound and have the id and the pack that the
    manifest says, and nothing stand in the pack that the manifest does not name.

    Raises:
        OSError: A file cannot be read.
    """
    problems = list(_hash_problems(pack))
    if problems:
        return problems
    for one in pack.manifest.scenarios:
        path = pack.path / one.file
        try:
            scenario = load_scenario(path, file=str(path))
        except ScenarioError as error:
            problems += [str(problem) for problem in error.problems]
            continue
        if scenario.id != one.id:
            problems.append(f"{path} has the id {scenario.id}, the manifest says {one.id}")
        named = scenario.file.environment.marketplace_pack
        if named not in {None, pack.id}:
            problems.append(f"{path} says that it is of the pack {named}, not of {pack.id}")
    return problems


def install_pack(source: Path, folder: Path, *, sha256: str | None, replace: bool) -> Pack:
    """Install a pack from a folder or an archive, and return it.

    Everything is unpacked and verified beside its place first; a pack that is refused leaves
    nothing behind.

    Args:
        source: a folder with a `pack.yaml`, or an archive of one, with or without a folder around.
        folder: where packs are; the pack gets a folder with its id.
        sha256: that the archive, or of a folder the pack, must have; None to take it as it is.
        replace: whether an installed pack of that id may go.

    Raises:
        PackError: It is refused; says why.
        ScenarioError: Its manifest is not sound.
        OSError: A file cannot be read or written.
    """
    if sha256 is not None and source.is_file():
        _check_digest(str(source), _sha256(source), sha256)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"{folder} cannot hold packs: {error.strerror or error}"
        raise PackError(f"{what}; give a folder with --packs") from None
    with tempfile.TemporaryDirectory(prefix=".installing-", dir=folder) as name:
        work = Path(name)
        if source.is_dir():
            pack = read_pack(source)
            if sha256 is not None:
                _check_digest(str(source), pack.digest, sha256)
            _check_strays(source, source, pack)
            _copy(pack, work / "pack")
            pack = read_pack(work / "pack")
        elif source.is_file():
            (work / "unpacked").mkdir()
            unpack(source, work / "unpacked")
            inner = read_pack(_root_of(source, work / "unpacked"))
            _check_strays(source, work / "unpacked", inner)
            _copy(inner, work / "pack")
            pack = read_pack(work / "pack")
        else:
            raise PackError(f"there is no {source}; give a folder or an archive")
        problems = verify_pack(pack)
        if problems:
            shown = [one.replace(f"{pack.path}{os.sep}", "") for one in problems]
            raise PackError("\n".join([f"{source} is not installed:", *shown]))
        return _put(pack, folder / pack.id, replace=replace)


def named_pack(folder: Path, name: str) -> Pack:
    """Return an installed pack by its id.

    Raises:
        PackError: There is none of that id.
    """
    known = [path.name for path in find_packs(folder)]
    if name not in known:
        raise PackError(
            f"unknown pack {name!r} in {folder} ({nearest(name, known) or 'there are none'})"
        )
    return read_pack(folder / name)


def _hash_problems(pack: Pack) -> Iterator[str]:
    named = {one.file: one.sha256 for one in pack.manifest.scenarios}
    for file, sha256 in named.items():
        path = pack.path / file
        if not path.is_file() or not path.resolve().is_relative_to(pack.path.resolve()):
            yield f"{path} is missing"
        elif _sha256(path) != sha256:
            yield f"{path} is not what the manifest says: its SHA-256 is {_sha256(path)}"
    yield from (f"{path} is not in the manifest" for path in _strays(pack.path, pack))


def _strays(folder: Path, pack: Pack) -> list[Path]:
    """Return what in a folder is no folder and neither of the pack nor said to be about it.

    Links are not followed: what one leads to could be anything tomorrow.
    """
    named = (MANIFEST, *(one.file for one in pack.manifest.scenarios))
    known = {pack.path / name for name in named}
    found = []
    for parent, folders, names in os.walk(folder):
        if Path(parent) == pack.path:
            folders[:] = [name for name in folders if name != _GIT]
            names = [name for name in names if not name.startswith(_ABOUT)]  # noqa: PLW2901
        links = [name for name in folders if Path(parent, name).is_symlink()]
        found += [Path(parent, name) for name in (*names, *links)]
    return sorted(set(found) - known)


def _check_strays(source: Path, folder: Path, pack: Pack) -> None:
    strays = _strays(folder, pack)
    if strays:
        shown = [str(path.relative_to(folder)) for path in strays[:_MOST_NAMED]]
        more = [f"and {len(strays) - _MOST_NAMED} more"] if len(strays) > _MOST_NAMED else []
        what = f"these are not in its {MANIFEST}; name them there, or take them out:"
        raise PackError("\n".join([f"{source} is not installed: {what}", *shown, *more]))


def _copy(pack: Pack, target: Path) -> None:
    """Copy the manifest and what it names; links are followed and must stay inside."""
    target.mkdir()
    for file in (MANIFEST, *(one.file for one in pack.manifest.scenarios)):
        source = pack.path / file
        if not source.is_file() or not source.resolve().is_relative_to(pack.path.resolve()):
            raise PackError(f"{source} is missing")
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target / file)


def _root_of(archive: Path, folder: Path) -> Path:
    """Return where the manifest of an unpacked archive lies: at its root, or one folder down."""
    roots = [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]
    found = [root for root in roots if (root / MANIFEST).is_file()]
    if len(found) != 1:
        raise PackError(f"{archive} holds {len(found)} files called {MANIFEST}, not one")
    return found[0]


def _put(pack: Pack, target: Path, *, replace: bool) -> Pack:
    if target.exists() and not replace:
        raise PackError(f"the pack {pack.id} is installed already; give --replace to replace it")
    old = pack.path.with_name("old")
    if target.exists():
        target.rename(old)
    try:
        pack.path.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    return read_pack(target)


def _check_digest(what: str, found: str, wanted: str) -> None:
    if found != wanted.lower():
        raise PackError(f"{what} has the SHA-256 {found}, not {wanted}: it is not installed")


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
