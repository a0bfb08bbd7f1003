"""Reads the files that people name, without waiting for what is no file."""

import os
import pathlib
import stat

from fieldproof.model._problems import Problem, ScenarioError

LARGEST_BYTES = 1 << 20


def read_plain_file(path: pathlib.Path, *, file: str, most: int = LARGEST_BYTES) -> bytes:
    """Return the content of a plain file, or of one that a link leads to.

    A pipe, a device or a folder is refused before anything is read of it: a read might never end.

    Args:
        path: The file.
        file: What problems name it.
        most: Bytes; a larger file is refused.

    Raises:
        OSError: It cannot be read.
        ScenarioError: It is no plain file, or too large.
    """
    _refuse_unless_plain(path.stat().st_mode, file)
    # what was a file a moment ago may be a pipe now, whose opening would wait for a writer
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
        _refuse_unless_plain(os.fstat(stream.fileno()).st_mode, file)
        raw = stream.read(most + 1)
    if len(raw) > most:
        raise ScenarioError(Problem(f"is larger than {most >> 20} MiB", (), "", file, 1, 1))
    return raw


def _refuse_unless_plain(mode: int, file: str) -> None:
    if not stat.S_ISREG(mode):
        what = "is a folder" if stat.S_ISDIR(mode) else "is no plain file"
        raise ScenarioError(Problem(what, file=file))
