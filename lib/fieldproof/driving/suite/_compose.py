"""summary.json, metrics.json and config.yaml of a suite's run."""

from collections.abc import Mapping, Sequence
from typing import Any

from fieldproof.driving.agents import AgentReference, Limits
from fieldproof.driving.artefacts import SCHEMA_VERSION
from fieldproof.driving.judge import aggregate
from fieldproof.driving.loading import LoadedSuite
from fieldproof.driving.loop import ScenarioResult

_COPIED = (
    "total_scenarios",
    "passed_scenarios",
    "failed_scenarios",
    "success_rate",
    "collision_count",
    "near_miss_count",
    "offroad_count",
    "red_light_violations",
    "hard_brake_count",
    "agent_fault_count",
    "simulator_fault_count",
    "safety_score",
)


def metrics_of(results: Sequence[ScenarioResult]) -> dict[str, Any]:
    """Return the content of metrics.json."""
    entries = [one.entry for one in results]
    counts = [one["assertion_summary"] for one in entries]
    keys = ("total", "passed", "failed", "blocking_failed", "not_applicable")
    return {
        "schema_version": SCHEMA_VERSION,
        "aggregate": aggregate(entries),
        "assertions": {key: sum(one[key] for one in counts) for key in keys},
        "scenarios": {one["scenario_id"]: one for one in entries},
    }


def reason_of(
    metrics: Mapping[str, Any], failures: Sequence[str], regression: Mapping[str, Any]
) -> str:
    """Return in a sentence why a suite passed or failed."""
    if regression["status"] == "fail":
        texts: list[str] = list(dict.fromkeys([*failures, *regression["failures"]]))
        first, more = texts[0], texts[1:]
        return first + (f" (and {len(more)} more)" if more else "")
    total = metrics["aggregate"]
    passed = f"{total['passed_scenarios']} of {total['total_scenarios']} scenarios succeeded"
    return f"{passed}, safety score {total['safety_score']:g}"


def summary_of(
    suite: LoadedSuite,
    metrics: Mapping[str, Any],
    regression: Mapping[str, Any],
    provenance: Mapping[str, Any],
    *,
    run_id: str | None,
    reason: str,
    duration_s: float | None,
) -> dict[str, Any]:
    """Return the content of summary.json."""
    total = metrics["aggregate"]
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": run_id,
        "status": regression["status"],
        "reason": reason,
        "suite_id": suite.id,
        "suite_name": suite.file.name,
        **{key: total[key] for key in _COPIED},
        "duration_seconds": duration_s,
        "commit_sha": provenance["git_commit_sha"],
        "branch": provenance["git_branch"],
        "agent_version": provenance["agent_version"],
        "assertions": metrics["assertions"],
        "gates": suite.gates.model_dump(mode="json", exclude_none=True),
        "marketplace": provenance.get("marketplace", []),
        "provenance": dict(provenance),
    }


def config_of(
    suite: LoadedSuite, agent: AgentReference, limits: Limits, baseline: str | None
) -> dict[str, Any]:
    """Return the content of config.yaml: what the run was asked to do."""
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "closed_loop",
        "suite": suite.path,
        "suite_id": suite.id,
        "scenarios": [one.path for one in suite.scenarios],
        "agent": agent.name,
        "baseline": baseline,
        "gates": suite.gates.model_dump(mode="json", exclude_none=True),
        "limits": {
            "load_seconds": limits.load_s,
            "reset_seconds": limits.reset_s,
            "act_seconds": limits.act_s,
            "episode_seconds": limits.episode_s,
            "memory_mb": limits.memory_mb,
            "file_mb": limits.file_mb,
        },
    }
