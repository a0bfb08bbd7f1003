"""The commands of the driving suites."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import click

from fieldproof.cli._driving_files import check_is_suite
from fieldproof.cli._driving_history import baseline, compare, failures, show_comparison
from fieldproof.cli._driving_options import (
    AGENT,
    BASELINES,
    JOBS,
    PATH,
    PERCENT,
    RUNS,
    agent_options,
    driving_reported,
    limits_of,
    loaded_agent,
)
from fieldproof.cli._driving_packs import packs
from fieldproof.cli._errors import stop
from fieldproof.cli._exit_codes import INVALID
from fieldproof.cli._options import SUITE_FILE
from fieldproof.cli._output import show, warn

if TYPE_CHECKING:
    from fieldproof.driving.loading import LoadedSuite
    from fieldproof.driving.loop import ScenarioResult


def _shown(path: Path) -> str:
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


@click.group()
def suite() -> None:
    """Run driving suites: an agent, scenarios, gates."""


@suite.command("run")
@click.argument("suite_file", metavar="SUITE", type=SUITE_FILE)
@click.option("--agent", default=AGENT, show_default=True, help="FILE.py, MODULE:CLASS or a name.")
@RUNS
@BASELINES
@click.option("--baseline", help="Compare with this baseline; what regressed fails the suite.")
@click.option(
    "--out", type=PATH, help="Write into this folder, with nothing of time and place in it."
)
@click.option("--jobs", type=JOBS, default=0, help="Scenarios at once; 0: fitting.")
@click.option("--quiet", is_flag=True, help="Print the verdict only.")
@agent_options
def suite_run(suite_file: Path, agent: str, out: Path | None, **options: Any) -> None:
    """Run SUITE, a file or a name in scenarios/suites, with an agent and leave its evidence.

    Exit code 0: every gate passed; 1: not; 2: something is not valid; 130: interrupted.
    """
    from fieldproof.driving.history import BaselinesFolder
    from fieldproof.driving.provenance import collect_surroundings
    from fieldproof.driving.suite import SuiteOptions, run_suite, run_suite_into
    from fieldproof.engine import Interrupt
    from fieldproof.runs import RunsFolder, read_manifest

    if out is not None and options["baseline"] is not None:
        raise click.UsageError("--out and --baseline do not go together")
    with driving_reported(), Interrupt() as interrupt:
        loaded = _suite_of(suite_file)
        baseline, limits = options["baseline"], limits_of(options)
        how = SuiteOptions(
            agent=loaded_agent(agent, limits, needs="act", asked=interrupt),
            limits=limits,
            jobs=options["jobs"],
            host=os.environ,
            baseline=baseline and BaselinesFolder(options["baselines"]).find(baseline),
            listener=(lambda _result: None) if options["quiet"] else _said,
            asked=interrupt,
        )
        if out is not None:
            finished = run_suite_into(loaded, how, out)
            evidence = ""
        else:
            now = datetime.now(UTC)
            runs = RunsFolder(options["runs_folder"])
            finished = run_suite(
                loaded,
                how,
                runs=runs,
                surroundings=collect_surroundings(
                    suite_file.parent,
                    created_at=now.isoformat(timespec="milliseconds"),
                    files=(*loaded.read, *how.agent.read),
                ),
                now=now,
                unique=uuid4(),
                command=sys.argv,
            )
            directory = runs.find(finished.folder.name)
            evidence = f"  evidence {read_manifest(directory).evidence_digest}"
        status, colour = finished.verdict.status, "green" if finished.passed else "red"
        word = click.style({"passed": "PASS", "failed": "FAIL"}.get(status, status.upper()), colour)
        show(f"{word}  {loaded.id}: {finished.summary['reason']}")
        if baseline is not None and not options["quiet"]:
            show_comparison(finished.regression)
        for name in ("report.html", "junit.xml"):
            show(f"  {_shown(finished.folder / name)}")
        if evidence:
            show(evidence)
    sys.exit(status.exit_code)


def _suite_of(file: Path) -> LoadedSuite:
    """Return the suite in a file; warn of what is hardly meant as it is written.

    Raises:
        ScenarioError: It cannot be read, or something is wrong with it; says all of it.
    """
    from fieldproof.driving.loading import load_suite
    from fieldproof.model import Problem, ScenarioError, nearest

    check_is_suite(file)
    try:
        loaded = load_suite(file)
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
        hint = nearest(file.name, [one.name for one in file.parent.glob("*.yaml")])
        if not hint.startswith("nearest"):
            hint = "give a suite's file, or its name in scenarios/suites"
        raise ScenarioError(Problem(what, (), hint, str(file))) from None
    for doubt in loaded.doubts:
        warn(str(doubt))
    return loaded


def _said(result: ScenarioResult) -> None:
    entry = result.entry
    word = "pass" if entry["status"] == "success" else "fail"
    why = f": {result.reasons[0].text}" if result.reasons else ""
    after = f"{entry['ended_by']} after {entry['metrics']['duration_seconds']:g} s"
    with suppress(OSError):  # whoever read may have gone: the run goes on, and is judged
        show(f"  {word}  {entry['scenario_id']} ({after}){why}")


@suite.command("list")
@click.argument("folder", type=PATH, default="scenarios/suites")
def suite_list(folder: Path) -> None:
    """List the suites in FOLDER, and check them."""
    from fieldproof.driving.loading import find_suites
    from fieldproof.model import ScenarioError

    found, invalid = find_suites(folder), False
    if not found:
        stop(f"{folder} holds no suites (*.yaml): name a folder that does", INVALID)
    for path in found:
        try:
            loaded = _suite_of(path)
        except ScenarioError as error:
            invalid = True
            for problem in error.problems:
                click.echo(f"{problem}", err=True)
        else:
            count = len(loaded.scenarios)
            click.echo(f"{loaded.id}  {count} scenario{'s' * (count != 1)}  {loaded.file.name}")
    sys.exit(INVALID if invalid else 0)


@suite.command("verdict")
@click.argument("run_name", metavar="RUN", default="latest")
@RUNS
def suite_verdict(run_name: str, runs_folder: Path) -> None:
    """Say how RUN ended, a folder or a run's name, and end with its exit code.

    A run that is not as it was sealed is refused, and so is one whose files do not agree.
    """
    from fieldproof.driving.artefacts import SummaryHead, read_artefact
    from fieldproof.driving.trust import UNSEALED, check_run
    from fieldproof.runs import RunsFolder, Status

    with driving_reported():
        run = RunsFolder(runs_folder).find(run_name)
        sealed = check_run(run)
        summary = read_artefact(run.path / "summary.json", SummaryHead)
        ended = Status(run.read_json("verdict.json")["status"])
        word = ended if ended in {Status.ERROR, Status.INTERRUPTED} else summary.status
        click.echo(f"{word.upper()}  {summary.reason}")
        if not sealed:
            click.echo(f"  {UNSEALED}")
    sys.exit(0 if summary.status == "pass" else ended.exit_code or 1)


@click.group()
def openloop() -> None:
    """Judge predictions on logged data."""


@openloop.command("run")
@click.argument("dataset", type=PATH)
@click.argument("agent", default=AGENT)
@RUNS
@BASELINES
@click.option("--baseline", help="Compare with this baseline; what regressed fails the run.")
@click.option(
    "--max-regression-percent",
    type=PERCENT,
    default=0.0,
    show_default=True,
    help="How much worse than the baseline a figure may be.",
)
@agent_options
def openloop_run(dataset: Path, agent: str, **options: Any) -> None:
    """Let AGENT predict every sample of DATASET, and measure how far off it is.

    Exit code 0: all were predicted and nothing regressed; 1: not; 2: something is not valid;
    130: interrupted.
    """
    from fieldproof.driving.history import BaselinesFolder
    from fieldproof.driving.openloop import OpenLoopOptions, load_dataset, run_openloop
    from fieldproof.driving.provenance import collect_surroundings
    from fieldproof.engine import Interrupt
    from fieldproof.runs import RunsFolder

    with driving_reported(), Interrupt() as interrupt:
        baseline = options["baseline"]
        now = datetime.now(UTC)
        data, limits = load_dataset(dataset), limits_of(options)
        reference = loaded_agent(agent, limits, needs="predict", asked=interrupt)
        finished = run_openloop(
            data,
            OpenLoopOptions(
                agent=reference,
                limits=limits,
                host=os.environ,
                baseline=baseline and BaselinesFolder(options["baselines"]).find(baseline),
                max_regression_percent=options["max_regression_percent"],
                asked=interrupt,
            ),
            runs=RunsFolder(options["runs_folder"]),
            surroundings=collect_surroundings(
                dataset,
                created_at=now.isoformat(timespec="milliseconds"),
                files=(*data.read, *reference.read),
            ),
            now=now,
            unique=uuid4(),
            command=sys.argv,
        )
        for name, value in finished.metrics["openloop"].items():
            click.echo(f"  {name}: {'-' if value is None else format(value, '.6g')}")
        word = finished.summary["status"].upper()
        colour = "green" if finished.passed else "red"
        click.echo(f"{click.style(word, fg=colour)}  {finished.summary['reason']}")
        if baseline is not None:
            show_comparison(finished.regression)
        click.echo(f"  {_shown(finished.folder / 'report.html')}")
    sys.exit(finished.verdict.status.exit_code)


DRIVING_COMMANDS = (suite, baseline, compare, failures, openloop, packs)
