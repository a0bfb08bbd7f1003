"""What it costs to start the command, and what a shell is told to complete."""

import json
import os
import subprocess
import sys

import pytest

SLOW = {
    "fieldproof.assertions",
    "fieldproof.engine",
    "fieldproof.events",
    "fieldproof.model",
    "fieldproof.runs",
    "fieldproof_reports",
    "mcap",
    "mujoco",
    "numpy",
    "pydantic",
    "rclpy",
    "rosbags",
    "yaml",
    "zmq",
}

IMPORTED = """
import json, sys
from fieldproof.cli import main
try:
    main(sys.argv[1:], prog_name="fieldproof")
except SystemExit:
    pass
print("\\n" + json.dumps(sorted(sys.modules)))
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["run", "--help"],
        ["validate", "--help"],
        ["events", "--help"],
        ["runs", "verify", "--help"],
        ["stage", "run", "--help"],
    ],
    ids=" ".join,
)
def test_help_needs_none_of_what_is_slow_to_import(arguments):
    done = subprocess.run(
        [sys.executable, "-B", "-c", IMPORTED, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    modules = set(json.loads(done.stdout.splitlines()[-1]))
    assert "click" in modules
    assert modules & SLOW == set()


@pytest.mark.parametrize(
    "arguments",
    [
        ["validate", "scenarios/ugv_nav_to_goal.yaml"],
        ["events"],
        ["run", "--dry-run", "scenarios/ugv_nav_to_goal.yaml"],
    ],
    ids=lambda a: a[0],
)
def test_what_starts_no_run_needs_neither_ros_nor_the_simulators_physics(root, arguments):
    done = subprocess.run(
        [sys.executable, "-B", "-c", IMPORTED, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    modules = set(json.loads(done.stdout.splitlines()[-1]))
    assert modules & {"rclpy", "mujoco", "docker"} == set()


def completed(root, *words, cwd=None):
    """What bash is told when the cursor stands at the end of these words."""
    done = subprocess.run(
        [sys.executable, "-B", "-m", "fieldproof.cli"],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "_FIELDPROOF_COMPLETE": "bash_complete",
            "COMP_WORDS": " ".join(["fieldproof", *words]),
            "COMP_CWORD": str(len(words)),
        },
        cwd=cwd or root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return [tuple(line.split(",", 1)) for line in done.stdout.splitlines()]


def test_the_scenarios_of_the_workspace_are_completed_by_path_and_by_name(root):
    assert ("plain", "scenarios/ugv_events.yaml") in completed(root, "run", "scen")
    assert completed(root, "validate", "ugv_nav_f") == [
        ("plain", "scenarios/ugv_nav_fails_on_time.yaml")
    ]
    assert completed(root, "run", "../else") == [("file", "../else")]


def test_actions_and_types_are_completed(root):
    assert completed(root, "events", "gps.") == [("plain", "gps.deny"), ("plain", "gps.offset")]
    assert ("plain", "reach_pose") in completed(root, "assertions", "reach")


def test_runs_are_completed_newest_first_below_latest(root, sealed):
    folder, run = sealed
    found = completed(root, "report", "--runs", str(folder.path), "''")
    assert found == [("plain", "latest"), ("plain", run.run_id)]
    assert completed(root, "runs", "verify", "--runs", str(folder.path), run.run_id[:4]) == [
        ("plain", run.run_id)
    ]


def test_commands_and_options_are_completed(root):
    assert ("plain", "validate") in completed(root, "va")
    assert ("plain", "--dry-run") in completed(root, "run", "--dr")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script(root, shell):
    done = subprocess.run(
        [sys.executable, "-B", "-m", "fieldproof.cli"],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "_FIELDPROOF_COMPLETE": f"{shell}_source",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert "_FIELDPROOF_COMPLETE" in done.stdout
