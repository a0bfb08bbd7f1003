from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from fieldproof.cli._errors import reported, stop
from fieldproof.cli._output import tell

_FOLDER = click.Path(path_type=Path)


@click.group(hidden=True)
def stage() -> None:
    """The steps of a run one by one, as the build calls them."""


@stage.command("plan")
@click.option("--scenario", type=_FOLDER, required=True)
@click.option("--worlds", type=_FOLDER, required=True)
@click.option("--robots", type=_FOLDER, required=True)
@click.option("--execution", type=_FOLDER, required=True)
@click.option("--evaluation", type=_FOLDER, required=True)
@click.option("--workspace", "file", type=_FOLDER, help="fieldproof.toml, when there is one.")
def plan(
    scenario: Path,
    worlds: Path,
    robots: Path,
    execution: Path,
    evaluation: Path,
    *,
    file: Path | None,
) -> None:
    """Resolve a scenario into its two plans."""
    from fieldproof.engine.stages.plan import stage_plan
    from fieldproof.model import read_workspace_file

    with reported():
        stage_plan(
            scenario,
            worlds=worlds,
            robots=robots,
            overlay=None if file is None else read_workspace_file(file).run,
            execution=execution,
            evaluation=evaluation,
            file=str(scenario),
        )


@stage.command("run")
@click.option("--plan", "plan_folder", type=_FOLDER, required=True)
@click.option("--out", type=_FOLDER, required=True)
def run(plan_folder: Path, out: Path) -> None:
    """Carry out an execution plan and write its evidence."""
    from fieldproof.engine.stages.run import stage_run

    with reported():
        stage_run(plan_folder, out, host=os.environ, listener=_tell)


def _tell(event: str, message: str, _fields: dict[str, Any]) -> None:
    if event.startswith(("phase.start", "action.")):
        tell(f"{event}: {message}")


@stage.command("verdict")
@click.option("--evidence", type=_FOLDER, required=True)
@click.option("--evaluation", type=_FOLDER, required=True)
@click.option("--out", type=_FOLDER, required=True)
def verdict(evidence: Path, evaluation: Path, out: Path) -> None:
    """Evaluate evidence."""
    from fieldproof.engine.stages.verdict import stage_verdict

    with reported():
        stage_verdict(evidence, evaluation, out)


@stage.command("report")
@click.option("--evidence", type=_FOLDER, required=True)
@click.option("--verdict", "verdict_folder", type=_FOLDER, required=True)
@click.option("--evaluation", type=_FOLDER, required=True)
@click.option("--out", type=_FOLDER, required=True)
def report(evidence: Path, verdict_folder: Path, evaluation: Path, out: Path) -> None:
    """Write the record and the reports."""
    from fieldproof.engine.stages.report import stage_report

    with reported():
        stage_report(evidence, verdict_folder, evaluation, out)


@stage.command("gate")
@click.option("--verdict", "verdict_folder", type=_FOLDER, required=True)
@click.option("--report", "report_folder", type=_FOLDER, required=True)
@click.option("--out", type=_FOLDER, required=True)
def gate(verdict_folder: Path, report_folder: Path, out: Path) -> None:
    """Succeed if the verdict is a pass, and say why not otherwise."""
    from fieldproof.engine.stages.verdict import stage_gate

    with reported():
        found = stage_gate(verdict_folder, report_folder, out)
    if found["status"] != "passed":
        stop(f"{found['status']}: {found['reason']}", 1)
    sys.exit(0)
