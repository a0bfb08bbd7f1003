"""Evaluating what was recorded: a real robot's MCAP, and a run's evidence."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from fieldproof.engine._answers import lacking, unknown_entries
from fieldproof.engine.evaluate import (
    UnanswerableError,
    evaluate_recording,
    evaluate_run,
    read_recording_map,
)
from fieldproof.engine.judge import judge
from fieldproof.engine.resolve import resolve
from fieldproof.model import RecordingMap, ScenarioError
from fieldproof.recording import MessageTypes, RecordingWriter
from fieldproof.runs import RunDirectory, seal

ROOT = Path(__file__).parents[2]
NS = 1_000_000_000
EPOCH_NS = 1_700_000_000 * NS
TYPES = MessageTypes()
HEAD = {"apiVersion": "fieldproof.dev/v0alpha1", "kind": "RecordingMap"}
START = {"x": 10.0, "y": 3.0, "yaw": -math.pi / 2}


def make(name, *values):
    return TYPES.message_class(name)(*values)


def odometry(t_ns, x, speed):
    TYPES.require("nav_msgs/msg/Odometry")
    stamp = make("builtin_interfaces/msg/Time", t_ns // NS, t_ns % NS)
    pose = make(
        "geometry_msgs/msg/Pose",
        make("geometry_msgs/msg/Point", x, 0.0, 0.0),
        make("geometry_msgs/msg/Quaternion", 0.0, 0.0, 0.0, 1.0),
    )
    twist = make(
        "geometry_msgs/msg/Twist",
        make("geometry_msgs/msg/Vector3", speed, 0.0, 0.0),
        make("geometry_msgs/msg/Vector3", 0.0, 0.0, 0.0),
    )
    return TYPES.encode(
        "nav_msgs/msg/Odometry",
        make(
            "nav_msgs/msg/Odometry",
            make("std_msgs/msg/Header", stamp, "odom"),
            "base_link",
            make("geometry_msgs/msg/PoseWithCovariance", pose, np.zeros(36)),
            make("geometry_msgs/msg/TwistWithCovariance", twist, np.zeros(36)),
        ),
    )


@pytest.fixture
def drive(tmp_path):
    """A recording of a drive of 4 m in 8 s at 0.5 m/s, odometry at 20 Hz."""
    with RecordingWriter(tmp_path / "bag", TYPES) as writer:
        writer.add_topic("/wheel_odom", "nav_msgs/msg/Odometry")
        for n in range(161):
            t_ns = EPOCH_NS + n * NS // 20
            writer.write("/wheel_odom", odometry(t_ns, n * 0.025, 0.5), log_time_ns=t_ns)
    return writer.path


def scenario(tmp_path, *assertions, **more):
    document = {
        "apiVersion": "fieldproof.dev/v0alpha1",
        "kind": "Scenario",
        "name": "field",
        "world": "dock_yard",
        "vehicles": [{"name": "ugv1", "manifest": "ugv_ref", "spawn": {"frame": "spawn_dock"}}],
        "assertions": list(assertions),
    } | more
    path = tmp_path / "field.yaml"
    path.write_text(json.dumps(document))
    return resolve(path, ROOT / "worlds", ROOT / "robots")


def names(**fields):
    return RecordingMap.model_validate(HEAD | fields)


MAP = names(topics={"/ugv1/odom": "/wheel_odom"}, poses={"ugv1": {"topic": "/wheel_odom"} | START})
REACH = {
    "name": "arrived",
    "type": "reach_pose",
    "vehicle": "ugv1",
    "target": {"x": 10.0, "y": -1.0},
    "tolerance_m": 0.2,
}
SPEED = {
    "name": "slow",
    "type": "topic_value",
    "topic": "odom",
    "vehicle": "ugv1",
    "field": "twist.twist.linear.x",
    "condition": "value <= 0.6",
}
RATE = {"name": "alive", "type": "topic_rate", "topic": "odom", "vehicle": "ugv1", "min_hz": 19}


def test_a_real_robots_recording_is_judged_by_a_scenarios_assertions(drive, tmp_path):
    found = evaluate_recording(drive, MAP, scenario(tmp_path, REACH, SPEED, RATE))
    assert found.verdict.status.value == "passed"
    results = {result.name: result for result in found.results}
    # within 0.2 m from the first pose of ten a second past 3.8 m
    assert results["arrived"].t_s == pytest.approx(7.6, abs=0.11)
    assert results["slow"].evidence["samples"] == 161
    assert results["alive"].metrics["mean_hz"] == pytest.approx(20.0)


def test_a_limit_that_the_robot_did_not_keep_fails_with_when_and_what(drive, tmp_path):
    tight = SPEED | {"condition": "value <= 0.4"}
    found = evaluate_recording(drive, MAP, scenario(tmp_path, tight))
    [result] = found.results
    assert (result.status, result.t_s) == ("failed", 0.0)
    assert found.verdict.status.value == "failed"


def test_the_frame_of_the_odometry_lies_where_the_map_says(drive, tmp_path):
    west = names(poses={"ugv1": {"topic": "/wheel_odom", "x": 1.0, "y": 2.0, "yaw": math.pi}})
    target = REACH | {"target": {"x": -3.0, "y": 2.0}, "yaw_tolerance_rad": 0.1}
    target["target"]["yaw"] = math.pi
    found = evaluate_recording(drive, west, scenario(tmp_path, target))
    assert found.verdict.status.value == "passed"


@pytest.mark.parametrize(
    ("mapping", "assertion", "said"),
    [
        (names(), SPEED, "/ugv1/odom is not in the recording"),
        (names(topics={"/ugv1/odom": "/gone"}), SPEED, "/ugv1/odom (as /gone) is not in the"),
        (names(), REACH, "nothing says where ugv1 is: name a topic under poses in a map"),
        (names(poses={"ugv1": {"topic": "/gone"}}), REACH, "/gone, which says where ugv1 is"),
        (MAP, {"name": "n", "type": "no_collision", "vehicle": "ugv1"}, "contacts of ugv1"),
    ],
    ids=["absent", "renamed", "no_pose", "pose_absent", "contacts"],
)
def test_what_a_recording_cannot_answer_is_refused_by_name(
    drive, tmp_path, *, mapping, assertion, said
):
    with pytest.raises(UnanswerableError) as refused:
        evaluate_recording(drive, mapping, scenario(tmp_path, assertion))
    assert any(said in each for each in refused.value.lacking)


def test_everything_that_is_missing_is_named_at_once(drive, tmp_path):
    with pytest.raises(UnanswerableError) as refused:
        evaluate_recording(drive, names(), scenario(tmp_path, REACH, SPEED))
    assert len(refused.value.lacking) == 2


def test_an_entry_of_the_timeline_cannot_be_asked_about(drive, tmp_path):
    entry = {"name": "go", "action": "set_wind", "velocity": [0, 0, 0]}
    asks = {"name": "w", "type": "within_time", "action": "go", "max_s": "1s"}
    with pytest.raises(UnanswerableError, match="w asks about go"):
        evaluate_recording(drive, MAP, scenario(tmp_path, asks, timeline=[entry]))


def test_the_steps_of_a_sequence_cannot_ask_a_recording_for_entries(drive, tmp_path):
    entry = {"name": "go", "action": "set_wind", "velocity": [0, 0, 0]}
    moves = {key: SPEED[key] for key in ("topic", "vehicle", "field")} | {"condition": "value > 0"}
    asks = {"name": "s", "type": "sequence", "steps": [{"action": "go"}, moves]}
    with pytest.raises(UnanswerableError) as refused:
        evaluate_recording(drive, MAP, scenario(tmp_path, asks, timeline=[entry]))
    [said] = refused.value.lacking
    assert said.startswith("s asks about go: a recording has no timeline")


def test_entries_of_a_map_that_match_nothing_are_named(drive, tmp_path):
    topics = {"/ugv1/odom": "/wheel_odom", "/ugv1/odm": "/wheel_odom", "/ugv1/scan": "/gone"}
    poses = {"ugv1": {"topic": "/wheel_odom"}, "ugv2": {"topic": "/whel_odom"}}
    found = evaluate_recording(drive, names(topics=topics, poses=poses), scenario(tmp_path, SPEED))
    assert found.verdict.status.value == "passed"
    assert [note.removeprefix("the map's entry ") for note in found.notes] == [
        "topics./ugv1/odm: nothing asks for it (nearest: /ugv1/odom)",
        "topics./ugv1/scan: nothing asks for it (nearest: /ugv1/odom)",
        "topics./ugv1/scan: /gone is not in the recording (known: /wheel_odom)",
        "poses.ugv2: the scenario has no ugv2 (nearest: ugv1)",
        "poses.ugv2: /whel_odom is not in the recording (nearest: /wheel_odom)",
    ]


def test_a_recording_that_was_cut_is_evaluated_up_to_there_and_is_incomplete(drive, tmp_path):
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(drive.read_bytes()[: drive.stat().st_size * 3 // 4])
    found = evaluate_recording(cut, MAP, scenario(tmp_path, SPEED))
    assert found.verdict.status.value == "inconclusive"
    [result] = found.results
    assert result.reason == "the run ended before it was decided (its evidence is cut)"


def test_a_topic_that_may_lie_beyond_the_cut_is_named_and_not_refused(drive, tmp_path):
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(drive.read_bytes()[:-20])
    mapping = names(topics={"/ugv1/odom": "/gone"}, poses={"ugv1": {"topic": "/lost"}})
    found = evaluate_recording(cut, mapping, scenario(tmp_path, SPEED, REACH))
    assert found.verdict.status.value == "inconclusive"
    assert found.gaps[1:] == (
        "/ugv1/odom (as /gone) is not in what is left of the recording",
        "/lost, which says where ugv1 is, is not in what is left of the recording",
    )


@pytest.mark.parametrize(
    "start_ns", [0, EPOCH_NS - 30 * 24 * 3600 * NS], ids=["1970", "last_month"]
)
def test_a_recording_whose_clock_was_set_is_judged_up_to_there(tmp_path, start_ns):
    with RecordingWriter(tmp_path / "bag", TYPES) as writer:
        writer.add_topic("/wheel_odom", "nav_msgs/msg/Odometry")
        for t_ns in (start_ns, start_ns + NS, EPOCH_NS, EPOCH_NS + NS):
            writer.write("/wheel_odom", odometry(t_ns, 0.0, 0.5), log_time_ns=t_ns)
    found = evaluate_recording(writer.path, MAP, scenario(tmp_path, RATE))
    assert found.verdict.status.value == "inconclusive"
    assert "the clock was set while this was recorded" in found.gaps[0]
    assert found.results[0].t_s == 1.0


def test_a_recording_map_is_read_with_positions(tmp_path):
    path = tmp_path / "map.yaml"
    path.write_text("apiVersion: fieldproof.dev/v0alpha1\nkind: RecordingMap\npose: {}\n")
    with pytest.raises(ScenarioError, match=r"map\.yaml:3:1: pose: unknown key \(nearest: poses"):
        read_recording_map(path)
    assert read_recording_map(None).topics == {}


def test_what_a_plan_needs_and_a_run_did_not_look_at_is_named():
    needs = {
        "models": ["ugv1", "crate"],
        "contacts": [{"vehicle": "ugv1"}],
        "values": [{"topic": "/a", "field": "x", "message_type": None}],
        "rates": [{"topic": "/a", "window_ns": 5 * NS, "message_type": "b/msg/C"}],
        "latencies": [{"topic": "/a", "window_ns": 2 * NS, "message_type": None}],
        "lifecycles": [{"node": "/n"}],
    }
    has = {
        "models": ["ugv1"],
        "values": [{"topic": "/a", "field": "y", "message_type": None}],
        "rates": [{"topic": "/a", "window_ns": 5 * NS, "message_type": None}],
    }
    assert lacking(needs, has) == [
        "the run did not observe the poses of crate",
        "the run did not observe the contacts of ugv1",
        "the run did not observe /a x",
        "the run did not observe the latency of /a over 2 s",
        "the run did not observe the state of /n",
    ]
    assert lacking(needs, needs) == []
    assert unknown_entries({"w": ("go", "stop")}, ["stop"]) == [
        "w asks about go, which the run's timeline has not"
    ]


@pytest.fixture
def run_of(tmp_path):
    """The evidence of a little run, written by hand."""

    def written(resolved, samples):
        folder = tmp_path / "run"
        folder.mkdir()
        for name, value in (
            ("execution.json", resolved.execution),
            ("observe.json", resolved.execution["observe"]),
            ("evaluation.json", resolved.evaluation),
            (
                "outcome.json",
                {"status": "completed", "reason": "", "complete": True, "gaps": []},
            ),
        ):
            (folder / name).write_text(json.dumps(value))
        lines = "".join(json.dumps(sample) + "\n" for sample in samples)
        (folder / "samples.jsonl").write_text(lines)
        seal(RunDirectory(folder))
        return folder

    return written


def sample(kind, sim, **fields):
    return {"kind": kind, "wall": None, "sim": sim, **fields}


def pose(sim, y):
    turn = {"qx": 0.0, "qy": 0.0, "qz": 0.0, "qw": 1.0}
    return sample("pose", sim, model="ugv1", x=10.0, y=y, z=0.0, yaw=0.0, **turn)


def test_a_run_is_judged_anew_by_a_changed_limit(tmp_path, run_of):
    lockstep = {"time": {"mode": "lockstep"}}
    resolved = scenario(tmp_path, REACH, **lockstep)
    samples = [
        sample("timeline", 1.0, event="start"),
        *[pose(1.0 + n / 10, 3.0 - n / 10) for n in range(36)],
        sample("timeline", 5.0, event="end", status="completed"),
    ]
    run = run_of(resolved, samples)
    assert evaluate_run(run).verdict.status.value == "failed"
    assert evaluate_run(run) == judge(run, resolved.evaluation)
    wider = scenario(tmp_path, REACH | {"tolerance_m": 0.6}, **lockstep)
    assert evaluate_run(run, wider).verdict.status.value == "passed"
    with pytest.raises(
        UnanswerableError, match=r"did not observe /ugv1/odom twist\.twist\.linear\.x"
    ):
        evaluate_run(run, scenario(tmp_path, SPEED, **lockstep))


def test_a_run_of_what_would_have_happened_otherwise_is_refused_with_what_differs(tmp_path, run_of):
    drive = {
        "at": "0s",
        "name": "go",
        "vehicle": "ugv1",
        "action": "navigate_to_pose",
        "goal": {"x": 10.0, "y": -1.0},
    }
    lockstep = {"time": {"mode": "lockstep", "seed": 1}}
    resolved = scenario(tmp_path, REACH, timeline=[drive], **lockstep)
    samples = [
        sample("timeline", 1.0, event="start"),
        pose(1.0, 3.0),
        sample("timeline", 5.0, event="end", status="completed"),
    ]
    run = run_of(resolved, samples)
    later = drive | {"goal": {"x": 12.0, "y": -1.0}, "timeout_s": 60}
    waits = {"at": "9s", "name": "rest", "vehicle": "ugv1", "action": "container.pause"}
    other = {"time": {"mode": "lockstep", "seed": 2}, "timeline": [later, waits]}
    with pytest.raises(UnanswerableError) as refused:
        evaluate_run(run, scenario(tmp_path, REACH, **other))
    said = refused.value.lacking
    assert "time.seed was 1 in the run and is 2 in the scenario" in said
    assert "timeline.go.params.goal.x was 10.0 in the run and is 12.0 in the scenario" in said
    assert any(one.startswith("timeline.rest was not there in the run") for one in said)
    assert said[-1] == "it takes a run of this scenario to judge by it"


@pytest.mark.parametrize("more", [{"outputs": {"record": False}}, {"budget": {"timeout_s": "9m"}}])
def test_what_changes_nothing_that_happens_may_differ(tmp_path, run_of, more):
    resolved = scenario(tmp_path, REACH, time={"mode": "lockstep"})
    samples = [
        sample("timeline", 1.0, event="start"),
        pose(1.0, -1.0),
        sample("timeline", 5.0, event="end", status="completed"),
    ]
    run = run_of(resolved, samples)
    changed = scenario(tmp_path, REACH, time={"mode": "lockstep"}, **more)
    assert evaluate_run(run, changed).verdict == evaluate_run(run).verdict
