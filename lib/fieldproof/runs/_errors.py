from collections.abc import Sequence
from pathlib import Path


class RunError(Exception):
    """A run's folder cannot be made, found or read as asked."""


class RunsFolderError(RunError):
    """The folder for runs cannot be used.

    Attributes:
        path: the folder.
        reason: what the operating system says.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"cannot keep runs in {path}: {reason}")
        self.path = path
        self.reason = reason


class UnknownRunError(RunError):
    """No run has a name, or several have.

    Attributes:
        wanted: what was asked for.
        candidates: the runs it could mean, or those with similar names.
    """

    def __init__(self, wanted: str, reason: str, candidates: Sequence[str] = ()) -> None:
        listed = f" ({', '.join(candidates)})" if candidates else ""
        super().__init__(f"run {wanted!r}: {reason}{listed}")
        self.wanted = wanted
        self.candidates = tuple(candidates)


class RunBusyError(RunError):
    """Another process holds the run.

    Attributes:
        path: the run's folder.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(f"run {path.name} is in the hands of another process")
        self.path = path


class SealedRunError(RunError):
    """A sealed run is not changed any more.

    Attributes:
        path: the run's folder.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(f"run {path.name} is sealed")
        self.path = path


class UnreadableRunError(RunError):
    """A file of a run is missing or does not hold what it should.

    Attributes:
        path: the file.
        reason: what is wrong with it.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class UnwritableRunError(RunError, OSError):
    """A file of a run cannot be written.

    Attributes:
        path: the file.
        reason: why not.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} cannot be written: {reason}")
        self.path = path
        self.reason = reason


class NewerVersionError(RunError):
    """A file was written by a newer Fieldproof.

    Attributes:
        path: the file.
        version: the version it says.
        known: the newest that this Fieldproof reads.
    """

    def __init__(self, path: Path, version: int, known: int) -> None:
        super().__init__(
            f"{path} has version {version}, this Fieldproof reads versions up to {known}:"
            " use a newer one"
        )
        self.path = path
        self.version = version
        self.known = known
