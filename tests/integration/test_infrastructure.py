"""What goes wrong around a run ends it in bounded time, with a reason and with reports."""

import json
import os
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from fieldproof.runs import RunDirectory, verify
from tests.cli.session import Session
from tests.integration.conftest import ROOT, processes_of

GOAL = ROOT / "scenarios" / "ugv_nav_to_goal.yaml"


def record_of(folder):
    return json.loads((folder / "run.json").read_text())


def assert_reported_as_error(folder, *words):
    record = record_of(folder)
    assert record["status"] == "error"
    for word in words:
        assert word in record["reason"], record["reason"]
    root = ET.parse(folder / "junit.xml").getroot()
    assert next(root.iter("error")).get("message")
    assert int(next(root.iter("testsuite")).get("tests")) >= 1
    assert (folder / "report.md").read_text()
    assert verify(RunDirectory(folder)) == ()
    assert processes_of(folder.name) == []


def test_a_stack_that_dies_at_once_is_an_error_naming_the_process(run, robots, only_run):
    def change(_manifest, folder):
        (folder / "ugv_nav" / "planner_server.py").write_text("raise SystemExit('no map today')\n")

    code, out, err = run("run", GOAL, "--robots", robots(change))
    assert code == 1, out + err
    assert_reported_as_error(only_run(), "ugv1/planner_server", "exit code 1", "no map today")


def test_a_node_that_never_acknowledges_is_named(run, robots, only_run):
    def change(manifest, folder):
        (folder / "ugv_nav" / "coffee.py").write_text("import signal\nsignal.pause()\n")
        process = {"name": "coffee", "module": "ugv_nav.coffee", "node": "coffee_machine"}
        manifest["stack"]["processes"].append(process)
        manifest["lockstep"]["nodes"].append("coffee_machine")
        manifest["readiness"]["timeout_s"] = 3

    code, out, err = run("run", GOAL, "--robots", robots(change))
    assert code == 1, out + err
    assert_reported_as_error(only_run(), "start vehicles", "coffee_machine", "not in the graph")


def test_a_readiness_gate_that_is_never_met_is_named_with_its_state(run, robots, only_run):
    def change(manifest, _folder):
        manifest["readiness"]["gates"] = [{"lifecycle": "bt_navigator", "state": "finalized"}]
        manifest["readiness"]["timeout_s"] = 3

    code, out, err = run("run", GOAL, "--robots", robots(change))
    assert code == 1, out + err
    assert_reported_as_error(
        only_run(), "readiness gates", "/ugv1/bt_navigator", "finalized", "is active"
    )


def test_a_topic_that_nobody_publishes_fails_its_assertion_and_says_so(run, variant, only_run):
    def change(scenario):
        scenario["assertions"] = [
            {
                "name": "ghost_speaks",
                "type": "topic_value",
                "topic": "/ghost",
                "field": "data",
                "condition": "value > 0",
                "message_type": "std_msgs/msg/Float64",
            }
        ]

    code, out, err = run("run", variant(change=change))
    assert code == 1, out + err
    record = record_of(only_run())
    assert record["status"] == "failed"
    assert "ghost_speaks" in record["reason"]
    assert "/ghost" in record["reason"]


def test_a_runs_folder_that_cannot_be_written_is_refused_before_anything_starts(run, tmp_path):
    (tmp_path / "runs").write_text("a file where the folder should be")
    code, out, err = run("run", GOAL)
    assert code == 1
    assert str(tmp_path / "runs") in err
    assert "start simulator" not in err
    assert out == ""


@pytest.fixture
def small_disk(tmp_path):
    """Mounts a file system of some size and returns its folder."""
    mounted = []

    def small_disk(size):
        folder = tmp_path / f"disk-{size}"
        folder.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
        if subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("may not mount: not proved that a full disk is reported")
        mounted.append(folder)
        return folder

    yield small_disk
    for folder in mounted:
        subprocess.run(["umount", folder], check=True)


def test_a_disk_that_fills_up_ends_the_run_as_an_error_with_its_reports(run, small_disk, only_run):
    runs = small_disk("900k") / "runs"
    code, out, err = run("run", GOAL, runs=runs)
    assert code == 1, out + err
    assert "Traceback" not in err
    assert_reported_as_error(only_run(runs), "timeline", "No space left on device")
    code, out, err = run("run", GOAL, runs=runs)  # no room for a second one
    assert code == 1
    assert "could not be kept" in err
    assert "--runs" in err
    assert "Traceback" not in err


