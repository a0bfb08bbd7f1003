"""`fieldproof validate`: everything that is wrong with scenarios, without starting anything."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldproof.cli._driving_files import driving_kind, driving_problems
from fieldproof.cli._errors import reported
from fieldproof.cli._exit_codes import INVALID
from fieldproof.cli._options import SCENARIO_FILE, as_json, colour, complete_scenarios, folders
from fieldproof.cli._output import show, show_json, tell, warn

if TYPE_CHECKING:
    from fieldproof.cli._workspace import Workspace
    from fieldproof.model import Problem

_STANDARD_INPUT = "-"
_SCHEMA_VERSION = 1
_MOST_BYTES = 1 << 20


@click.command()
@click.argument(
    "given",
    metavar="FILE...",
    type=SCENARIO_FILE,
    nargs=-1,
    required=True,
    shell_complete=complete_scenarios,
)
@folders
@as_json("Print every problem with its position as data.")
@colour
def validate(
    given: tuple[Path, ...], worlds: Path | None, robots: Path | None, *, as_json: bool
) -> None:
    """Check scenario FILEs with the worlds and robots that they name; start nothing.

    Driving scenarios, their suites and the manifests of packs are checked as well. A name is that
    of a file in the folder scenarios, or in suites or driving in it; - is standard input. Prints
    every problem of every file as file:line:column: path: what. Exit code 0: all are valid; 2: one
    is not.
    """
    from fieldproof.cli._catalogue import plugin_problems
    from fieldproof.cli._workspace import workspace_of

    files = [str(path) for path in given]
    if files.count(_STANDARD_INPUT) > 1:
        raise click.BadArgumentUsage("standard input can be read once")
    with reported():
        workspace = workspace_of(worlds=worlds, robots=robots)
        left_out = plugin_problems()
        for one in left_out:
            warn(f"plugin left out: {one}")
        results = []
        for file in files:
            problems = _problems(file, workspace)
            results.append(_result(file, problems))
            if as_json:
                continue
            for problem in problems:
                tell(str(problem))
            if not problems:
                show(f"{_name(file)}: " + click.style("valid", fg="green"))
        if as_json:
            show_json(
                {
                    "schema_version": _SCHEMA_VERSION,
                    "valid": all(one["valid"] for one in results),
                    "files": results,
                    "plugins_left_out": [
                        {"name": one.name, "distribution": one.distribution, "what": one.what}
                        for one in left_out
                    ],
                }
            )
        if not all(one["valid"] for one in results):
            sys.exit(INVALID)


def _problems(file: str, workspace: Workspace) -> Sequence[Problem]:
    """Return everything that is wrong with one file."""
    from fieldproof.engine.descriptions import check_descriptions
    from fieldproof.engine.resolve import resolve
    from fieldproof.model import Problem, ScenarioError

    try:
        given = _standard_input() if file == _STANDARD_INPUT else Path(file)
        kind = driving_kind(given)
        if kind is not None and isinstance(given, Path):
            return driving_problems(given)
        if kind is not None:
            hint = "give its file, of which other files are found"
            return [Problem(f"is {kind}, no robot scenario", (), hint, _name(file))]
        resolved = resolve(
            given,
            workspace.worlds,
            workspace.robots,
            overlay=workspace.settings,
            file=_name(file),
        )
        check_descriptions(resolved)
    except ScenarioError as error:
        return error.problems
    except OSError as error:
        return [Problem(error.strerror or str(error), file=str(error.filename or file))]
    return ()


def _standard_input() -> str:
    """Return what stands on standard input; of what is too long to be a scenario, the beginning."""
    from fieldproof.model import Problem, ScenarioError

    raw = sys.stdin.buffer.read(_MOST_BYTES + 1)
    try:
        return raw.decode("utf-8-sig", "strict" if len(raw) <= _MOST_BYTES else "replace")
    except UnicodeDecodeError as error:
        what = f"is not UTF-8 (byte 0x{raw[error.start]:02x})"
        raise ScenarioError(Problem(what, file=_name(_STANDARD_INPUT))) from error


def _name(file: str) -> str:
    return "standard input" if file == _STANDARD_INPUT else file


def _result(file: str, problems: Sequence[Problem]) -> dict[str, Any]:
    from fieldproof.model import path_text

    return {
        "file": _name(file),
        "valid": not problems,
        "problems": [
            {
                "file": one.file,
                "line": one.line or None,
                "column": one.column or None,
                "path": path_text(one.path),
                "what": one.what,
                "hint": one.hint,
            }
            for one in problems
        ],
    }
