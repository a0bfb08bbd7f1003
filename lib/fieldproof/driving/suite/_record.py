"""A suite's run in the terms of every run: plan, outcome, verdict and record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fieldproof.driving.agents import AgentReference, Limits
from fieldproof.driving.judge import SUCCESS
from fieldproof.driving.loading import LoadedSuite
from fieldproof.driving.loop import ScenarioResult
from fieldproof.runs import SCHEMA_VERSION, Status, Verdict
from fieldproof_sim.mock import VERSION

_NS_PER_S = 1_000_000_000
_UNREPEATABLE = frozenset({"hung", "died", "memory"})


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a suite's run cannot be judged as if all had gone well.

    Attributes:
        status: how it ended: `ERROR` or `INTERRUPTED`.
        reason: why, as a sentence.
        gaps: what is missing from its evidence, in words.
    """

    status: Status
    reason: str
    gaps: tuple[str, ...]


def execution_of(suite: LoadedSuite, agent: AgentReference, limits: Limits) -> dict[str, Any]:
    """Return execution.json: all that can change what happens, by content."""
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "driving_suite",
        "scenario": {"name": suite.id},
        "world": {"name": "driving"},
        "vehicles": [],
        "time": {"mode": "lockstep"},
        "timeline": [{"label": one.id, "action": "scenario"} for one in suite.scenarios],
        "suite": suite.file.model_dump(mode="json", exclude={"scenarios", "gates"}),
        "scenarios": [one.to_data() for one in suite.scenarios],
        "agent": {
            "name": agent.name.rpartition("/")[2],
            "sha256": agent.file_sha256,
        },
        "limits": {
            "load_s": limits.load_s,
            "reset_s": limits.reset_s,
            "act_s": limits.act_s,
            "episode_s": limits.episode_s,
            "memory_mb": limits.memory_mb,
            "file_mb": limits.file_mb,
        },
        "mock_version": VERSION,
    }


def outcome_of(
    suite: LoadedSuite, results: Sequence[ScenarioResult], trouble: Trouble | None
) -> dict[str, Any]:
    """Return outcome.json: whether every scenario was run, and the hash of what each left.

    The run repeats to the bit if no simulator or process of its own had a say in it; that the
    agent answers the same again is the agent's affair.
    """
    faults = [one.entry["agent_fault"] for one in results]
    mock = all(one.file.simulator_settings().name == "mock" for one in suite.scenarios)
    exact = mock and not any(one is not None and one["kind"] in _UNREPEATABLE for one in faults)
    simulated = sum(one.entry["metrics"]["duration_seconds"] for one in results)
    return {
        "schema_version": SCHEMA_VERSION,
        "status": "completed" if trouble is None else trouble.status.value,
        "reason": "" if trouble is None else trouble.reason,
        "complete": trouble is None,
        "gaps": [] if trouble is None else [{"what": one} for one in trouble.gaps],
        "phases": [],
        "topics": {},
        "origin_ns": 0,
        "sim_ns": round(simulated * _NS_PER_S),
        "determinism": "exact" if exact else "wall",
        "episodes": {name: digest for one in results for name, digest in one.files.items()},
    }


def timeline_of(results: Sequence[ScenarioResult]) -> list[dict[str, Any]]:
    """Return timeline.json: an entry for each scenario."""
    return [
        {
            "name": one.entry["scenario_id"],
            "action": "scenario",
            "vehicle": "ego",
            "status": "ok" if one.entry["status"] == SUCCESS else "failed",
            "detail": one.reasons[0].text if one.reasons else "",
            "duration_s": one.entry["metrics"]["duration_seconds"],
            "params": {},
        }
        for one in results
    ]


def evaluation_of(suite: LoadedSuite) -> dict[str, Any]:
    """Return evaluation.json: what is asked of the suite as a whole."""
    gates = suite.gates.model_dump(mode="json", exclude_none=True)
    return {
        "schema_version": SCHEMA_VERSION,
        "assertions": [
            {"name": name, "type": "gate", "on_fail": "continue", "source": f"gates.{name}"}
            for name in gates
        ],
        "gates": gates,
        "kpis": [],
    }


def gate_results(
    suite: LoadedSuite, failures: Sequence[str], regression: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the gates as verdicts of assertions."""
    regressions = [one for one in regression["failures"] if one not in failures]
    found: list[dict[str, Any]] = []
    for name, limit in suite.gates.model_dump(mode="json", exclude_none=True).items():
        figure = name.removeprefix("min_").removeprefix("max_")
        own = {"collisions": "collision_count"}.get(figure, figure)
        texts = [text for text in failures if text.startswith(f"{own} ")]
        if name == "max_regression_percent":
            texts = regressions
        found.append(
            {
                "name": name,
                "type": "gate",
                "status": "failed" if texts else "passed",
                "reason": "; ".join(texts) or f"within {limit:g}",
                "t_s": None,
                "sim_s": None,
                "evidence": {},
                "metrics": {},
            }
        )
    return found


def kpis_of(aggregate: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return kpis.jsonl: the suite's figures as the map of a run."""
    units = {"simulated_seconds": "s", "distance_m": "m", "min_actor_distance_m": "m"}
    units |= {"max_speed_mps": "m/s", "mean_speed_mps": "m/s"}
    figures = {
        f"suite.{name}": {"value": value, "unit": units.get(name, ""), "source": "suite"}
        for name, value in aggregate.items()
        if value is not None
    }
    return [{"kind": "kpis", "kpis": figures}]


def verdict_of_suite(status: str, reason: str, trouble: Trouble | None) -> Verdict:
    """Return a suite's verdict in the terms of every run."""
    if trouble is not None:
        return Verdict(trouble.status, trouble.reason)
    return Verdict(Status.PASSED if status == "pass" else Status.FAILED, reason)
