"""What goes wrong around a run ends it in bounded time, with a reason and with reports."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from fieldproof.runs import RunDirectory, verify
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


def test_a_full_disk_ends_the_run_as_an_error(fieldproof, only_run):
    limit = 40_000  # bytes a file may have: less than the samples or the recording of a run

    def cap():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # write() then fails with EFBIG
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    process = fieldproof("run", GOAL, preexec_fn=cap)
    out, err = process.communicate(timeout=240)
    assert process.returncode == 1, out + err
    folder = only_run()
    assert record_of(folder)["status"] == "error"
    assert processes_of(folder.name) == []


def started_run(fieldproof, until, runs):
    process = fieldproof("run", GOAL, start_new_session=True)

    def folder():
        found = list(runs.glob("*-*Z-*")) if runs.is_dir() else []
        return found[0] if found and len(processes_of(found[0].name)) >= 6 else None

    return process, until(folder)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
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
