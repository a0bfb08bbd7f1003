import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fieldproof.model import canonical_document
from fieldproof.runs._errors import NewerVersionError, UnreadableRunError

SCHEMA_VERSION = 1
"""The newest version of run.json, envelope.json and manifest.json that can be read."""

_PART = ".part"


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees the old content or the new, never a mixture.

    The content goes to a hidden file beside it, reaches the disk and takes the name; a file that
    shared its content by a hard link keeps the old one.

    Raises:
        OSError: The folder cannot be written to, or the disk is full; the old file stays.
    """
    part = path.with_name(f".{path.name}{_PART}")
    try:
        with part.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: object) -> None:
    """Write a value as canonical JSON, in one step."""
    write_bytes(path, canonical_document(value).encode())


def read_json(path: Path) -> dict[str, Any]:
    """Return the object that a JSON file holds.

    Raises:
        UnreadableRunError: There is no such file, or it holds no JSON object.
    """
    if path.exists() and not path.is_file():  # to open a pipe would wait for a writer
        raise UnreadableRunError(path, "it is not a regular file")
    try:
        value = json.loads(path.read_bytes())
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


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in lower-case hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def regular_files(folder: Path) -> Iterator[Path]:
    """Yield the regular files under a folder, by their path, without what a kill left half written.

    Symbolic links are not followed and do not count.
    """
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and not is_part(path):
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
