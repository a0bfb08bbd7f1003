"""What of a suite's run does not follow from its episodes and its gates."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fieldproof.driving.artefacts import ArtefactError
from fieldproof.driving.files import Gates, ScenarioFile
from fieldproof.driving.judge import (
    FAILURE,
    SUCCESS,
    EpisodeMetrics,
    aggregate,
    gate_failures,
    reasons_of,
    safety_score,
    summary,
    was_broken_off,
)
from fieldproof.driving.loading import LoadedScenario
from fieldproof.driving.report import render_suite
from fieldproof.driving.trust._files import (
    Documents,
    Problems,
    differing,
    hash_problems,
    lines_of,
    record_problems,
    report_problems,
)
from fieldproof.model import ScenarioError, validated

_COUNTED = (
    "collision_count",
    "near_miss_count",
    "offroad_count",
    "red_light_violations",
    "hard_brake_count",
    "timeout",
    "goal_reached",
    "goal_reached_at_seconds",
    "duration_seconds",
)
"""The figures that follow from the frames alone."""
_FOLDERS = ("episodes", "replay")
_REPORTED = ("summary.json", "metrics.json", "regression.json", "failures.json")


def closed_loop_problems(folder: Path, documents: Documents) -> Problems:
    """Return what of a run is not as it should be, file by file; none if all agrees."""
    try:
        problems = hash_problems(folder, documents["outcome.json"]["episodes"], _FOLDERS)
        if problems:
            return problems
        scenarios = {one["id"]: one for one in documents["execution.json"]["scenarios"]}
        entries = documents["metrics.json"]["scenarios"]
        broken = documents["outcome.json"]["status"] != "completed"
        problems += _scenario_problems(folder, entries, scenarios, broken=broken)
        problems += _verdict_problems(documents)
        problems += record_problems(folder, documents)
        texts = render_suite(*(documents[name] for name in _REPORTED))
        texts.pop("report.html")  # its sketches are not kept elsewhere
        problems += report_problems(folder, texts)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise ArtefactError(f"{folder}: a file does not hold what it should: {error!r}") from None
    except ScenarioError as error:
        raise ArtefactError(f"{folder}/execution.json: {error.problems[0]}") from None
    return problems


def _scenario_problems(
    folder: Path, entries: Mapping[str, Any], scenarios: Mapping[str, Any], *, broken: bool
) -> Problems:
    """Return what of the scenarios does not follow; a run that broke off need not have them all."""
    differing_names = set(entries) - set(scenarios) if broken else set(entries) ^ set(scenarios)
    problems = [
        f"metrics.json: scenario {name} is in {'it' if name in entries else 'execution.json'} alone"
        for name in sorted(differing_names)
    ]
    for name in sorted(set(entries) & set(scenarios)):
        entry = entries[name]
        figures, events, count = _measured(folder, name, scenarios[name])
        wanted = {
            "scenario_id": name,
            "status": FAILURE if entry["reasons"] else SUCCESS,
            "events": events,
            "frame_count": count,
            "assertion_summary": summary(entry["assertions"]),
            "reasons": _reasons(scenarios[name], entry, events),
            "episode_path": f"episodes/{name}.jsonl",
        }
        found = {key: entry[key] for key in wanted}
        where = f"scenarios.{name}"
        problems += differing("metrics.json", found, wanted, "its episode", where)
        mine = {key: entry["metrics"][key] for key in (*figures, "safety_score")}
        observed = float(not was_broken_off(entry))
        figures["safety_score"] = safety_score(entry["metrics"], observed=observed)
        problems += differing("metrics.json", mine, figures, "its episode", f"{where}.metrics")
    return problems


def _measured(
    folder: Path, name: str, scenario: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Any], int]:
    """Return the figures of an episode that its frames give, its events and how many frames."""
    measured = EpisodeMetrics({"ego": scenario["ego"]["start"] | {"z": 0.0}, "actors": []})
    events: list[Any] = []
    count = 0
    for frame in lines_of(folder / f"episodes/{name}.jsonl"):
        measured.take({**frame, "actors": []}, None)
        events += frame["events"]
        count += 1
    figures = measured.figures(completed=True)
    known = [key for key in _COUNTED if key != "hard_brake_count" or _is_mock(scenario)]
    return {key: figures[key] for key in known}, events, count


def _is_mock(scenario: Mapping[str, Any]) -> bool:
    """Whether the ego began as the scenario says, which other simulators need not do."""
    simulator = scenario["simulator"]
    name = simulator.get("name") if isinstance(simulator, Mapping) else simulator
    return bool(name == "mock")


def _reasons(data: Mapping[str, Any], entry: Mapping[str, Any], events: list[Any]) -> list[Any]:
    """Return why a scenario failed, by its criteria, events, figures and assertions."""
    written = {key: value for key, value in data.items() if key != "task_type"}
    scenario = LoadedScenario(validated(ScenarioFile, written), (), (), "", "")
    found = reasons_of(scenario, entry["metrics"], events, entry["assertions"])
    reasons = [one.to_data() for one in found]
    if was_broken_off(entry):
        reasons = [*entry["reasons"][:1], *reasons]
    return reasons


def _verdict_problems(documents: Documents) -> Problems:
    """Return what of the status, its reason and the figures in short does not follow."""
    metrics, regression = documents["metrics.json"], documents["regression.json"]
    short = documents["summary.json"]
    entries = list(metrics["scenarios"].values())
    total = aggregate(entries)
    problems = differing("metrics.json", metrics["aggregate"], total, "the scenarios", "aggregate")
    counts = [one["assertion_summary"] for one in entries]
    wanted = {key: sum(one[key] for one in counts) for key in metrics["assertions"]}
    problems += differing(
        "metrics.json", metrics["assertions"], wanted, "the scenarios", "assertions"
    )
    asked, outcome = documents["evaluation.json"]["gates"], documents["outcome.json"]
    gates = gate_failures(validated(Gates, asked), total)
    if outcome["status"] != "completed":
        gates.insert(0, outcome["reason"])
    status = "fail" if gates else "pass"
    said = {key: regression[key] for key in ("status", "failures", "gates")}
    problems += differing(
        "regression.json",
        said,
        {"status": status, "failures": gates, "gates": gates},
        "the gates give",
    )
    reason = f"{total['passed_scenarios']} of {total['total_scenarios']} scenarios succeeded, "
    reason += f"safety score {total['safety_score']:g}"
    if gates:
        reason = gates[0] + (f" (and {len(gates) - 1} more)" if len(gates) > 1 else "")
    figures = {key: value for key, value in total.items() if key in short}
    derived = {
        **figures,
        "status": status,
        "reason": reason,
        "gates": asked,
        "assertions": metrics["assertions"],
        "provenance": documents["provenance.json"],
    }
    shown = {key: short[key] for key in derived}
    problems += differing("summary.json", shown, derived, "the figures give")
    ended = {"pass": "passed", "fail": "failed"}[status]
    verdict = {"status": ended, "reason": reason}
    if outcome["status"] != "completed":
        verdict = {"status": outcome["status"], "reason": outcome["reason"]}
    found = {key: documents["verdict.json"][key] for key in verdict}
    return problems + differing("verdict.json", found, verdict, "the figures give")
