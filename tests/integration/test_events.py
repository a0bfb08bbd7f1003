"""The scenarios of events on the real stack: what happened, and that it is on record."""

import json
import math
import subprocess
from collections import Counter

import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

from fieldproof.runs import evidence_digest
from tests.integration.conftest import ROOT, processes_of

SCENARIOS = ROOT / "scenarios"
TICK_S = 0.05


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def messages(folder, *topics):
    """(topic, seconds of simulation time, message) of a recording."""
    with (folder / "recording" / "recording_0.mcap").open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        for _, channel, stored, message in reader.iter_decoded_messages(topics=topics or None):
            yield channel.topic, stored.log_time / 1e9, message


def occurrences(folder):
    rows = json.loads((folder / "run.json").read_text())["timeline"]
    return {row["name"]: row for row in rows}


def passes(run, only_run, name):
    code, out, err = run("run", SCENARIOS / f"{name}.yaml")
    assert code == 0, out + err
    folder = only_run()
    outcome = json.loads((folder / "outcome.json").read_text())
    assert (outcome["determinism"], outcome["complete"]) == ("exact", True), outcome
    return folder


def test_the_scenario_of_events_runs_them_all_and_keeps_three_records_of_each(run, only_run):
    folder = passes(run, only_run, "ugv_events")
    rows = occurrences(folder)
    assert list(rows) == [
        "drive_ahead",
        "say_hello",
        "tighten_failsafe",
        "say_hello#2",
        "say_hello#3",
        "freeze_stack",
        "stop_stack",
    ]
    assert {row["status"] for row in rows.values()} == {"ok"}
    assert [rows[n]["t_s"] for n in ("say_hello", "say_hello#2", "say_hello#3")] == [1.0, 4.0, 7.0]
    ended = rows["drive_ahead"]["t_s"] + rows["drive_ahead"]["duration_s"]
    assert rows["freeze_stack"]["t_s"] == pytest.approx(ended + 5.0)
    assert rows["freeze_stack"]["duration_s"] == 3.0
    assert rows["stop_stack"]["t_s"] == pytest.approx(ended + 8.0)
    assert rows["tighten_failsafe"]["trigger"]["when"]["condition"] == "value > 1.0"

    logged = lines(folder / "logs" / "engine.log")
    recorded = [json.loads(m.data) for _, _, m in messages(folder, "/fieldproof/events")]
    for record in (logged, recorded):
        for event, status in (("action.start", "running"), ("action.end", "ok")):
            told = {line["action"]: line for line in record if line["event"] == event}
            assert told.keys() == rows.keys()
            for name, row in rows.items():
                for key in ("vehicle", "occurrence", "t_s", "sim_s", "trigger", "params"):
                    assert told[name][key] == row[key], (event, name, key)
                assert told[name]["event_action"] == row["action"]
                assert told[name]["status"] == status
        kinds = Counter(line["event"] for line in record)
        assert kinds["action.triggered"] == 3
        assert kinds["container.paused"] == kinds["container.killed"] == 1
    assert [m.data for _, _, m in messages(folder, "/ugv1/announce")] == (
        ["fieldproof says hello"] * 3
    )


def test_a_frozen_stack_is_silent_while_the_world_goes_on_and_a_killed_one_is_gone(run, only_run):
    folder = passes(run, only_run, "ugv_events")
    rows = occurrences(folder)
    frozen_s, killed_s = rows["freeze_stack"]["sim_s"], rows["stop_stack"]["sim_s"]
    heard = Counter()
    for topic, at_s, _ in messages(folder, "/ugv1/link_state", "/ugv1/cmd_vel", "/ugv1/odom"):
        heard[topic, at_s > frozen_s] += 1
    assert heard["/ugv1/link_state", False] > 0
    assert heard["/ugv1/link_state", True] == heard["/ugv1/cmd_vel", True] == 0
    assert heard["/ugv1/odom", True] == round((killed_s - frozen_s) * 50)
    said = [line["message"] for line in lines(folder / "logs" / "engine.log")]
    assert "ugv1 killed with SIGKILL" in said
    assert (folder / "logs" / "ugv1-planner_server.log").is_file()
    assert processes_of(folder.name) == []


