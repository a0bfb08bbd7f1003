from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a file: `file:line: what`. Line 0 stands for the file as a whole."""

    file: Path
    line: int
    what: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else f"{self.file}"
        return f"{where}: {self.what}"


class DescriptionError(ValueError):
    """A world or robot description cannot be used; `problems` holds every reason found."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class SdfError(DescriptionError):
    """A world file is malformed, or asks for physics outside the subset."""


class UrdfError(DescriptionError):
    """A robot description is malformed, or asks for physics outside the subset."""
