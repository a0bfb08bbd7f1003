"""Writing into a run's folder: in one step each, and never outside it."""

import os
from pathlib import Path


def write_file(folder: Path, name: str, data: bytes) -> Path:
    """Write a file under a folder so that a reader sees all of it or nothing, and return its path.

    Args:
        folder: the run's folder.
        name: relative to it; folders in between are made.
        data: the content.

    Raises:
        ValueError: The name leads out of the folder.
        OSError: It cannot be written.
    """
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"{name!r} is outside the run's folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    return path
