import hashlib
import json

import pytest

from fieldproof.runs import RunDirectory, seal

SCENARIO = """\
apiVersion: fieldproof.dev/v0alpha1
kind: Scenario
name: e
world: dock_yard
time: {{ mode: lockstep }}
vehicles: [{{ name: ugv1, manifest: ugv_ref, spawn: {{ frame: spawn_dock }} }}]
assertions:
  - {{ name: arrived, type: reach_pose, vehicle: ugv1, target: {{ x: 10, y: 2 }}, tolerance_m: {m} }}
{more}"""
SLOW = """\
  - { name: slow, type: topic_value, topic: odom, vehicle: ugv1, field: pose.pose.position.x,
      condition: value < 1 }
"""


def scenario(tmp_path, m=0.1, more=""):
    path = tmp_path / f"e{m}{len(more)}.yaml"
    path.write_text(SCENARIO.format(m=m, more=more))
    return path


@pytest.fixture
def evidence(tmp_path, call):
    """The evidence of a vehicle that came to 0.5 m of its target."""
    folder = tmp_path / "evidence"
    plans = json.loads(call("run", "--dry-run", "--json", scenario(tmp_path)).stdout)
    folder.mkdir()
    turn = {"qx": 0.0, "qy": 0.0, "qz": 0.0, "qw": 1.0}
    samples = [
        {"kind": "timeline", "sim": 0.0, "event": "start"},
        *(
            {"kind": "pose", "sim": n / 10, "model": "ugv1", "x": 10.0, "y": 3.0 - n / 10,
             "z": 0.0, "yaw": 0.0, **turn}
            for n in range(6)
        ),
        {"kind": "timeline", "sim": 1.0, "event": "end", "status": "completed"},
    ]  # fmt: skip
    documents = {
        "execution.json": plans["execution"],
        "evaluation.json": plans["evaluation"],
        "observe.json": plans["execution"]["observe"],
        "outcome.json": {"status": "completed", "reason": "", "complete": True, "gaps": []},
    }
    for name, value in documents.items():
        (folder / name).write_text(json.dumps(value))
    (folder / "samples.jsonl").write_text(
        "".join(json.dumps({"wall": None, **sample}) + "\n" for sample in samples)
    )
    seal(RunDirectory(folder))
    return folder


def test_evidence_is_judged_by_its_own_assertions(call, evidence):
    done = call("evaluate", evidence)
    assert done.exit_code == 1
    assert done.stdout.startswith("FAIL  assertion arrived failed")


def test_a_changed_limit_changes_the_verdict_and_writes_nothing(call, evidence, tmp_path):
    before = {path.name: path.read_bytes() for path in evidence.iterdir()}
    done = call("evaluate", evidence, "--scenario", scenario(tmp_path, m=0.6))
    assert (done.exit_code, done.stdout.split()[0]) == (0, "PASS")
    assert {path.name: path.read_bytes() for path in evidence.iterdir()} == before


LATE = """\
  - { name: never, type: reach_pose, vehicle: ugv1, target: { x: 0, y: 0 }, within_s: 500ms }
"""


def test_verdicts_come_in_the_scenarios_order_and_failures_with_their_line(
    call, evidence, tmp_path
):
    file = scenario(tmp_path, more=LATE)
    done = call("evaluate", evidence, "--scenario", file)
    first, second = done.stdout.splitlines()[1:]
    assert first.split()[:2] == ["FAIL", "arrived"]
    assert first.endswith(f"  {file}:8")
    assert second.split()[:2] == ["FAIL", "never"]
    assert second.endswith(f"  {file}:9")
    found = json.loads(call("evaluate", evidence, "--scenario", file, "--json").stdout)
    assert [one["name"] for one in found["assertions"]] == ["never", "arrived"]  # as they came
    assert found["assertions"][0]["t_s"] < found["assertions"][1]["t_s"]


def test_a_runs_own_failures_have_their_line_while_its_scenario_is_as_it_was(
    call, evidence, tmp_path
):
    file = scenario(tmp_path)
    envelope = {
        "scenario_path": str(file),
        "scenario_sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
    }
    (evidence / "envelope.json").write_text(json.dumps(envelope))
    assert f"  {file}:8\n" in call("evaluate", evidence).stdout
    file.write_text(file.read_text() + "# changed\n")
    assert str(file) not in call("evaluate", evidence).stdout


def test_verdicts_are_data_with_json(call, evidence):
    found = json.loads(call("evaluate", evidence, "--json").stdout)
    assert (found["status"], found["exit_code"]) == ("failed", 1)
    assert [one["name"] for one in found["assertions"]] == ["arrived"]
    assert found["kpis"]["arrived.closest_m"]["value"] == pytest.approx(0.5)


