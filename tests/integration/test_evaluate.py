"""A run's evidence judged anew: what was observed, and what was only recorded."""

import json

import pytest
import yaml

from fieldproof.runs import read_json
from tests.integration.conftest import ROOT

GOAL = ROOT / "scenarios" / "ugv_nav_to_goal.yaml"


@pytest.fixture
def evaluated(run, tmp_path):
    """Evaluates a run by the scenario of the example with some assertions in place of its own."""

    def evaluated(folder, *assertions):
        scenario = yaml.safe_load(GOAL.read_text()) | {"assertions": list(assertions), "kpis": []}
        path = tmp_path / "changed.yaml"
        path.write_text(yaml.safe_dump(scenario))
        code, out, err = run("evaluate", folder, "--scenario", path, "--json")
        return code, (json.loads(out) if out else None), err

    return evaluated


def test_verdicts_of_the_same_plan_are_those_of_the_run_to_the_byte(run, only_run):
    assert run("run", GOAL)[0] == 0
    folder = only_run()
    code, out, err = run("evaluate", folder, "--scenario", GOAL, "--json")
    assert code == 0, err
    found = json.loads(out)
    kept = [json.loads(line) for line in (folder / "assertions.jsonl").read_text().splitlines()]
    assert found["assertions"] == kept
    assert found["kpis"] == read_json(folder / "run.json")["kpis"]


def test_a_topic_that_was_only_recorded_is_judged_as_if_it_had_been_observed(
    run, only_run, variant, evaluated, tmp_path
):
    asked = [
        {"name": "turns", "type": "topic_value", "topic": "imu/data", "vehicle": "ugv1",
         "field": "angular_velocity.z", "condition": "abs(value) < 3"},
        {"name": "imu_rate", "type": "topic_rate", "topic": "imu/data", "vehicle": "ugv1",
         "min_hz": 99, "max_hz": 101, "window_s": 2},
        {"name": "imu_fresh", "type": "message_latency", "topic": "imu/data", "vehicle": "ugv1",
         "max_ms": 60},
    ]  # fmt: skip
    assert run("run", GOAL)[0] == 0
    code, later, err = evaluated(only_run(), *asked)
    assert code == 0, err
    observing = variant(change=lambda scenario: scenario.update(assertions=asked, kpis=[]))
    runs = tmp_path / "observing"
    assert run("run", observing, runs=runs)[0] == 0
    lines = ((runs / "latest").resolve() / "assertions.jsonl").read_text().splitlines()
    assert later["assertions"] == [json.loads(line) for line in lines]


def test_what_was_neither_observed_nor_recorded_is_refused_by_name(run, only_run, evaluated):
    assert run("run", GOAL)[0] == 0
    code, found, err = evaluated(
        only_run(),
        {"name": "a", "type": "topic_value", "topic": "/nowhere", "field": "data",
         "condition": "value", "message_type": "std_msgs/msg/Bool"},
        {"name": "b", "type": "min_distance", "vehicle": "ugv1", "to": {"model": "lamp_post"},
         "min_m": 1},
    )  # fmt: skip
    assert (code, found) == (2, None)
    assert "did not observe /nowhere data" in err
    assert "did not observe the poses of lamp_post" in err
