import hashlib
import json
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import Any

from fieldproof.model import canonical_document
from fieldproof.runs._errors import NewerVersionError, UnreadableRunError, UnwritableRunError

SCHEMA_VERSION = 1
"""The newest version of run.json, envelope.json and manifest.json that can be read."""

_PART = ".part"


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees the old content or the new, never a mixture.

    The content goes to a hidden file beside it, reaches the disk and takes the name; a file that
    shared its content by a hard link keeps the old one.

    Raises:
        UnwritableRunError: The folder cannot be written to, the name is that of a folder, or the
            disk is full; the old file stays.
    """
    part = path.with_name(f".{path.name}{_PART}")
    try:
        with part.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise UnwritableRunError(path, error.strerror or str(error)) from error


def write_json(path: Path, value: object) -> None:
    """Write a value as canonical JSON, in one step."""
    write_bytes(path, canonical_document(value).encode())


def read_json(path: Path) -> dict[str, Any]:
    """Return the object that a JSON file holds.

    Raises:
        UnreadableRunError: There is no such file, or it holds no JSON object.
    """
    try:
        with open_plain(path) as stream:
            value = json.loads(stream.read())
    except FileNotFoundError:
        raise UnreadableRunError(path, "there is no such file") from None
    except (ValueError, RecursionError) as error:
        raise UnreadableRunError(path, f"not JSON: {error}") from error
    if not isinstance(value, dict):
        raise UnreadableRunError(path, "not a JSON object")
    return value


def read_versioned(path: Path) -> dict[str, Any]:
    """Return the object that a versioned JSON file holds.

    Raises:
        UnreadableRunError: There is no such file, or it holds no object with a version.
        NewerVersionError: It was written by a newer Fieldproof.
    """
    value = read_json(path)
    version = value.get("schema_version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise UnreadableRunError(path, "it has no schema_version")
    if version > SCHEMA_VERSION:
        raise NewerVersionError(path, version, SCHEMA_VERSION)
    return value


def open_plain(path: Path) -> BufferedReader:
    """Open a plain file, or one that a link leads to, for reading.

    To open a pipe would wait for a writer, and to read a device might never end.

    Raises:
        FileNotFoundError: There is no such file.
        OSError: It cannot be opened.
        UnreadableRunError: It is no plain file.
    """
    _refuse_unless_plain(path, path.stat().st_mode)
    # what was a file a moment ago may be a pipe now
    stream = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    try:
        _refuse_unless_plain(path, os.fstat(stream.fileno()).st_mode)
    except UnreadableRunError:
        stream.close()
        raise
    return stream


def _refuse_unless_plain(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise UnreadableRunError(path, "it is not a regular file")


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a plain file in lower-case hexadecimal.

    Raises:
        FileNotFoundError: There is no such file.
        OSError: It cannot be read.
        UnreadableRunError: It is no plain file.
    """
    with open_plain(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def regular_files(folder: Path) -> Iterator[Path]:
    """Yield the regular files under a folder, by their path, without what a kill left half written.

    Symbolic links are not followed and do not count.
    """
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and not is_part(path):
            yield path


def special_files(folder: Path) -> Iterator[Path]:
    """Yield what is neither file, folder nor link under a folder: pipes, sockets, devices."""
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)):
            yield path


def is_part(path: Path) -> bool:
    """Tell whether a file is one that was being written."""
    return path.name.startswith(".") and path.name.endswith(_PART)


def replace_link(link: Path, target: str) -> None:
    """Make a symbolic link, in one step where it exists already."""
    part = link.with_name(f".{link.name}{_PART}")
    part.unlink(missing_ok=True)
    part.symlink_to(target)
    part.replace(link)
