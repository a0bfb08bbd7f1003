"""`fieldproof run`: a scenario, live."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldproof.cli._driving_files import check_is_robot_scenario
from fieldproof.cli._errors import reported
from fieldproof.cli._exit_codes import BISECT_SKIP
from fieldproof.cli._options import (
    SCENARIO_FILE,
    as_json,
    colour,
    complete_scenarios,
    folders,
    runs_folder,
)
from fieldproof.cli._output import show, show_json, warn
from fieldproof.cli._settings import overlay_of, settings, without_effect
from fieldproof.cli._terminal import Terminal

if TYPE_CHECKING:
    from fieldproof.cli._workspace import Workspace


@click.command()
@click.argument("scenario", type=SCENARIO_FILE, shell_complete=complete_scenarios)
@folders
@runs_folder
@click.option("--dry-run", is_flag=True, help="Show what would happen; start nothing.")
@as_json("Print the record of the run, with --dry-run its two plans, as data.")
@click.option("--quiet", is_flag=True, help="Print the verdict only, no progress.")
@click.option(
    "--bisect",
    is_flag=True,
    help="Exit with 125 unless the run passed or failed, for `git bisect run`.",
)
@settings
@colour
@click.pass_context
def run(
    context: click.Context,
    /,
    scenario: Path,
    worlds: Path | None,
    robots: Path | None,
    runs: Path | None,
    *,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
    bisect: bool,
    **given: Any,
) -> None:
    """Run SCENARIO live and leave its evidence: a file, or a name in the folder scenarios.

    What the scenario does not say is taken from the flags, then from fieldproof.toml of the current
    folder, then from the defaults.

    Exit code 0: passed; 1: failed, timeout, error or inconclusive; 2: the scenario is not valid;
    130: interrupted.
    """
    from fieldproof.cli._workspace import workspace_of

    with reported(undecided=BISECT_SKIP if bisect else None):
        workspace = workspace_of(worlds=worlds, robots=robots, runs=runs, flags=overlay_of(**given))
        check_is_robot_scenario(scenario)
        for sentence in without_effect(workspace, scenario):
            warn(sentence)
        if dry_run:
            _dry_run(scenario, workspace, as_json=as_json)
            return
        terminal = Terminal.of(sys.stderr, os.environ, choice=context.color)
        sys.exit(_live(scenario, workspace, terminal, as_json=as_json, quiet=quiet, bisect=bisect))


def _dry_run(scenario: Path, workspace: Workspace, *, as_json: bool) -> None:
    from fieldproof.cli._dry_run import dry_run_lines
    from fieldproof.engine.resolve import resolve

    resolved = resolve(scenario, workspace.worlds, workspace.robots, overlay=workspace.settings)
    if as_json:
        show_json({"execution": resolved.execution, "evaluation": resolved.evaluation})
        return
    for line in dry_run_lines(resolved):
        show(line)


def _live(
    scenario: Path,
    workspace: Workspace,
    terminal: Terminal,
    *,
    as_json: bool,
    quiet: bool,
    bisect: bool,
) -> int:
    """Run it, say what became of it, and return the exit code."""
    from fieldproof.cli._progress import Progress
    from fieldproof.cli._summary import summary
    from fieldproof.engine.live import Workspace as Folders
    from fieldproof.engine.live import run_live
    from fieldproof.runs import Status

    with Progress(terminal) as progress:
        done = run_live(
            scenario,
            Folders(workspace.worlds, workspace.robots, workspace.runs),
            host=os.environ,
            overlay=workspace.settings,
            listener=(lambda *_: None) if quiet else progress,
        )
    if as_json:
        show_json(done.record)
    else:
        show(summary(done, scenario))
    status = Status(done.record["status"])
    return status.bisect_code if bisect else status.exit_code