def test_a_crate_that_appears_is_seen_in_the_next_scan_and_driven_around(run, only_run):
    folder = passes(run, only_run, "ugv_obstacle_replan")
    rows = occurrences(folder)
    assert rows["spawn_crate"]["detail"] == "spawned model crate at (10, 0.8, 0.25, yaw 0)"
    spawned_s = rows["spawn_crate"]["sim_s"]

    poses = [s for s in lines(folder / "samples.jsonl") if s["kind"] == "pose"]
    poses = [s for s in poses if s["model"] == "ugv1"]
    first = next(s for s in poses if math.hypot(s["x"] - 10, s["y"] - 3) > 0.5)
    assert 0 <= spawned_s - first["sim"] <= TICK_S  # within a tick of the threshold
    assert first["y"] > 2  # north of the crate, with the crate in view

    scans = [(at, m) for _, at, m in messages(folder, "/ugv1/scan")]
    before = [m.ranges[180] for at, m in scans if at <= spawned_s][-1]
    at, after = next((at, m.ranges[180]) for at, m in scans if at > spawned_s)
    assert at - spawned_s <= 0.1 + 1e-9
    assert after < before - 1.0

    beside = [abs(s["x"] - 10) for s in poses if abs(s["y"] - 0.8) < 0.1]
    assert min(beside) >= 0.57
    in_door = [s["x"] for s in poses if abs(s["y"]) < 0.2]
    assert in_door
    assert all(8.0 < x < 12.0 for x in in_door)
    changes = [
        line["message"]
        for line in lines(folder / "logs" / "engine.log")
        if line["event"] == "world.changed"
    ]
    assert changes == [rows["spawn_crate"]["detail"], "removed model crate"]


def test_a_denied_fix_is_denied_to_the_tick_and_lifted_to_the_tick(run, only_run):
    folder = passes(run, only_run, "ugv_gps_denied")
    rows = occurrences(folder)
    log = lines(folder / "logs" / "engine.log")
    injected = next(line for line in log if line["event"] == "fault.injected")
    lifted = next(line for line in log if line["event"] == "fault.lifted")
    assert injected["acts_from_s"] == pytest.approx(rows["deny_gps"]["sim_s"])
    assert lifted["acts_until_s"] - injected["acts_from_s"] == pytest.approx(20.0)
    for _, at_s, fix in messages(folder, "/ugv1/gps/fix"):
        stamp_s = fix.header.stamp.sec + fix.header.stamp.nanosec / 1e9
        denied = injected["acts_from_s"] < stamp_s <= lifted["acts_until_s"]
        assert (fix.status.status == -1) == denied, (at_s, fix)
        assert math.isnan(fix.latitude) == denied
    assert rows["drive_back"]["status"] == "ok"


def test_three_vehicles_drive_on_stacks_of_their_own(run, only_run):
    folder = passes(run, only_run, "ugv_fleet")
    rows = occurrences(folder)
    assert {row["vehicle"] for row in rows.values()} == {"ugv1", "ugv2", "ugv3"}
    assert {row["status"] for row in rows.values()} == {"ok"}


