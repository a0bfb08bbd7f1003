import json
import math
import shutil
import xml.etree.ElementTree as ET
from collections import Counter
from itertools import pairwise

import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

from fieldproof.engine.judge import judge
from fieldproof.runs import RunDirectory, evidence_digest, verify
from tests.integration.conftest import ROOT, processes_of

GOAL = ROOT / "scenarios" / "ugv_nav_to_goal.yaml"
ASSERTIONS = {
    *("reached_goal", "arrived_in_time", "lidar_alive", "no_collision", "speed_bounded"),
    *("stays_in_yard", "drives_straight", "mission_in_time", "odom_fresh", "stack_in_budget"),
    *("navigator_active", "mission_order", "stops_at_goal"),
}
COLLECTORS = {"drive", "mission", "scan_age", "stack", "commanded"}


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def passed(run, only_run):
    code, out, err = run("run", GOAL)
    assert code == 0, out + err
    return only_run(), out


def test_the_first_drive_passes_and_leaves_everything_that_was_promised(passed):
    folder, out = passed
    assert out.startswith("PASS  ugv_nav_to_goal")
    results = lines(folder / "assertions.jsonl")
    assert {result["name"] for result in results} == ASSERTIONS
    assert {result["status"] for result in results} == {"passed"}
    outcome = json.loads((folder / "outcome.json").read_text())
    assert outcome["complete"]
    assert outcome["gaps"] == []
    assert outcome["determinism"] == "exact"
    assert verify(RunDirectory(folder)) == ()
    assert (folder.parent / "latest").resolve() == folder
    assert processes_of(folder.name) == []


def test_what_is_measured_is_in_the_record_the_report_and_the_figures(passed):
    folder, _ = passed
    record = json.loads((folder / "run.json").read_text())
    assert {one["name"] for one in record["kpi_collectors"]} == COLLECTORS
    assert {one["status"] for one in record["kpi_collectors"]} == {"measured"}
    kpis = record["kpis"]
    assert kpis["drive.path_m"]["value"] == pytest.approx(4.0, abs=0.2)
    assert kpis["drive.path_m"]["unit"] == "m"
    assert kpis["scan_age.max_ms"]["value"] <= 50.0
    assert kpis["commanded.count"]["value"] > 50
    assert kpis["stack.peak_memory_mb"]["value"] > 50
    assert lines(folder / "kpis.jsonl")[-1]["kpis"] == kpis
    root = ET.parse(folder / "junit.xml").getroot()
    properties = {each.get("name") for each in root.iter("property")}
    assert {f"kpi.{name}" for name in kpis} <= properties
    assert "drive.path_m" in (folder / "report.md").read_text()


def test_what_the_processes_take_is_kept_beside_the_evidence(passed):
    folder, _ = passed
    rows = lines(folder / "resources.jsonl")
    assert {row["container"] for row in rows} == {"ugv1", "ugv1-bridge", "simulator", "recorder"}
    assert min(row["memory_mb"] for row in rows) > 5
    by_time = Counter(row["sim"] for row in rows)
    assert len(by_time) >= 5  # once a second of the timeline
    before = evidence_digest(folder)
    (folder / "resources.jsonl").unlink()
    assert evidence_digest(folder) == before


def test_nothing_is_touched_from_the_first_tick_on(passed):
    folder, _ = passed
    assert [s for s in lines(folder / "samples.jsonl") if s["kind"] == "contact"] == []


def test_the_ground_truth_shows_the_drive_from_the_dock_to_the_goal(passed):
    folder, _ = passed
    poses = [s for s in lines(folder / "samples.jsonl") if s["kind"] == "pose"]
    assert (poses[0]["x"], poses[0]["y"]) == pytest.approx((10, 3), abs=0.02)
    last = poses[-1]
    assert math.hypot(last["x"] - 10, last["y"] + 1) < 0.5
    assert abs(math.remainder(last["yaw"] + math.pi / 2, math.tau)) < 0.3
    steps = [b["sim"] - a["sim"] for a, b in pairwise(poses)]
    assert steps == pytest.approx([0.1] * len(steps))  # ground truth at 10 Hz, none missing


