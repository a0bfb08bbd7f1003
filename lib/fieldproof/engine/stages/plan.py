from __future__ import annotations

from pathlib import Path

from fieldproof.engine.resolve import resolve
from fieldproof.model import Overlay
from fieldproof.plan import write_evaluation, write_execution


def stage_plan(
    scenario: Path,
    *,
    worlds: Path,
    robots: Path,
    execution: Path,
    evaluation: Path,
    file: str,
    overlay: Overlay | None = None,
) -> None:
    """Write the two plans of a scenario, each to a folder of its own.

    Args:
        scenario: the scenario file.
        worlds: folder of worlds.
        robots: folder of robots.
        execution: where execution.json and the files that it names go.
        evaluation: where evaluation.json goes.
        file: what error positions call the scenario file.
        overlay: values for what the scenario leaves open.

    Raises:
        ScenarioError: with everything that is wrong.
    """
    resolved = resolve(scenario, worlds, robots, overlay=overlay, file=file)
    write_execution(resolved.plan, execution)
    write_evaluation(resolved.plan, evaluation)
