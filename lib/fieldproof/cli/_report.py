"""`fieldproof report` and `fieldproof runs`: what runs have left."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from fieldproof.cli._errors import reported
from fieldproof.cli._exit_codes import FAILED, PASSED
from fieldproof.cli._options import complete_runs, runs_folder
from fieldproof.cli._output import show, tell

_FILES = {"md": "report.md", "json": "report.json", "junit": "junit.xml"}
_OF_A_DRIVING_RUN = "summary.json"
_OF_DRIVING = ("report.md", "junit.xml")


@click.command()
@click.argument("run_name", metavar="[RUN]", default="latest", shell_complete=complete_runs)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(_FILES)),
    default="md",
    show_default=True,
    help="Markdown, JSON or JUnit XML.",
)
@click.option(
    "--write",
    is_flag=True,
    help="Write the three report files into the run anew, and seal it again.",
)
@runs_folder
def report(run_name: str, form: str, runs: Path | None, *, write: bool) -> None:
    """Print the report of RUN: a folder, an id or its beginning, a digest, or latest (default).

    A driving run has reports of its own, which are printed as they are.
    """
    from fieldproof.cli._workspace import workspace_of
    from fieldproof.runs import RunError, RunsFolder, load, rewrite_sealed
    from fieldproof_reports import render_all

    with reported():
        folder = RunsFolder(workspace_of(runs=runs).runs)
        directory = folder.find(run_name)
        texts = render_all(load(directory))
        if (directory.path / _OF_A_DRIVING_RUN).is_file():
            if write:
                raise RunError(
                    f"{directory.path}: the reports of a driving run show more than its record "
                    f"holds, and are written with its figures; leave --write out to read them"
                )
            own = [name for name in texts if name in _OF_DRIVING]
            texts |= {name: (directory.path / name).read_text("utf-8") for name in own}
        if write:
            rewrite_sealed(folder, directory, texts)
        show(texts[_FILES[form]])


@click.group()
def runs() -> None:
    """Look after the runs of this workspace."""


@runs.command("list")
@runs_folder
def runs_list(runs: Path | None) -> None:
    """List the runs, the oldest first."""
    from fieldproof.cli._workspace import workspace_of
    from fieldproof.runs import RunError, RunsFolder, load

    with reported():
        for directory in RunsFolder(workspace_of(runs=runs).runs).runs():
            try:
                record = load(directory)
            except RunError as error:
                show(f"{directory.run_id}  {error}")
            else:
                name, status = record["scenario"]["name"], record["status"]
                show(f"{directory.run_id}  {name}  {status}")


@runs.command("verify")
@click.argument(
    "run_names", metavar="RUN...", nargs=-1, required=True, shell_complete=complete_runs
)
@runs_folder
def runs_verify(run_names: tuple[str, ...], runs: Path | None) -> None:
    """Recompute the seal of each RUN and name every file that differs."""
    from fieldproof.cli._workspace import workspace_of
    from fieldproof.runs import RunsFolder, verify

    differing = False
    with reported():
        folder = RunsFolder(workspace_of(runs=runs).runs)
        for name in run_names:
            directory = folder.find(name)
            differences = verify(directory)
            for difference in differences:
                tell(f"{directory.run_id}: {difference}")
            if not differences:
                show(f"{directory.run_id}: as sealed")
            differing = differing or bool(differences)
    sys.exit(FAILED if differing else PASSED)


@runs.command("digest")
@click.argument(
    "run_names", metavar="RUN...", nargs=-1, required=True, shell_complete=complete_runs
)
@runs_folder
def runs_digest(run_names: tuple[str, ...], runs: Path | None) -> None:
    """Print the evidence digest of each RUN, which may also be the folder of a hermetic run.

    Two lockstep runs of the same software have the same one, live or in the build.
    """
    from fieldproof.cli._workspace import workspace_of
    from fieldproof.runs import RunsFolder, evidence_digest

    with reported():
        folder = RunsFolder(workspace_of(runs=runs).runs)
        for name in run_names:
            path = Path(name)
            is_evidence = (path / "outcome.json").is_file()
            where = path if is_evidence else folder.find(name).path
            show(f"{evidence_digest(where.resolve())}  {name}")
