"""How fast driving suites are run, and predictions measured."""

from __future__ import annotations

import os
import runpy
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from fieldproof.driving.agents import Limits, find_agent
from fieldproof.driving.loading import load_suite
from fieldproof.driving.loop import Task, run_scenario
from fieldproof.driving.openloop import DatasetMetadata, Score
from fieldproof.driving.suite import SuiteOptions, run_suite_into
from tests.bench.checkout import ROOT

_SMOKE = ROOT / "scenarios" / "suites" / "urban_driving_smoke.yaml"
_AGENT = ROOT / "examples" / "agents" / "rule_based_agent.py"


class _AgentHere:
    """The rule-based agent in this process, whose start is not to be measured."""

    def __init__(self) -> None:
        self.log = bytearray()
        self.about: dict[str, Any] = {}
        self._agent = runpy.run_path(str(_AGENT))["Agent"]()

    def load(self) -> None:
        """Nothing is left to be done."""

    def reset(self, scenario: Mapping[str, Any]) -> None:
        """Pass it on."""
        self._agent.reset(scenario)

    def act(self, observation: Mapping[str, Any]) -> Any:
        """Pass it on."""
        return self._agent.act(observation)

    def close(self) -> None:
        """Nothing to end."""


def measure_smoke(folder: Path) -> float:
    """Milliseconds that the smoke suite's scenarios take: simulated, judged, episodes written.

    Args:
        folder: for their files.
    """
    suite, agent = load_suite(_SMOKE), find_agent(str(_AGENT))
    tasks = [Task(one, agent, Limits(), folder, {}, {}) for one in suite.scenarios]
    agents = [_AgentHere() for _ in tasks]
    started = time.perf_counter()
    results = [
        run_scenario(task, start_agent=lambda _task, _folder, here=here: here)
        for task, here in zip(tasks, agents, strict=True)
    ]
    took = time.perf_counter() - started
    assert [one.entry["status"] for one in results] == ["success"] * len(tasks)
    return 1e3 * took


def measure_suite(folder: Path, count: int = 1000) -> float:
    """Seconds that a suite of generated scenarios takes, with agents' processes and all files.

    Args:
        folder: where scenarios and run are written.
        count: of scenarios.
    """
    files = folder / "scenarios"
    files.mkdir(parents=True)
    names = [_generated(files, number) for number in range(count)]
    suite = {"id": "generated", "name": "Generated", "scenarios": names}
    (files / "suite.yaml").write_text(yaml.safe_dump(suite), encoding="utf-8")
    loaded = load_suite(files / "suite.yaml")
    options = SuiteOptions(find_agent(str(_AGENT)), jobs=2, host=os.environ)
    started = time.perf_counter()
    finished = run_suite_into(loaded, options, folder / "run")
    took = time.perf_counter() - started
    assert len(finished.metrics["scenarios"]) == count
    return took


def _generated(folder: Path, number: int) -> str:
    name = f"generated_{number:04}.yaml"
    scenario = {
        "id": f"generated_{number:04}",
        "name": f"Generated {number}",
        "duration_seconds": 15,
        "timestep_seconds": 0.1,
        "ego": {
            "start": {"x": 0, "y": 0, "yaw": 0, "speed": number % 10},
            "goal": {"x": 60 + number % 7, "y": 0},
        },
        "actors": [
            {
                "id": "other",
                "type": "vehicle",
                "start": {"x": 20 + number % 11, "y": 6 + number % 3, "yaw": 180, "speed": 5},
            }
        ],
    }
    (folder / name).write_text(yaml.safe_dump(scenario), encoding="utf-8")
    return name


def measure_openloop(count: int = 50_000, steps: int = 30) -> float:
    """Samples a second whose predicted trajectories are measured.

    Args:
        count: of samples.
        steps: of each trajectory.
    """
    truths = [_trajectory(number, steps) for number in range(100)]
    score = Score(DatasetMetadata())
    started = time.perf_counter()
    for number in range(count):
        score.add(truths[number % 100], truths[(number + 1) % 100])
    figures = score.finish()
    took = time.perf_counter() - started
    assert figures["sample_count"] == count
    assert not figures["missing_samples"]
    return count / took


def _trajectory(number: int, steps: int) -> dict[str, Any]:
    return {
        "trajectory": [
            {"t": 0.1 * step, "x": 0.5 * step, "y": 0.01 * number} for step in range(steps)
        ]
    }
