"""The progress of a run on a pseudo-terminal, as a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .session import Session

ROOT = Path(__file__).parents[2]
FOLDERS = ("lib", "sim", "bridge", "robots", "reports")

RUN = """
import os, signal, sys
from fieldproof.cli._progress import Progress
from fieldproof.cli._terminal import Terminal, colour_choice

terminal = Terminal.of(sys.stderr, os.environ, choice=colour_choice(os.environ))
with Progress(terminal) as progress:
    progress("phase.start", "timeline", {})
    progress("action.end", "first: ok", {"status": "ok"})
    for number in range(3):
        progress("run.status", "", {
            "t_s": number, "sim_s": number, "waiting": [{"label": "last", "for": "30 s"}],
            "running": [{"label": "drive", "action": "navigate_to_pose", "for_s": number}],
            "assertions": {"passed": 1, "failed": 0, "pending": 1}})
    if "wait" in sys.argv:
        signal.pause()
    progress("phase.start", "teardown", {})
print("verdict")
"""
LINES = ["   0.0 s  timeline ...", "   0.0 s    first: ok"]


def environment(**changes):
    kept = {
        name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}
    }
    path = os.pathsep.join(str(ROOT / name) for name in FOLDERS)
    return {**kept, "PYTHONPATH": path, "TERM": "xterm-256color", **changes}


@pytest.fixture
def on_a_terminal():
    started = []

    def start(*arguments, command=None, columns=80, rows=24, **changes):
        command = command or [sys.executable, "-B", "-c", RUN, *arguments]
        session = Session(
            command, environment=environment(**changes), cwd=ROOT, columns=columns, rows=rows
        )
        started.append(session)
        return session

    yield start
    for session in started:
        session.close()


def shown(session):
    """The lines with the times, which are the machine's, made equal."""
    return [
        f"   0.0 s  {line[10:]}" if line[6:10] == " s  " else line
        for line in session.screen.text().splitlines()
    ]


def test_the_block_is_there_while_the_run_is_and_gone_when_it_ends(on_a_terminal):
    session = on_a_terminal()
    assert session.end() == 0
    assert "runs   drive  navigate_to_pose, 2.0 s" in session.written
    assert shown(session) == [*LINES, "   0.0 s  teardown ...", "verdict"]


def test_an_interrupt_leaves_the_lines_and_a_terminal_as_it_was(on_a_terminal):
    session = on_a_terminal("wait")
    session.until(lambda: "navigate_to_pose, 2.0 s" in session.written)
    session.send("\x03")
    assert session.end() == -2
    # what Python says about the exception that this program does not catch comes after
    assert shown(session)[:3] == [*LINES, "Traceback (most recent call last):"]
    assert "navigate_to_pose, 2.0 s" not in session.screen.text()
    assert "\x1b[?" not in session.written  # no mode was changed that would have to be put back


@pytest.mark.parametrize(
    ("changes", "coloured", "block"),
    [
        pytest.param({}, True, True, id="terminal"),
        pytest.param({"NO_COLOR": "1"}, False, True, id="NO_COLOR"),
        pytest.param({"TERM": "dumb"}, False, False, id="dumb terminal"),
        pytest.param({"TERM": "dumb", "FORCE_COLOR": "1"}, True, False, id="dumb, FORCE_COLOR"),
    ],
)
def test_colour_and_block_follow_the_environment(on_a_terminal, changes, coloured, block):
    session = on_a_terminal(**changes)
    assert session.end() == 0
    assert bool(session.screen.colours) is coloured
    assert ("navigate_to_pose, 2.0 s" in session.written) is block
    assert shown(session)[:2] == LINES


@pytest.mark.parametrize(("columns", "rows"), [(20, 24), (10, 3), (1, 1), (40, 4)])
def test_a_tiny_terminal_is_left_as_clean(on_a_terminal, columns, rows):
    session = on_a_terminal(columns=columns, rows=rows)
    assert session.end() == 0
    assert "navigate_to_pose" not in session.screen.text()
    joined = session.screen.text().replace("\n", "").replace(" ", "")
    assert joined.endswith("teardown...verdict")


def test_without_a_terminal_there_are_plain_lines(on_a_terminal):
    done = subprocess.run(
        [sys.executable, "-B", "-c", RUN],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "\x1b" not in done.stderr
    assert [line[10:] for line in done.stderr.splitlines()] == [
        "timeline ...",
        "  first: ok",
        "teardown ...",
    ]
    assert done.stdout == "verdict\n"


@pytest.mark.ros
def test_ctrl_c_in_a_live_run_leaves_its_lines_its_verdict_and_no_block(on_a_terminal, tmp_path):
    scenario = tmp_path / "slow.yaml"
    text = (ROOT / "scenarios" / "ugv_nav_to_goal.yaml").read_text()
    assert "mode: lockstep" in text
    scenario.write_text(text.replace("mode: lockstep", "mode: sim"))
    command = [sys.executable, "-B", "-m", "fieldproof.cli", "run", str(scenario)]
    session = on_a_terminal(
        command=[*command, "--runs", str(tmp_path / "runs")], columns=100, rows=40
    )
    session.until(lambda: " times real time" in session.screen.text())
    assert "  runs   drive_ahead  navigate_to_pose, " in session.screen.text()
    session.send("\x03")
    assert session.end() == 130
    lines = shown(session)
    assert "   0.0 s  timeline: interrupted" in lines
    assert any(line.startswith("INTERRUPTED  ugv_nav_to_goal: ") for line in lines)
    assert not [line for line in lines if " simulated" in line or line.startswith("  runs ")]
    assert "\x1b[?" not in session.written


@pytest.mark.ros
def test_a_run_into_pipes_gives_plain_lines_and_its_record_as_data(process, tmp_path):
    scenario = "scenarios/ugv_nav_fails_on_time.yaml"
    runs = tmp_path / "runs"
    done = process("run", "--json", scenario, "--runs", runs, environment={"NO_COLOR": ""})
    assert done.returncode == 1, done.stderr
    record = json.loads(done.stdout)
    assert record == json.loads((runs / "latest" / "run.json").read_text())
    assert "\x1b" not in done.stderr
    lines = [line[10:] for line in done.stderr.splitlines()]
    phases = [line.removesuffix(" ...") for line in lines if line.endswith(" ...")]
    assert phases == [one["name"] for one in record["phases"] if one["name"] in phases]
    assert "timeline" in phases
    for assertion in record["assertions"]:
        said = f"  {assertion['name']} {assertion['status']}: {assertion['reason']}"
        assert lines.count(said) == 1
    assert not [line for line in lines if "times real time" in line]


@pytest.mark.ros
def test_a_quiet_run_says_its_verdict_and_the_line_of_what_failed(process, root, tmp_path):
    scenario = "scenarios/ugv_nav_fails_on_time.yaml"
    lines = (root / scenario).read_text().splitlines()
    line = next(
        number for number, text in enumerate(lines, 1) if text == "  - name: arrived_in_time"
    )
    done = process("run", "--quiet", scenario, "--runs", tmp_path / "runs", "--no-color")
    assert (done.returncode, done.stderr) == (1, "")
    said = done.stdout.splitlines()
    assert said[0].startswith("FAIL  ugv_nav_fails_on_time: assertion arrived_in_time failed: ")
    failed = [each for each in said if each.startswith("  FAIL")]
    assert [each.rpartition("  ")[2] for each in failed] == [f"{scenario}:{line}"]
