"""From evidence to a verdict, with the collectors' results beside it."""

import json
import pathlib

import pytest

from fieldproof.engine.judge import judge
from fieldproof.engine.resolve import resolve
from fieldproof.engine.stages.report import record_of
from fieldproof.samples import Sample, format_sample

ROOT = pathlib.Path(__file__).parents[2]
SCENARIO = """\
apiVersion: fieldproof.dev/v0alpha1
kind: Scenario
name: measured
world: dock_yard
time: { mode: lockstep, seed: 1 }
vehicles:
  - { name: ugv1, manifest: ugv_ref, spawn: { frame: spawn_dock } }
timeline:
  - { name: drive, vehicle: ugv1, action: navigate_to_pose, goal: { x: 10.0, y: -1.0 } }
assertions:
  - name: near
    type: reach_pose
    vehicle: ugv1
    target: { x: 10.0, y: -1.0 }
  - name: in_order
    type: sequence
    on_fail: abort
    steps: [{ action: drive, event: started }, { assertion: near }, { assertion: straight }]
  - name: straight
    type: path_efficiency
    vehicle: ugv1
    action: drive
  - name: clear
    type: no_collision
    vehicle: ugv1
kpis:
  - { name: way, type: path, vehicle: ugv1, action: drive }
  - { name: mission, type: mission_time }
  - { name: scan_age, type: latency, topic: scan, vehicle: ugv1 }
budget: { timeout_s: 3m }
"""


def sample(kind, t, **data):
    return Sample.of(kind, sim=2.0 + t, **data)


def pose(t, y):
    rest = dict.fromkeys(("z", "yaw", "qx", "qy", "qz"), 0.0) | {"qw": 1.0}
    return sample("pose", t, model="ugv1", x=10.0, y=y, **rest)


def action(t, event, status):
    return sample("action", t, label="drive", event=event, action="go", status=status)


STREAM = [
    sample("timeline", 0, event="start"),
    action(0, "started", "running"),
    *(pose(t, 3.0 - t) for t in range(5)),
    action(4, "finished", "ok"),
    sample("timeline", 6, event="end", status="completed"),
]


@pytest.fixture
def plan(tmp_path):
    scenario = tmp_path / "s.yaml"
    scenario.write_text(SCENARIO, "utf-8")
    return resolve(scenario, ROOT / "worlds", ROOT / "robots", file="s.yaml")


@pytest.fixture
def evidence(plan, tmp_path):
    folder = tmp_path / "evidence"
    folder.mkdir()
    outcome = {
        "status": "completed", "reason": "", "complete": True, "gaps": [], "topics": {},
        "phases": [], "origin_ns": 2 * 10**9, "sim_ns": 8 * 10**9, "determinism": "exact",
    }  # fmt: skip
    for name, content in (
        ("execution", plan.execution), ("outcome", outcome), ("timeline", []),
        ("evaluation", plan.evaluation),
    ):  # fmt: skip
        (folder / f"{name}.json").write_text(json.dumps(content), "utf-8")
    (folder / "samples.jsonl").write_text("".join(map(format_sample, STREAM)), "utf-8")
    return folder


def test_collectors_are_measured_beside_the_verdicts_and_kept(evidence, plan, tmp_path):
    found = judge(evidence, plan.evaluation)
    assert [(one.name, one.status) for one in found.collectors] == [
        ("way", "measured"), ("mission", "measured"), ("scan_age", "missing"),
    ]  # fmt: skip
    found.write(tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "kpis.jsonl").read_text().splitlines()]
    assert lines[:3] == [one.to_data() for one in found.collectors]
    assert lines[3]["kind"] == "kpis"
    assert lines[3]["kpis"]["way.path_m"] == {"value": 4.0, "unit": "m", "source": "kpi:path"}
    assert lines[3]["kpis"]["straight.path_m"]["source"] == "assertion:path_efficiency"
    assert lines[3]["kpis"]["mission.duration_s"]["value"] == 6.0
    assert not any(name.startswith("scan_age.p95") for name in lines[3]["kpis"])


def test_the_record_shows_collectors_and_map(evidence, plan, tmp_path):
    found = judge(evidence, plan.evaluation)
    assert found.verdict.status.value == "passed"
    found.write(tmp_path)
    record = record_of(evidence, tmp_path, evidence, envelope=None)
    assert [one["name"] for one in record["kpi_collectors"]] == ["way", "mission", "scan_age"]
    assert record["kpis"]["way.efficiency"]["value"] == 1.0


def test_an_assertion_that_may_abort_brings_those_it_waits_for_into_the_execution(plan):
    names = [one["name"] for one in plan.execution["abort_assertions"]]
    assert names == ["near", "in_order", "straight"]