def started_run(fieldproof, until, runs):
    process = fieldproof("run", GOAL, start_new_session=True)

    def folder():
        found = list(runs.glob("*-*Z-*")) if runs.is_dir() else []
        return found[0] if found and len(processes_of(found[0].name)) >= 6 else None

    return process, until(folder)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_run_as_interrupted_with_its_reports(number, fieldproof, until, tmp_path):
    process, folder = started_run(fieldproof, until, tmp_path / "runs")
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, out + err
    record = record_of(folder)
    assert record["status"] == "interrupted"
    assert {a["status"] for a in record["assertions"]} <= {"passed", "skipped"}
    assert ET.parse(folder / "junit.xml").getroot() is not None
    assert verify(RunDirectory(folder)) == ()
    assert processes_of(folder.name) == []


def test_a_terminal_that_is_closed_ends_the_run_as_interrupted(environment, until, tmp_path):
    runs = tmp_path / "runs"
    command = [sys.executable, "-B", "-m", "fieldproof.cli", "run", str(GOAL), "--runs", str(runs)]
    session = Session(command, environment=environment, cwd=ROOT)
    try:
        session.until(lambda: "timeline" in session.written)
        assert session.hang_up() == 130
    finally:
        session.close()
    (folder,) = runs.glob("*-*Z-*")
    assert record_of(folder)["status"] == "interrupted"
    assert verify(RunDirectory(folder)) == ()
    assert processes_of(folder.name) == []


def test_what_a_killed_engine_left_is_ended_and_sealed_by_the_next_start(
    fieldproof, run, until, tmp_path
):
    process, folder = started_run(fieldproof, until, tmp_path / "runs")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    code, out, err = run("run", GOAL)
    assert code == 0, out + err
    assert processes_of(folder.name) == []
    record = record_of(folder)
    assert record["status"] == "error"
    assert "recovered" in record["reason"]
    assert verify(RunDirectory(folder)) == ()


def test_a_scenario_with_faults_is_refused_with_all_of_them_before_anything_starts(
    run, variant, tmp_path
):
    def change(scenario):
        scenario["world"] = "dock_yrd"
        scenario["vehicles"][0]["manifest"] = "ugv_rf"
        scenario["assertions"][0]["tolerance"] = 1
        scenario["assertions"][1]["action"] = "drive_ahed"

    path = variant(change=change)
    code, _, err = run("run", path)
    assert code == 2
    for words in (
        "dock_yard",
        "ugv_ref",
        "tolerance_m",
        "drive_ahead",
        f"{path}:",
    ):
        assert words in err
    assert "4 problems" in err
    assert not (tmp_path / "runs").exists()


def test_a_reader_who_leaves_does_not_end_the_run(environment, tmp_path, only_run):
    command = f"{sys.executable} -B -m fieldproof.cli run {GOAL} --runs {tmp_path / 'runs'}"
    piped = ["bash", "-c", f"set -o pipefail; {{ {command} 2>&1; }} | head -c 1 >/dev/null"]
    done = subprocess.run(piped, cwd=ROOT, env=environment, timeout=240, check=False)
    assert done.returncode == 0
    assert record_of(only_run())["status"] == "passed"


def test_a_scenario_that_does_not_exist_is_invalid(run):
    code, _, err = run("run", "nowhere.yaml")
    assert code == 2
    assert "nowhere.yaml: No such file" in err


def test_geometry_outside_the_subset_is_refused_with_its_line_before_anything_starts(run, tmp_path):
    worlds = tmp_path / "worlds"
    shutil.copytree(ROOT / "worlds", worlds)
    world = worlds / "dock_yard" / "world.sdf"
    text = world.read_text().replace(
        "</world>", "<model name='m'><joint name='j'/></model></world>"
    )
    world.write_text(text)
    line = text[: text.index("<joint")].count("\n") + 1
    code, _, err = run("run", GOAL, "--worlds", worlds)
    assert code == 2
    assert f"{world}:{line}:" in err
    assert "joint" in err
    assert not (tmp_path / "runs").exists()


