"""What a project says about its runs: flags before its fieldproof.toml before the usual names."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from fieldproof.model import Overlay, read_workspace_file

WORKSPACE_FILE = "fieldproof.toml"


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where worlds and robots are looked up, where runs are kept, and what scenarios leave open.

    Attributes:
        worlds: folder of worlds.
        robots: folder of robots.
        runs: folder of runs.
        flags: what the command line gives for what a scenario leaves open.
        settings: the same with what the workspace file gives besides.
    """

    worlds: Path
    robots: Path
    runs: Path
    flags: Overlay = field(default_factory=Overlay)
    settings: Overlay = field(default_factory=Overlay)


def workspace_of(
    *,
    worlds: Path | None = None,
    robots: Path | None = None,
    runs: Path | None = None,
    flags: Overlay | None = None,
    file: Path | None = None,
) -> Workspace:
    """Return the workspace of the current folder; None is what no flag gave.

    Args:
        worlds: folder of worlds.
        robots: folder of robots.
        runs: folder of runs.
        flags: values for what a scenario leaves open.
        file: the workspace file; fieldproof.toml when there is one, when None.

    Raises:
        OSError: the workspace file cannot be read.
        ScenarioError: with everything that is wrong with it.
    """
    usual = Path(WORKSPACE_FILE)
    file = file or (usual if usual.exists() else None)
    given = flags or Overlay()
    if file is None:
        return Workspace(
            worlds or Path("worlds"), robots or Path("robots"), runs or Path("runs"), given, given
        )
    said = read_workspace_file(file)
    base, paths = file.parent, said.paths
    return Workspace(
        worlds or base / (paths.worlds or "worlds"),
        robots or base / (paths.robots or "robots"),
        runs or base / (paths.runs or "runs"),
        given,
        given.over(said.run),
    )
