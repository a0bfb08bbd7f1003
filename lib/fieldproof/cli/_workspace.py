"""The folders of a project: flags before the workspace file before the usual names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Folders:
    """Where worlds and robots are looked up, and where runs are kept."""

    worlds: Path
    robots: Path
    runs: Path


def workspace_of(
    *, worlds: Path | None = None, robots: Path | None = None, runs: Path | None = None
) -> Folders:
    """Return the folders; None is what no flag gave."""
    return Folders(worlds or Path("worlds"), robots or Path("robots"), runs or Path("runs"))