def test_a_node_that_publishes_what_the_bridge_publishes_is_named(run, robots, only_run):
    def change(_manifest, folder):
        path = folder / "ugv_nav" / "link_monitor.py"
        path.write_text(
            path.read_text().replace(
                "def main() -> None:",
                "def main() -> None:\n"
                "    import rclpy.node\n"
                "    from nav_msgs.msg import Odometry\n"
                "    born = rclpy.node.Node.__init__\n"
                "    def __init__(self, *a, **k):\n"
                "        born(self, *a, **k)\n"
                "        self.second = self.create_publisher(Odometry, 'odom', 10)\n"
                "    rclpy.node.Node.__init__ = __init__\n",
                1,
            )
        )

    code, out, err = run("run", GOAL, "--robots", robots(change))
    assert code == 1, out + err
    assert_reported_as_error(only_run(), "odom", "publish")


LATE_PUBLISHER = """
import rclpy.publisher
from nav_msgs.msg import Odometry
sent = rclpy.publisher.Publisher.publish
seconds = []
def publish(self, message):
    sent(self, message)
    if self.topic_name.endswith("tick_done") and message.stamp.sec >= 1 and not seconds:
        seconds.append(NODE.create_publisher(Odometry, "odom", 10))
rclpy.publisher.Publisher.publish = publish
"""


def test_a_second_source_of_a_sensor_that_comes_late_is_no_pass(run, robots, only_run):
    def change(_manifest, folder):
        path = folder / "ugv_nav" / "link_monitor.py"
        text = path.read_text()
        start = 'run_node(lambda: Node("link_monitor"), LinkMonitor)'
        assert start in text
        body = "    exec(LATE)\n    run_node(lambda: hold(Node('link_monitor')), LinkMonitor)"
        text = text.replace(f"    {start}", body)
        hold = "\n\ndef hold(node):\n    globals()['NODE'] = node\n    return node\n\n\n"
        code = f"LATE = compile({LATE_PUBLISHER!r}, 'late', 'exec')\n"
        path.write_text(
            text.replace("def main()", f"{code}{hold}def main()").replace(
                "exec(LATE)", "exec(LATE, globals())"
            )
        )

    code, out, err = run("run", GOAL, "--robots", robots(change))
    assert code == 1, out + err
    assert_reported_as_error(only_run(), "settle", "odom")


def test_a_stack_of_which_only_a_part_acknowledges_is_not_called_exact(run, robots, only_run):
    def change(manifest, _folder):
        manifest["lockstep"]["nodes"] = ["link_monitor", "controller_server", "bt_navigator"]

    run("run", GOAL, "--robots", robots(change))
    outcome = json.loads((only_run() / "outcome.json").read_text())
    assert outcome["determinism"] == "stepped"


def test_a_second_interrupt_changes_nothing_about_the_orderly_end(fieldproof, until, tmp_path):
    process, folder = started_run(fieldproof, until, tmp_path / "runs")
    os.kill(process.pid, signal.SIGINT)
    until(lambda: "teardown" in (folder / "logs" / "engine.log").read_text())
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, out + err
    assert record_of(folder)["status"] == "interrupted"
    assert verify(RunDirectory(folder)) == ()
    assert processes_of(folder.name) == []


def test_an_observer_that_hangs_is_an_error_with_reports(fieldproof, until, tmp_path):
    process, folder = started_run(fieldproof, until, tmp_path / "runs")
    until(lambda: '"timeline"' in (folder / "logs" / "engine.log").read_text())
    observer = next(
        pid
        for pid in processes_of(folder.name)
        if b"fieldproof.observe" in Path(f"/proc/{pid}/cmdline").read_bytes()
    )
    os.kill(observer, signal.SIGKILL)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1, out + err
    assert "Traceback" not in err
    assert_reported_as_error(folder, "observer")


def test_a_child_that_left_its_process_group_is_ended_with_the_run(run, robots, only_run):
    def change(_manifest, folder):
        path = folder / "ugv_nav" / "link_monitor.py"
        spawn = "    import subprocess\n    subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        path.write_text(path.read_text().replace("    run_node(", f"{spawn}    run_node(", 1))

    code, out, err = run("run", GOAL, "--robots", robots(change))
    assert code == 0, out + err
    assert processes_of(only_run().name) == []


def test_git_bisect_skips_what_neither_passed_nor_failed(run, robots):
    def change(_manifest, folder):
        (folder / "ugv_nav" / "planner_server.py").write_text("raise SystemExit(1)\n")

    code, _, _ = run("run", GOAL, "--bisect", "--robots", robots(change))
    assert code == 125
    code, _, _ = run("run", "nowhere.yaml", "--bisect")
    assert code == 125