def test_the_recorded_samples_give_the_same_verdicts_to_the_byte(passed, tmp_path):
    folder, _ = passed
    again = tmp_path / "again"
    again.mkdir()
    judge(folder, json.loads((folder / "evaluation.json").read_text())).write(again)
    for name in ("assertions.jsonl", "kpis.jsonl", "verdict.json"):
        assert (again / name).read_bytes() == (folder / name).read_bytes()


def test_the_recording_opens_with_the_mcap_libraries_and_holds_the_whole_run(passed):
    folder, _ = passed
    counts = Counter()
    verdicts = []
    with (folder / "recording" / "recording_0.mcap").open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        for schema, channel, _, message in reader.iter_decoded_messages():
            assert schema.encoding == "ros2msg"
            counts[channel.topic] += 1
            if channel.topic == "/fieldproof/assertions":
                verdicts.append(json.loads(message.data)["name"])
    outcome = json.loads((folder / "outcome.json").read_text())
    ticks = outcome["sim_ns"] // 50_000_000
    seconds = outcome["sim_ns"] / 1e9
    assert counts["/clock"] == ticks
    assert counts["/ugv1/imu/data"] == round(seconds * 100)  # the very first message is in
    assert counts["/ugv1/odom"] == round(seconds * 50)
    assert counts["/ugv1/robot_description"] == 1
    assert counts["/ugv1/plan"] > 0
    assert counts["/fieldproof/events"] > 0
    assert counts["/fieldproof/metrics"] >= int(seconds)
    assert set(verdicts) == ASSERTIONS
    assert (folder / "recording" / "metadata.yaml").is_file()


def test_the_same_scenario_gives_the_same_evidence_again(run, tmp_path):
    digests = set()
    for number in range(3):
        runs = tmp_path / f"runs{number}"
        code, out, err = run("run", GOAL, runs=runs)
        assert code == 0, out + err
        digests.add(evidence_digest((runs / "latest").resolve()))
    assert len(digests) == 1


def test_two_runs_at_once_do_not_hear_each_other(fieldproof, tmp_path):
    both = [fieldproof("run", GOAL, runs=tmp_path / name) for name in ("a", "b")]
    for process in both:
        out, err = process.communicate(timeout=240)
        assert process.returncode == 0, out + err
    digests = {evidence_digest((tmp_path / name / "latest").resolve()) for name in ("a", "b")}
    assert len(digests) == 1


def test_a_drive_that_takes_too_long_fails_naming_the_assertion(run, only_run):
    code, out, err = run("run", ROOT / "scenarios" / "ugv_nav_fails_on_time.yaml")
    assert code == 1, out + err
    folder = only_run()
    statuses = {r["name"]: r["status"] for r in lines(folder / "assertions.jsonl")}
    assert statuses == dict.fromkeys(ASSERTIONS, "passed") | {"arrived_in_time": "failed"}
    record = json.loads((folder / "run.json").read_text())
    assert record["status"] == "failed"
    assert "arrived_in_time" in record["reason"]
    root = ET.parse(folder / "junit.xml").getroot()
    failed = {case.get("name"): case.find("failure") for case in root.iter("testcase")}
    failed = {name: failure for name, failure in failed.items() if failure is not None}
    assert set(failed) == {"arrived_in_time", "run"}
    for failure in failed.values():
        assert "1 s" in failure.get("message")
        assert failure.get("message") in failure.text


