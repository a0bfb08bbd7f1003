from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

import fieldproof
from fieldproof.cli._errors import BISECT_SKIP, INVALID, reported
from fieldproof.cli._output import say
from fieldproof.cli._progress import Progress
from fieldproof.cli._stage import stage

_SCENARIO = click.Path(path_type=Path)
_FOLDERS = (
    click.option(
        "--worlds",
        type=click.Path(path_type=Path),
        default="worlds",
        show_default=True,
        help="Folder of worlds.",
    ),
    click.option(
        "--robots",
        type=click.Path(path_type=Path),
        default="robots",
        show_default=True,
        help="Folder of robots.",
    ),
)


def _folders(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in _FOLDERS:
        command = option(command)
    return command


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(fieldproof.__version__, prog_name="fieldproof")
def main() -> None:
    """Test robot software in simulation and turn a run into evidence."""


@main.command()
@click.argument("scenario", type=_SCENARIO)
@_folders
@click.option(
    "--runs",
    type=click.Path(path_type=Path),
    default="runs",
    show_default=True,
    help="Folder that the run's directory is made in.",
)
@click.option("--dry-run", is_flag=True, help="Show what would happen; start nothing.")
@click.option("--quiet", is_flag=True, help="Print the verdict only.")
@click.option(
    "--bisect",
    is_flag=True,
    help="Exit with 125 unless the run passed or failed, for `git bisect run`.",
)
def run(
    scenario: Path,
    worlds: Path,
    robots: Path,
    runs: Path,
    *,
    dry_run: bool,
    quiet: bool,
    bisect: bool,
) -> None:
    """Run SCENARIO live and leave its evidence.

    Exit code 0: passed; 1: failed, timeout, error or inconclusive; 2: the scenario is not valid;
    130: interrupted.
    """
    from fieldproof.engine.live import Workspace, run_live
    from fieldproof.engine.resolve import resolve
    from fieldproof.runs import Status, read_manifest
    from fieldproof_reports import render_terminal

    with reported(undecided=BISECT_SKIP if bisect else None):
        if dry_run:
            from fieldproof.cli._dry_run import dry_run_lines

            for line in dry_run_lines(resolve(scenario, worlds, robots)):
                click.echo(line)
            return
        done = run_live(
            scenario,
            Workspace(worlds, robots, runs),
            host=os.environ,
            listener=(lambda *_: None) if quiet else Progress(),
        )
        folder = done.directory.path
        if folder.is_relative_to(Path.cwd()):
            folder = folder.relative_to(Path.cwd())
        reports = [str(folder / name) for name in ("report.md", "junit.xml")]
        digest = f"evidence {read_manifest(done.directory).evidence_digest}"
        text = render_terminal(done.record, reports=[*reports, digest])
        say(_coloured(text), sys.stdout, newline=False)
        status = Status(done.record["status"])
        sys.exit(status.bisect_code if bisect else status.exit_code)


def _coloured(text: str) -> str:
    first, rest = text.split("\n", 1)
    return click.style(first, fg="green" if first.startswith("PASS") else "red") + "\n" + rest


@main.command()
@click.argument("scenarios", type=_SCENARIO, nargs=-1, required=True)
@_folders
def validate(scenarios: tuple[Path, ...], worlds: Path, robots: Path) -> None:
    """Check SCENARIOS with the worlds and robots that they name; start nothing.

    Prints every problem as file:line:column: path: what. Exit code 0: valid; 2: not.
    """
    from fieldproof.assertions import assertion_registry
    from fieldproof.engine.descriptions import check_descriptions
    from fieldproof.engine.resolve import resolve
    from fieldproof.events import event_registry
    from fieldproof.model import ScenarioError

    for registry in (event_registry(), assertion_registry()):
        for left_out in registry.problems:
            click.echo(f"warning: plugin left out: {left_out}", err=True)
    invalid = False
    for scenario in scenarios:
        try:
            check_descriptions(resolve(scenario, worlds, robots))
        except ScenarioError as error:
            invalid = True
            for problem in error.problems:
                click.echo(f"{problem}", err=True)
        else:
            click.echo(f"{scenario}: valid")
    if invalid:
        sys.exit(INVALID)


@main.command()
@click.argument("run_name", metavar="RUN", default="latest")
@click.option(
    "--format", "form", type=click.Choice(["md", "json", "junit"]), default="md", show_default=True
)
@click.option(
    "--write",
    is_flag=True,
    help="Write the three report files into the run anew, and seal it again.",
)
@click.option("--runs", type=click.Path(path_type=Path), default="runs", show_default=True)
def report(run_name: str, form: str, runs: Path, *, write: bool) -> None:
    """Print the report of RUN: a folder, an id or its beginning, a digest, or `latest`."""
    from fieldproof.runs import RunsFolder, load, rewrite_sealed
    from fieldproof_reports import render_all

    with reported():
        folder = RunsFolder(runs)
        directory = folder.find(run_name)
        texts = render_all(load(directory))
        if write:
            rewrite_sealed(folder, directory, texts)
        click.echo(texts[{"md": "report.md", "json": "report.json", "junit": "junit.xml"}[form]])


@main.group()
def runs() -> None:
    """Look after the runs of this workspace."""


@runs.command("list")
@click.option("--runs", "folder", type=click.Path(path_type=Path), default="runs")
def runs_list(folder: Path) -> None:
    """List the runs, the oldest first."""
    from fieldproof.runs import RunError, RunsFolder, load

    for directory in RunsFolder(folder).runs():
        try:
            record = load(directory)
        except RunError as error:
            click.echo(f"{directory.run_id}  {error}")
        else:
            name, status = record["scenario"]["name"], record["status"]
            click.echo(f"{directory.run_id}  {name}  {status}")


@runs.command("verify")
@click.argument("run_names", metavar="RUN...", nargs=-1, required=True)
@click.option("--runs", "folder", type=click.Path(path_type=Path), default="runs")
def runs_verify(run_names: tuple[str, ...], folder: Path) -> None:
    """Recompute the seal of each RUN and name every file that differs."""
    from fieldproof.runs import RunsFolder, verify

    differing = False
    with reported():
        for name in run_names:
            directory = RunsFolder(folder).find(name)
            differences = verify(directory)
            for difference in differences:
                click.echo(f"{directory.run_id}: {difference}", err=True)
            if not differences:
                click.echo(f"{directory.run_id}: as sealed")
            differing = differing or bool(differences)
    sys.exit(1 if differing else 0)


@runs.command("digest")
@click.argument("run_names", metavar="RUN...", nargs=-1, required=True)
@click.option("--runs", "folder", type=click.Path(path_type=Path), default="runs")
def runs_digest(run_names: tuple[str, ...], folder: Path) -> None:
    """Print the evidence digest of each RUN, which may also be the folder of a hermetic run.

    Two lockstep runs of the same software have the same one, live or in the build.
    """
    from fieldproof.runs import RunsFolder, evidence_digest

    with reported():
        for name in run_names:
            path = Path(name)
            is_evidence = (path / "outcome.json").is_file()
            where = path if is_evidence else RunsFolder(folder).find(name).path
            click.echo(f"{evidence_digest(where.resolve())}  {name}")


@main.command()
def schema() -> None:
    """Print the JSON Schema of scenario files, installed plugins included."""
    from fieldproof.engine.resolve import installed_schema

    click.echo(json.dumps(installed_schema(), indent=2, sort_keys=True))


main.add_command(stage)