@pytest.mark.slow
@pytest.mark.nix
@pytest.mark.parametrize(
    "name", ["ugv_events", "ugv_obstacle_replan", "ugv_gps_denied", "ugv_fleet"]
)
def test_the_scenarios_repeat_bit_for_bit_live_and_in_the_sandbox(run, tmp_path, name):
    digests = set()
    for number in range(2):
        runs = tmp_path / f"runs{number}"
        code, out, err = run("run", SCENARIOS / f"{name}.yaml", runs=runs)
        assert code == 0, out + err
        digests.add(evidence_digest((runs / "latest").resolve()))
    link = tmp_path / "run"
    built = subprocess.run(
        ["nix", "build", f".#{name}.run", "-o", link],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    digests.add(evidence_digest(link.resolve()))
    assert len(digests) == 1


def drive(**more):
    goal = {"x": 10.0, "y": -1.0, "yaw": -1.5708}
    return {
        "name": "drive",
        "vehicle": "ugv1",
        "action": "navigate_to_pose",
        "goal": goal,
    } | more


def with_timeline(variant, *entries, mode=None, **more):
    def change(scenario):
        scenario["timeline"] = list(entries)
        scenario["assertions"], scenario["kpis"] = [], []
        if mode:
            scenario["time"] = {"mode": mode}
        scenario.update(more)

    return variant(change=change)


def test_faults_show_on_the_topics_that_they_are_put_on(run, variant, only_run):
    vehicle = {"vehicle": "ugv1"}
    path = with_timeline(
        variant,
        drive(),
        {"action": "actuator.limit", "at": "2s", "max_linear_mps": 0.2, "duration_s": "2s"} | vehicle,
        {"action": "sensor.freeze", "at": "1s", "sensor": "imu/data", "duration_s": "1s"} | vehicle,
        {"action": "sensor.dropout", "at": "1s", "sensor": "joint_states", "duration_s": "1s"}
        | vehicle,
        {"action": "gps.offset", "at": "0s", "east_m": 100.0} | vehicle,
        {"action": "battery.drain", "at": "0s", "to_pct": 50.0, "duration_s": "5s"} | vehicle,
        {"action": "imu.bias", "at": "3s", "gyro_radps": [0, 0, 2.0], "duration_s": "1s"} | vehicle,
        outputs={"record": True, "topics": ["imu/data", "joint_states", "gps/fix", "battery_state",
                                            "odom", "cmd_vel", "_bridge/cmd_vel"]},
    )  # fmt: skip
    code, out, err = run("run", path)
    assert code == 0, out + err
    folder = only_run()
    rows = occurrences(folder)
    assert {row["status"] for row in rows.values()} == {"ok"}
    origin_s = rows["drive"]["sim_s"]
    by_topic = {}
    for topic, at_s, message in messages(folder):
        by_topic.setdefault(topic.removeprefix("/ugv1/"), []).append((at_s - origin_s, message))

    def within(topic, begin_s, end_s):
        return [m for at, m in by_topic[topic] if begin_s + 1e-6 < at <= end_s + 1e-6]

    assert within("joint_states", 1, 2) == []
    assert len(within("joint_states", 2, 3)) == 50
    frozen = within("imu/data", 1, 2)
    assert len(frozen) == 100
    assert len({(m.header.stamp.sec, m.header.stamp.nanosec) for m in frozen}) == 1
    assert min(m.angular_velocity.z for m in within("imu/data", 3, 4)) > 1.5
    limited = within("_bridge/cmd_vel", 2, 4)
    assert max(m.linear.x for m in limited) == 0.2
    assert max(m.linear.x for m in within("cmd_vel", 2, 4)) > 0.3  # as the stack commanded it
    assert max(m.twist.twist.linear.x for m in within("odom", 3, 4)) < 0.25
    assert within("gps/fix", 0, 1)[0].longitude - 9.9722 > 0.0013  # 100 m east
    levels = [m.percentage for m in within("battery_state", 0, 6)]
    assert levels == sorted(levels, reverse=True)
    assert levels[-1] == pytest.approx(0.5)


def test_entries_that_overlap_on_a_sensor_end_each_for_itself(run, variant, only_run):
    vehicle = {"vehicle": "ugv1"}
    long, short = {"at": "1s", "duration_s": "3s"}, {"at": "2s", "duration_s": "1s"}
    gps = {"action": "gps.deny"} | vehicle
    imu = {"action": "sensor.freeze", "sensor": "imu"} | vehicle
    limit = {"action": "actuator.limit"} | vehicle
    path = with_timeline(
        variant,
        {"action": "set_wind", "name": "origin", "velocity": [0, 0, 0]},
        drive(),
        gps | long, gps | short,
        imu | long, imu | short,
        limit | long | {"max_linear_mps": 0.1}, limit | short | {"max_linear_mps": 0.3},
        {"action": "battery.drain", "name": "half", "to_pct": 50.0, "duration_s": "1s"} | vehicle,
        {"action": "battery.drain", "name": "none", "after": "half", "to_pct": 90.0,
         "duration_s": "1s"} | vehicle,
        outputs={"record": True, "topics": ["gps/fix", "imu/data", "_bridge/cmd_vel"]},
    )  # fmt: skip
    code, out, err = run("run", path)
    assert code == 0, out + err
    folder = only_run()
    rows = occurrences(folder)
    assert rows["half"]["detail"] == "drained to 50 % over 1 s"
    assert rows["none"]["detail"] == "not drained: the charge is 50 %, not above 90 %"
    origin_s = rows["origin"]["sim_s"]

    def within(topic, begin_s, end_s):
        for _, at_s, message in messages(folder, f"/ugv1/{topic}"):
            if begin_s + 1e-6 < at_s - origin_s <= end_s + 1e-6:
                yield message

    assert {m.status.status for m in within("gps/fix", 1, 4)} == {-1}
    assert {m.status.status for m in within("gps/fix", 4, 5)} == {0}
    assert len({m.header.stamp.nanosec for m in within("imu/data", 1, 4)}) == 1
    assert len({m.header.stamp.nanosec for m in within("imu/data", 4, 5)}) == 100
    assert max(m.linear.x for m in within("_bridge/cmd_vel", 1, 4)) == 0.1
    assert max(m.linear.x for m in within("_bridge/cmd_vel", 4, 6)) > 0.3


def test_what_a_node_refuses_or_does_not_have_fails_the_entry(run, variant, tmp_path):
    asked = {"vehicle": "ugv1", "action": "param.set", "parameter": "loss_timeout_s"}
    cases = {
        "refused: ": {"node": "link_monitor", "value": -1.0},
        "expected 'Type.DOUBLE' got 'Type.STRING'": {"node": "link_monitor", "value": "soon"},
        "no such node within 2 s": {"node": "nobody", "value": 1.0, "timeout_s": "2s"},
    }
    for number, (said, fields) in enumerate(cases.items()):
        runs = tmp_path / f"runs{number}"
        code, out, err = run("run", with_timeline(variant, asked | fields), runs=runs)
        assert code == 1, out + err
        record = json.loads(((runs / "latest").resolve() / "run.json").read_text())
        assert record["status"] == "failed"
        assert said in record["timeline"][0]["detail"]


def test_a_goal_is_lost_with_the_stack_that_had_it(run, variant, only_run):
    kill = {"action": "container.kill", "vehicle": "ugv1", "at": "2s", "name": "kill"}
    code, out, err = run("run", with_timeline(variant, drive(), kill))
    assert code == 1, out + err
    rows = occurrences(only_run())
    assert (rows["drive"]["status"], rows["drive"]["detail"]) == ("failed", "goal LOST")
    assert rows["kill"]["status"] == "ok"


def test_a_run_in_which_a_thawed_stack_goes_on_is_no_exact_one(run, variant, only_run):
    freeze = {"action": "container.pause", "vehicle": "ugv1", "at": "2s", "duration_s": "1s"}
    code, out, err = run("run", with_timeline(variant, drive(), freeze))
    assert code == 0, out + err
    outcome = json.loads((only_run() / "outcome.json").read_text())
    assert (outcome["determinism"], outcome["complete"]) == ("stepped", True)


def test_simulation_time_can_be_paused_stepped_and_resumed_where_it_runs_free(
    run, variant, only_run
):
    path = with_timeline(
        variant,
        {"name": "pause", "action": "sim.pause", "at": "0.5s"},
        {"name": "step", "action": "sim.step", "after": "pause", "at": "0.5s", "steps": 100},
        {"name": "resume", "action": "sim.resume", "after": "step", "at": "0.5s"},
        {
            "name": "again",
            "action": "sim.pause",
            "after": "resume",
            "at": "0.2s",
            "duration_s": "0.3s",
        },
        {
            "name": "end",
            "after": "again",
            "at": "0.3s",
            "action": "set_wind",
            "velocity": [1, 0, 0],
        },
        mode="realtime",
    )
    code, out, err = run("run", path)
    assert code == 0, out + err
    rows = occurrences(only_run())
    assert rows["step"]["detail"] == "stepped 100 steps (0.2 s)"
    paused, stepped = rows["pause"], rows["step"]
    assert stepped["t_s"] - paused["t_s"] >= 0.5
    assert stepped["sim_s"] - paused["sim_s"] < 0.3  # the world stood in between
    assert rows["resume"]["sim_s"] - stepped["sim_s"] == pytest.approx(0.2, abs=0.011)
    assert rows["end"]["status"] == "ok"


def test_a_step_comes_at_the_pace_and_every_message_of_it_counts(run, variant, only_run):
    path = with_timeline(
        variant,
        {"name": "pause", "action": "sim.pause", "at": "0.2s"},
        {"name": "step", "action": "sim.step", "after": "pause", "duration_s": "3s"},
        {"name": "resume", "action": "sim.resume", "after": "step"},
        {"name": "end", "action": "set_wind", "velocity": [1, 0, 0], "after": "resume", "at": "1.2s"},
        mode="realtime",
        assertions=[
            {"name": "rate", "type": "topic_rate", "topic": "/ugv1/scan", "min_hz": 9,
             "max_hz": 11, "window_s": "1s"}
        ],
    )  # fmt: skip
    code, out, err = run("run", path)
    assert code == 0, out + err
    rows = occurrences(only_run())
    assert (rows["step"]["status"], rows["step"]["detail"]) == ("ok", "stepped 1500 steps (3 s)")
    assert rows["step"]["duration_s"] >= 3.0 - 0.05
    assert rows["resume"]["sim_s"] - rows["step"]["sim_s"] == pytest.approx(3.0, abs=0.1)


def test_time_that_runs_is_not_resumed(run, variant, only_run):
    path = with_timeline(variant, {"action": "sim.resume", "name": "r"}, mode="realtime")
    code, out, err = run("run", path)
    assert code == 1, out + err
    row = occurrences(only_run())["r"]
    assert (row["status"], row["detail"]) == ("failed", "simulation time is not paused")


def test_time_that_is_paused_is_not_paused_again(run, variant, only_run):
    path = with_timeline(
        variant,
        {"action": "sim.pause", "name": "first", "duration_s": "1s"},
        {"action": "sim.pause", "name": "second", "at": "0.3s", "duration_s": "2s"},
        mode="sim",
    )
    code, out, err = run("run", path)
    assert code == 1, out + err
    row = occurrences(only_run())["second"]
    assert (row["status"], row["detail"]) == ("failed", "simulation time is paused already")


def test_a_world_that_runs_is_not_stepped(run, variant, only_run):
    path = with_timeline(variant, {"action": "sim.step", "steps": 5, "name": "s"}, mode="realtime")
    code, out, err = run("run", path)
    assert code == 1, out + err
    row = occurrences(only_run())["s"]
    assert row["status"] == "failed"
    assert "time runs freely" in row["detail"]
