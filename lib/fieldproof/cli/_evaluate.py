"""`fieldproof evaluate`: verdicts on what was recorded, without simulating."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldproof.cli._errors import reported, stop, warn_of_plugins
from fieldproof.cli._exit_codes import FAILED, INVALID
from fieldproof.cli._options import (
    SCENARIO_FILE,
    as_json,
    colour,
    complete_runs,
    complete_scenarios,
    folders,
    runs_folder,
)
from fieldproof.cli._output import show, show_json, tell, warn

if TYPE_CHECKING:
    from fieldproof.engine.judge import Judgement

_PATH = click.Path(path_type=Path)
_WORDS = {"passed": "PASS", "failed": "FAIL", "skipped": "SKIP"}
_OF_A_RUN = ("execution.json", "manifest.json", "envelope.json")
_COLOURS = {"PASS": "green", "FAIL": "red"}


@click.command()
@click.argument("what", metavar="RUN", shell_complete=complete_runs)
@click.option(
    "--scenario",
    type=SCENARIO_FILE,
    shell_complete=complete_scenarios,
    help="Judge by the assertions of this scenario; the run's own when absent.",
)
@click.option(
    "--map",
    "names",
    type=_PATH,
    help="For a recording that no run made: which topics are the scenario's, and say poses.",
)
@folders
@runs_folder
@as_json("Print verdicts, collectors and figures as data.")
@colour
def evaluate(
    what: str,
    *,
    scenario: Path | None,
    names: Path | None,
    worlds: Path | None,
    robots: Path | None,
    runs: Path | None,
    as_json: bool,
) -> None:
    """Judge the evidence of RUN anew; nothing is simulated and nothing written.

    RUN is a folder, an id or its beginning, a digest, latest, or a recording (MCAP) of a real
    robot. Exit code as that of a run; 2 when the evidence cannot answer what is asked.
    """
    from fieldproof.assertions import EvaluationError
    from fieldproof.cli._workspace import workspace_of
    from fieldproof.engine.evaluate import UnanswerableError

    with reported():
        workspace = workspace_of(worlds=worlds, robots=robots, runs=runs)
        try:
            found, places = _judged(what, scenario, names, workspace)
        except UnanswerableError as error:
            for sentence in error.lacking:
                tell(sentence)
            stop("the evidence cannot answer this; nothing was judged", INVALID)
        except EvaluationError as error:
            warn_of_plugins()
            stop(f"the plan of {what} cannot be evaluated: {error}; nothing was judged", INVALID)
    for note in found.notes:
        warn(note)
    if as_json:
        show_json(_data(found))
    else:
        for line in _lines(found, places):
            show(line)
    sys.exit(found.verdict.status.exit_code)


def _judged(
    what: str, scenario: Path | None, names: Path | None, workspace: Any
) -> tuple[Judgement, Mapping[str, str]]:
    """Return what was found, and where each assertion stands: `scenarios/x.yaml:31`."""
    from fieldproof.cli._places import assertions_at
    from fieldproof.engine.evaluate import evaluate_recording, evaluate_run, read_recording_map
    from fieldproof.engine.resolve import resolve
    from fieldproof.recording import RecordingError
    from fieldproof.runs import RunsFolder

    resolved = None
    if scenario is not None:
        resolved = resolve(scenario, workspace.worlds, workspace.robots, overlay=workspace.settings)
    path = Path(what)
    if not _is_recording(path):
        if names is not None:
            raise click.UsageError("--map is for recordings that no run made")
        is_evidence = any((path / name).exists() for name in _OF_A_RUN)
        evidence = path if is_evidence else RunsFolder(workspace.runs).find(what).path
        found = evaluate_run(evidence, resolved)
        if scenario is not None:
            return found, assertions_at(found.sources, scenario)
        return found, _own_places(found, evidence)
    if resolved is None:
        raise click.UsageError(f"{path} is no run: name a scenario with --scenario")
    if not path.exists():
        stop(f"there is no recording {path}", FAILED)
    try:
        found = evaluate_recording(path, read_recording_map(names), resolved)
    except RecordingError as error:
        stop(str(error), INVALID)
    return found, assertions_at(found.sources, scenario) if scenario else {}


def _own_places(found: Judgement, evidence: Path) -> Mapping[str, str]:
    """Return where a run's own assertions stand, if the file is still as it was."""
    from fieldproof.cli._places import assertions_at
    from fieldproof.runs import RunError, read_json

    try:
        envelope = read_json(evidence / "envelope.json")
    except (RunError, OSError):
        return {}
    path, sha256 = envelope.get("scenario_path"), envelope.get("scenario_sha256")
    if not (isinstance(path, str) and path and isinstance(sha256, str)):
        return {}
    return assertions_at(found.sources, Path(path), sha256=sha256)


def _is_recording(path: Path) -> bool:
    """Whether a path is an MCAP file, or a folder that holds one and is no run."""
    if path.is_dir():
        return not (path / "execution.json").is_file() and any(path.glob("*.mcap"))
    return path.suffix == ".mcap"


def _lines(found: Judgement, places: Mapping[str, str]) -> Iterator[str]:
    status = found.verdict.status.value
    yield f"{_word(_WORDS.get(status, status.upper()))}  {found.verdict.reason}"
    width = max((len(result.name) for result in found.results), default=0)
    for result in found.in_order():
        when = "" if result.t_s is None else f" (at {result.t_s:.3f} s)"
        place = places.get(result.name) if result.status != "passed" else None
        line = f"  {_word(_WORDS[result.status])}  {result.name:{width}}  {result.reason}{when}"
        yield f"{line}  {place}" if place else line
    for gap in found.gaps:
        yield f"  incomplete: {gap}"


def _word(word: str) -> str:
    return click.style(word, fg=_COLOURS.get(word))


def _data(found: Judgement) -> dict[str, Any]:
    return {
        **found.verdict.to_data(),
        "evidence": {"complete": not found.gaps, "gaps": list(found.gaps)},
        "assertions": [result.to_data() for result in found.results],  # as assertions.jsonl
        "notes": list(found.notes),
        "kpi_collectors": [result.to_data() for result in found.collectors],
        "kpis": dict(found.kpis),
    }
