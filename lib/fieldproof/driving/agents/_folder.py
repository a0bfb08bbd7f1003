"""Where an agent works: a folder that knows nothing of the run."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def working_folder() -> Iterator[Path]:
    """Make a folder for an agent outside the run, and remove it with all that is in it.

    Raises:
        OSError: It cannot be made.
    """
    folder = Path(tempfile.mkdtemp(prefix="fieldproof-agent-"))
    try:
        yield folder
    finally:
        _open_up(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _open_up(folder: Path) -> None:
    """Let the owner into every folder, whatever the agent did to its rights."""
    with suppress(OSError):
        folder.chmod(stat.S_IRWXU)
    for parent, folders, _ in os.walk(folder):
        for name in folders:
            path = Path(parent, name)
            if not path.is_symlink():
                with suppress(OSError):
                    path.chmod(stat.S_IRWXU)
