"""Writing into a run's folder: in one step each, and never outside it."""

import glob
import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from fieldproof.runs import (
    MANIFEST,
    RunDirectory,
    RunError,
    RunsFolder,
    UnreadableRunError,
    UnwritableRunError,
    seal,
    sha256_of,
)


def write_file(folder: Path, name: str, data: bytes) -> Path:
    """Write a file under a folder so that a reader sees all of it or nothing, and return its path.

    Args:
        folder: the run's folder.
        name: relative to it; folders in between are made.
        data: the content.

    Raises:
        UnwritableRunError: It cannot be written, or the name leads out of the folder.
    """
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise UnwritableRunError(path, "that is outside the run's folder")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise UnwritableRunError(path, error.strerror or str(error)) from error
    return path


def changed_files(folder: Path, hashes: Mapping[str, str]) -> list[str]:
    """Return in words which files of a run are not what was written, none if all are.

    Args:
        folder: the run's folder.
        hashes: SHA-256 of what was written, by path relative to the folder.
    """
    found = []
    for name, digest in hashes.items():
        try:
            digest_now = sha256_of(folder / name)
        except FileNotFoundError:
            found.append(f"{name} is missing")
        except OSError as error:
            found.append(f"{name} cannot be read: {error.strerror or error}")
        except UnreadableRunError:
            found.append(f"{name} is no plain file")
        else:
            if digest_now != digest:
                found.append(f"{name} is not what was written")
            elif (folder / name).resolve() != folder.resolve() / name:
                found.append(f"{name} lies behind a link")
    return found


def added_files(folder: Path, names: Collection[str]) -> list[str]:
    """Return in words what lies in a run that nobody wrote there for it, none if there is nothing.

    Args:
        folder: the run's folder.
        names: of the files that were written, relative to the folder.
    """
    found = (path for path in sorted(folder.rglob("*")) if path.is_symlink() or not path.is_dir())
    return [
        f"{name} was added"
        for name in (path.relative_to(folder).as_posix() for path in found)
        if name not in names
    ]


def check_unsealed(run: RunDirectory) -> None:
    """Refuse to go on with a run that somebody sealed while it went on.

    Raises:
        UnwritableRunError: It is sealed.
    """
    if run.sealed:
        raise UnwritableRunError(run.path / MANIFEST, "somebody wrote it while the run went on")


def seal_and_enter(runs: RunsFolder, run: RunDirectory) -> None:
    """Seal a run and enter it among the runs.

    Raises:
        UnwritableRunError: Somebody changed the folders in the meantime so that it is impossible.
        RunError: The run cannot be read again.
    """
    check_unsealed(run)
    try:
        seal(run)
        runs.enter(run)
    except RunError:
        raise
    except OSError as error:
        path = Path(error.filename or run.path)
        raise UnwritableRunError(path, error.strerror or str(error)) from error


def remove_leftovers(folder: Path, names: Iterable[str]) -> None:
    """Remove files that were given up, and what was about to become one of them.

    Args:
        folder: the run's folder.
        names: relative to it. What cannot be removed, or lies outside, stays.
    """
    for name in names:
        path = folder / name
        if path.parent.resolve() != folder.resolve() / Path(name).parent:
            continue
        for one in (path, *path.parent.glob(f".{glob.escape(path.name)}.*.part")):
            with suppress(OSError):
                one.unlink(missing_ok=True)
