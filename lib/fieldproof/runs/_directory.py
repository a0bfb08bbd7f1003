import errno
import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fieldproof.runs._errors import RunBusyError, SealedRunError, UnwritableRunError
from fieldproof.runs._files import read_json, write_bytes, write_json

MANIFEST = "manifest.json"


class Claim:
    """Holds a run while its engine works on it; the system drops the hold when the engine dies."""

    def __init__(self, path: Path) -> None:
        """Take the hold.

        Raises:
            RunBusyError: Another process has it.
        """
        self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._descriptor)
            if error.errno in {errno.EAGAIN, errno.EACCES}:
                raise RunBusyError(path) from None
            raise

    def release(self) -> None:
        """Give the run up. Doing so again does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


class RunDirectory:
    """The folder of one run. Every file in it is written in one step, until it is sealed.

    Attributes:
        path: the folder; its name is the run's id.
    """

    def __init__(self, path: Path, *, claim: Claim | None = None) -> None:
        """Stand for a folder that exists.

        Args:
            path: the folder.
            claim: the hold that its maker took, handed out by the first `claim`.
        """
        self.path = path
        self._taken = claim

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.path.name

    @property
    def recording(self) -> Path:
        """The folder for the recording."""
        return self.path / "recording"

    @property
    def logs(self) -> Path:
        """The folder for the processes' output."""
        return self.path / "logs"

    @property
    def sealed(self) -> bool:
        """Whether the run has a manifest and is complete."""
        return (self.path / MANIFEST).is_file()

    @property
    def claimed(self) -> bool:
        """Whether a process holds the run at this moment."""
        try:
            Claim(self.path).release()
        except RunBusyError:
            return True
        return False

    def claim(self) -> Claim:
        """Hold the run for as long as it is worked on.

        A new run is held from the start, so that nobody takes it for an abandoned one; its hold
        is handed out here.

        Raises:
            RunBusyError: Another process holds it.
        """
        taken, self._taken = self._taken, None
        return taken or Claim(self.path)

    def write_text(self, name: str, text: str) -> Path:
        """Write a file (UTF-8) in one step and return its path.

        Args:
            name: relative to the folder; folders in between are made.
            text: its content; lone surrogates become question marks.

        Raises:
            SealedRunError: The run is sealed.
            UnwritableRunError: It cannot be written; an earlier file of that name stays.
        """
        return self._write(name, text.encode("utf-8", errors="replace"))

    def write_json(self, name: str, value: object) -> Path:
        """Write a file of canonical JSON in one step and return its path.

        Raises:
            SealedRunError: The run is sealed.
            ValueError: The value holds NaN or an infinity.
            UnwritableRunError: It cannot be written; an earlier file of that name stays.
        """
        path = self._target(name)
        write_json(path, value)
        return path

    def read_json(self, name: str) -> dict[str, Any]:
        """Return the object in a JSON file.

        Raises:
            UnreadableRunError: There is no such file, or it holds no JSON object.
        """
        return read_json(self.path / name)

    def _write(self, name: str, data: bytes) -> Path:
        path = self._target(name)
        write_bytes(path, data)
        return path

    def _target(self, name: str) -> Path:
        if self.sealed:
            raise SealedRunError(self.path)
        path = self.path / name
        if not path.resolve().is_relative_to(self.path.resolve()):
            raise UnwritableRunError(path, "that is outside the run's folder")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnwritableRunError(path, error.strerror or str(error)) from error
        return path
