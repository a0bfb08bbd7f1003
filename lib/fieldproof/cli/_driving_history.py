"""The commands of the driving suites that look at runs which are over."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from fieldproof.cli._driving_options import BASELINES, PERCENT, RUNS, driving_reported
from fieldproof.cli._exit_codes import INVALID


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@click.group()
def baseline() -> None:
    """Keep runs to compare others with."""


@baseline.command("create")
@click.argument("name")
@click.option("--from", "run_name", default="latest", show_default=True, help="The run.")
@click.option("--description", default="", help="What is to be said of it.")
@click.option("--replace", is_flag=True, help="Replace a baseline of that name.")
@RUNS
@BASELINES
def baseline_create(name: str, run_name: str, **options: Any) -> None:
    """Make the baseline NAME of a run."""
    from fieldproof.driving.history import BaselinesFolder
    from fieldproof.driving.trust import UNSEALED, check_run
    from fieldproof.runs import RunsFolder

    with driving_reported():
        run = RunsFolder(options["runs_folder"]).find(run_name)
        if not check_run(run):
            click.echo(f"{run.path}: {UNSEALED}", err=True)
        made = BaselinesFolder(options["baselines"]).create(
            name,
            run,
            created_at=_now(),
            description=options["description"],
            replace=options["replace"],
        )
        click.echo(f"{made.path}  of {made.source_run_id}")


@baseline.command("list")
@BASELINES
def baseline_list(baselines: Path) -> None:
    """List the baselines by name."""
    from fieldproof.driving.history import BaselinesFolder

    with driving_reported():
        for one in BaselinesFolder(baselines).list():
            said = f"  {one.description}" if one.description else ""
            click.echo(f"{one.name}  {one.source_run_id}  {one.created_at}{said}")


@click.command()
@click.argument("run_name", metavar="RUN")
@click.argument("baseline_name", metavar="BASELINE")
@click.option(
    "--max-regression-percent",
    type=PERCENT,
    help="How much worse a figure may be; the suite's gate, or else 0, when absent.",
)
@RUNS
@BASELINES
def compare(run_name: str, baseline_name: str, **options: Any) -> None:
    """Compare RUN with BASELINE and write the run's regression.json anew.

    Exit code 0: nothing regressed; 1: something did; 2: they cannot be compared.
    """
    from fieldproof.driving.history import BaselinesFolder, compare_finished
    from fieldproof.runs import RunsFolder

    with driving_reported(undecided=INVALID):
        runs = RunsFolder(options["runs_folder"])
        found = compare_finished(
            runs,
            runs.find(run_name),
            BaselinesFolder(options["baselines"]).find(baseline_name),
            changed_at=_now(),
            max_regression_percent=options["max_regression_percent"],
        )
        show_comparison(found)
        click.echo(found["status"].upper())
    sys.exit(0 if found["status"] == "pass" else 1)


@click.group()
def failures() -> None:
    """Follow the failures of a suite's run."""


@failures.command("list")
@click.argument("run_name", metavar="RUN", default="latest")
@click.option("--status", "wanted", help="Only those of this status.")
@RUNS
def failures_list(run_name: str, wanted: str | None, runs_folder: Path) -> None:
    """List the failures of RUN."""
    from fieldproof.driving.artefacts import Failures, read_artefact
    from fieldproof.runs import RunsFolder

    with driving_reported():
        path = RunsFolder(runs_folder).find(run_name).path / "failures.json"
        for one in read_artefact(path, Failures).failures:
            if wanted in {None, one.status}:
                owner = f"  {one.owner}" if one.owner else ""
                where = one.scenario_id or one.sample_id or ""
                click.echo(f"{one.failure_id}  {one.status}  {one.severity}  {where}{owner}")
                click.echo(f"    {one.reason or one.notes}")
                if one.reason not in {None, one.notes} and one.notes:
                    click.echo(f"    notes: {one.notes}")


@failures.command("set")
@click.argument("failure_id", metavar="FAILURE")
@click.option("--run", "run_name", default="latest", show_default=True, help="The run.")
@click.option("--status", help="open, acknowledged, assigned, in_progress, fixed, verified, ...")
@click.option("--owner", help="Who sees to it; empty for nobody.")
@click.option("--notes", help="What is to be said of it.")
@RUNS
def failures_set(failure_id: str, run_name: str, runs_folder: Path, **changes: str | None) -> None:
    """Change FAILURE of a run: its status, its owner or its notes."""
    from fieldproof.driving.history import set_failure
    from fieldproof.runs import RunsFolder

    with driving_reported():
        runs = RunsFolder(runs_folder)
        one = set_failure(runs, runs.find(run_name), failure_id, changed_at=_now(), **changes)
        owner = f"  {one['owner']}" if one["owner"] else ""
        click.echo(f"{one['failure_id']}  {one['status']}{owner}")
        click.echo("  (the run's reports show its failures as they were when it ended)")


def show_comparison(found: Mapping[str, Any]) -> None:
    """Print what of a regression.json moved, which scenarios changed and what failed, once."""
    told = []
    for name, delta in found["deltas"].items():
        if delta["delta"]:
            percent = delta["percent"]
            share = "from zero" if percent is None else f"{percent:+.2f} %"
            word = click.style("worse", fg="red") if delta["regressed"] else "     "
            text = f"{delta['baseline']:g} -> {delta['current']:g} ({share})"
            click.echo(f"  {word}  {name}: {text}")
            told.append(f"{name} regressed ")
    failures = found["failures"]
    for change in found["scenarios"]:
        if not any(one.startswith(f"scenario {change['scenario_id']} ") for one in failures):
            click.echo(f"  {change['change']}  {change['scenario_id']}")
    for failure in failures:
        if not failure.startswith(tuple(told)):
            click.echo(click.style(f"  {failure}", fg="red"))