@pytest.mark.parametrize("mode", ["sim", "realtime"])
def test_the_drive_also_passes_in_the_modes_that_run_free(mode, run, variant, only_run):
    def change(scenario):
        scenario["time"] = {"mode": mode} | ({"rtf": 2.0} if mode == "sim" else {})
        fresh = next(a for a in scenario["assertions"] if a["name"] == "odom_fresh")
        del fresh["after_s"]  # of the wall clock, which at twice the pace is half of the drive
        fresh["max_ms"] = 5000  # a busy machine is late, and this test is not about that

    code, out, err = run("run", variant(change=change))
    assert code == 0, out + err
    outcome = json.loads((only_run() / "outcome.json").read_text())
    assert outcome["determinism"] == "wall"
    assert outcome["complete"], outcome["gaps"]


def test_nothing_need_be_recorded_for_a_verdict(run, variant, only_run):
    code, out, err = run("run", variant(change=lambda scenario: scenario.pop("outputs")))
    assert code == 0, out + err
    assert not (only_run() / "recording").exists()


def test_a_failed_assertion_may_end_the_run_at_once(run, variant, only_run):
    def change(scenario):
        bound = next(a for a in scenario["assertions"] if a["name"] == "speed_bounded")
        bound |= {"condition": "abs(value) <= 0.1", "on_fail": "abort"}

    code, out, err = run("run", variant(change=change))
    assert code == 1, out + err
    folder = only_run()
    record = json.loads((folder / "run.json").read_text())
    assert record["status"] == "failed"
    assert record["reason"].startswith("assertion speed_bounded failed")
    assert "on_fail: abort" in record["reason"]
    assert [entry["status"] for entry in record["timeline"]] == ["cancelled"]
    statuses = {a["name"]: a["status"] for a in record["assertions"]}
    assert statuses["reached_goal"] == "skipped"
    assert statuses["arrived_in_time"] == "failed"
    assert json.loads((folder / "outcome.json").read_text())["sim_ns"] < 2_000_000_000


def test_a_drive_that_runs_out_of_its_own_time_is_no_pass(run, variant, only_run):
    def change(scenario):
        scenario["timeline"][0]["timeout_s"] = "1s"
        scenario["assertions"] = []

    code, out, err = run("run", variant(change=change))
    assert code == 1, out + err
    record = json.loads((only_run() / "run.json").read_text())
    assert record["status"] == "failed"
    assert "drive_ahead timed out" in record["reason"]


def test_the_budget_ends_a_run_as_a_timeout(run, variant, only_run):
    code, out, err = run(
        "run", variant(change=lambda scenario: scenario.update(budget={"timeout_s": "2s"}))
    )
    assert code == 1, out + err
    record = json.loads((only_run() / "run.json").read_text())
    assert record["status"] == "timeout"
    assert [entry["status"] for entry in record["timeline"]] == ["timeout"]


def test_a_world_may_include_models_from_its_own_folder(run, variant, tmp_path, only_run):
    worlds = tmp_path / "worlds"
    shutil.copytree(ROOT / "worlds", worlds)
    folder = worlds / "dock_yard" / "models" / "crate"
    folder.mkdir(parents=True)
    box = "<geometry><box><size>0.6 0.6 0.5</size></box></geometry>"
    (folder / "model.sdf").write_text(
        "<sdf version='1.11'><model name='crate'><static>true</static><link name='link'>"
        f"<collision name='c'>{box}</collision><visual name='v'>{box}</visual>"
        "</link></model></sdf>"
    )
    world = worlds / "dock_yard" / "world.sdf"
    include = "<include><uri>model://crate</uri><pose>10 0.8 0.25 0 0 0</pose></include></world>"
    world.write_text(world.read_text().replace("</world>", include))
    code, out, err = run("run", variant(change=lambda _: None), "--worlds", worlds)
    assert code == 0, out + err
    poses = [s for s in lines(only_run() / "samples.jsonl") if s["kind"] == "pose"]
    beside = [abs(p["x"] - 10) for p in poses if abs(p["y"] - 0.8) < 0.1]
    assert min(beside) >= 0.57  # it went around what it was not told of