def test_what_the_evidence_cannot_answer_is_named_and_nothing_judged(call, evidence, tmp_path):
    done = call("evaluate", evidence, "--scenario", scenario(tmp_path, more=SLOW))
    assert done.exit_code == 2
    assert "did not observe /ugv1/odom pose.pose.position.x" in done.stderr
    assert done.stdout == ""


def test_a_map_is_for_recordings(call, evidence, tmp_path):
    done = call("evaluate", evidence, "--map", tmp_path / "map.yaml")
    assert done.exit_code == 2
    assert "--map is for recordings" in done.stderr


def test_a_recording_needs_a_scenario(call, tmp_path):
    (tmp_path / "a.mcap").write_bytes(b"")
    done = call("evaluate", tmp_path / "a.mcap")
    assert done.exit_code == 2
    assert "--scenario" in done.stderr


def test_what_is_no_recording_is_refused(call, tmp_path):
    (tmp_path / "a.mcap").write_bytes(b"no recording")
    done = call("evaluate", tmp_path / "a.mcap", "--scenario", scenario(tmp_path))
    assert done.exit_code == 2
    assert "a.mcap" in done.stderr


MAP = "apiVersion: fieldproof.dev/v0alpha1\nkind: RecordingMap\n"


@pytest.mark.parametrize("size", [0, 5])
def test_a_file_too_short_for_a_recording_is_said_to_be_none(call, tmp_path, size):
    (tmp_path / "map.yaml").write_text(MAP)
    (tmp_path / "a.mcap").write_bytes(b"\x89MCAP0\r\n"[:size])
    done = call(
        "evaluate", tmp_path / "a.mcap", "--scenario", scenario(tmp_path),
        "--map", tmp_path / "map.yaml",
    )  # fmt: skip
    assert done.exit_code == 2
    assert f"no MCAP file, or one cut within its first messages: {size} bytes" in done.stderr


def test_a_recording_that_is_not_there_is_named(call, tmp_path):
    done = call("evaluate", tmp_path / "a.mcap", "--scenario", scenario(tmp_path))
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"there is no recording {tmp_path / 'a.mcap'}" in done.stderr


def test_changed_evidence_is_told_as_text_and_as_data(call, evidence, tmp_path):
    samples = evidence / "samples.jsonl"
    samples.write_text(samples.read_text().replace('"y": 2.5', '"y": 2.0'))
    done = call("evaluate", evidence)
    assert (done.exit_code, done.stdout.split()[0]) == (1, "INCONCLUSIVE")
    assert "  incomplete: samples.jsonl was changed after the run was sealed" in done.stdout
    found = json.loads(call("evaluate", evidence, "--json").stdout)
    assert (found["status"], found["exit_code"]) == ("inconclusive", 1)
    assert found["evidence"]["complete"] is False
    assert found["evidence"]["gaps"][0].startswith("samples.jsonl was changed")


def test_whole_evidence_is_told_to_be_complete(call, evidence):
    found = json.loads(call("evaluate", evidence, "--json").stdout)
    assert found["evidence"] == {"complete": True, "gaps": []}


def test_a_plan_that_names_an_unknown_type_is_told_in_words(call, evidence):
    plan = json.loads((evidence / "evaluation.json").read_text())
    plan["assertions"][0]["type"] = "acme.gone"
    (evidence / "manifest.json").unlink()
    (evidence / "evaluation.json").write_text(json.dumps(plan))
    seal(RunDirectory(evidence))
    done = call("evaluate", evidence)
    assert done.exit_code == 2
    assert "acme.gone" in done.stderr
    assert "nothing was judged" in done.stderr


def test_evidence_without_assertions_of_its_own_asks_for_a_scenario(call, evidence):
    (evidence / "evaluation.json").unlink()
    done = call("evaluate", evidence)
    assert done.exit_code == 1
    assert "evaluation.json: there is no such file; nothing was judged" in done.stderr
    assert "--scenario" in done.stderr


def test_a_run_without_its_plan_is_told_what_to_do(call, evidence):
    (evidence / "execution.json").unlink()
    done = call("evaluate", evidence)
    assert done.exit_code == 1
    assert "execution.json: there is no such file; nothing was judged: restore" in done.stderr


def test_a_run_that_is_not_there_is_named(call, tmp_path):
    done = call("evaluate", "nothing", "--runs", tmp_path)
    assert done.exit_code == 1
    assert "'nothing'" in done.stderr
