"""Runs that could not be carried out to their end: what is said, what is kept, what is left."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from fieldproof.driving.agents import Limits, find_agent
from fieldproof.driving.provenance import collect_surroundings
from fieldproof.driving.suite import SuiteOptions, run_suite, run_suite_into
from fieldproof.driving.trust import check_run
from fieldproof.runs import RunDirectory, RunsFolder, Status, UnwritableRunError, load, verify
from tests.driving.builders import scenario_data, suite_of
from tests.driving.processes import FORKS_TWICE, is_running

ABOVE = """
def above(pid):
    return int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
"""


def agent_file(folder, act):
    """An agent that drives, and does something else in the scenario `second`."""
    path = folder / "agent.py"
    path.write_text(
        f"import os, sys, time\n{ABOVE}\n{FORKS_TWICE}\n\nclass Agent:\n"
        "    def reset(self, scenario):\n        self.id = scenario['id']\n\n"
        "    def act(self, seen):\n"
        f"        if self.id == 'second': {act}\n"
        "        return {'throttle': 0.3}\n",
        "utf-8",
    )
    return path


def three(folder, **changes):
    names = ("first", "second", "third")
    return suite_of(folder, [scenario_data(id=name) for name in names], **changes)


def read(path):
    return json.loads(path.read_text("utf-8"))


def files_of(folder):
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.parent != folder
    }


SABOTAGE = [
    ("shutil.rmtree(run); open(run, 'w').close()", "second.jsonl cannot be written: Not a directory"),
    ("shutil.rmtree(RUNS); open(RUNS, 'w').close()", "second.jsonl cannot be written: Not a directory"),
    ("os.mkdir(run + '/summary.json')", "summary.json cannot be written: Is a directory"),
    ("os.mkdir(run + '/manifest.json')", "manifest.json cannot be written: Is a directory"),
    ("open(run + '/manifest.json', 'w').close()", "manifest.json cannot be written: somebody wrote it while"),
    ("open(RUNS + '/by-digest', 'w').close()", "by-digest cannot be written: File exists"),
]  # fmt: skip


@pytest.mark.parametrize(("deed", "said"), SABOTAGE)
def test_a_folder_that_is_made_unusable_under_a_run_is_an_error_that_names_the_path(
    tmp_path, deed, said
):
    lines = (
        f"RUNS = {str(tmp_path / 'runs')!r}; run, = glob.glob(RUNS + '/*-*'); {deed}; self.id = ''"
    )
    agent = agent_file(tmp_path, f"import glob, shutil; {lines}")
    with pytest.raises(UnwritableRunError, match=re.escape(said)) as caught:
        run_suite(
            three(tmp_path),
            SuiteOptions(find_agent(str(agent)), host=os.environ, jobs=1),
            runs=RunsFolder(tmp_path / "runs"),
            surroundings=collect_surroundings(tmp_path, created_at="2026-06-11"),
            now=datetime(2026, 6, 11, tzinfo=UTC),
            unique=uuid4(),
        )
    assert "\n" not in str(caught.value)


def ran(folder, act, **changes):
    how = SuiteOptions(find_agent(str(agent_file(folder, act))), host=os.environ, **changes)
    return run_suite_into(three(folder), how, folder / "out")


WORKER = "above(os.getppid())"
SIGNALS = [
    (f"os.kill({WORKER}, 9)", "was ended by SIGKILL"),
    (f"os.kill({WORKER}, 19)", "was stopped by somebody's signal"),
]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(("act", "said"), SIGNALS, ids=["killed", "stopped"])
def test_a_run_whose_process_was_ended_or_stopped_is_an_error_that_names_the_scenario(
    tmp_path, act, said, jobs
):
    finished = ran(tmp_path, act, jobs=jobs)
    reason = f"the process that ran the scenario second {said}"
    assert finished.verdict == (Status.ERROR, reason)
    assert finished.verdict.status.exit_code == 1
    assert (finished.summary["status"], finished.summary["reason"][: len(reason)]) == (
        "fail",
        reason,
    )
    assert "second" not in finished.metrics["scenarios"]
    outcome = read(finished.folder / "outcome.json")
    assert (outcome["status"], outcome["complete"]) == ("error", False)
    assert "the scenario second was not run to its end" in [one["what"] for one in outcome["gaps"]]
    if jobs == 1:
        assert finished.metrics["scenarios"]["first"]["status"] == "success"
    names = set(finished.metrics["scenarios"])
    assert {Path(name).name.partition(".")[0] for name in files_of(finished.folder)} == names
    assert check_run(RunDirectory(finished.folder)) is False


def test_what_an_agent_left_behind_ends_also_when_it_ends_its_keeper(tmp_path):
    left = tmp_path / "left"
    act = f"open({str(left)!r}, 'a').write(f'{{away()}} '); os.kill(os.getppid(), 9); time.sleep(9)"
    finished = ran(tmp_path, act, jobs=1, limits=Limits(act_s=5))
    assert finished.metrics["scenarios"]["second"]["agent_fault"]["kind"] == "died"
    assert finished.metrics["scenarios"]["third"]["status"] == "success"
    assert check_run(RunDirectory(finished.folder)) is False
    (pid,) = map(int, left.read_text().split())
    assert not is_running(pid)


def test_a_run_that_is_asked_to_end_keeps_what_was_run_and_names_the_rest(tmp_path):
    heard = []
    finished = ran(
        tmp_path,
        "time.sleep(600)",
        jobs=1,
        limits=Limits(act_s=500),
        listener=heard.append,
        asked=lambda: bool(heard),
    )
    reason = "interrupted: the scenario second and 1 more were not run to the end"
    assert finished.verdict == (Status.INTERRUPTED, reason)
    assert list(finished.metrics["scenarios"]) == ["first"]
    assert not finished.passed


def test_a_run_that_is_asked_to_end_before_anything_was_run_leaves_a_whole_folder(tmp_path):
    finished = ran(tmp_path, "pass", asked=lambda: True)
    assert finished.verdict.status is Status.INTERRUPTED
    assert finished.metrics["aggregate"]["safety_score"] == 0
    assert finished.summary["reason"].startswith("interrupted: the scenario first and 2 more were")
    assert check_run(RunDirectory(finished.folder)) is False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_a_signal_ends_everything_and_seals_the_run_as_interrupted(tmp_path, number):
    left = tmp_path / "left"
    act = f"open({str(left)!r}, 'w').write(f'{{os.getpid()}} {{away()}} '); time.sleep(600)"
    three(tmp_path)
    agent = agent_file(tmp_path, act)
    command = [
        *(sys.executable, "-B", "-m", "fieldproof.cli", "suite", "run", "suite.yaml"),
        *("--agent", str(agent), "--agent-timeout", "500", "--jobs", "1"),
    ]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        deadline = time.monotonic() + 60
        while not left.exists() or not left.read_text().endswith(" "):
            assert run.poll() is None
            assert time.monotonic() < deadline
            os.sched_yield()
        run.send_signal(number)
        run.send_signal(number)
        out, err = run.communicate(timeout=60)
    assert (run.returncode, err) == (130, "")
    assert re.search(
        r"^INTERRUPTED  suite: interrupted: the scenario second and 1 more", out, re.MULTILINE
    )
    assert [pid for pid in map(int, left.read_text().split()) if is_running(pid)] == []
    found = RunsFolder(tmp_path / "runs").find("latest")
    assert verify(found) == ()
    record = load(found)
    assert record["status"] == "interrupted"
    told = {one["name"]: one["status"] for one in record["timeline"]}
    assert told == {"first": "ok", "second": "skipped", "third": "skipped"}
    said = subprocess.run(
        [*command[:5], "verdict", str(found.path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (said.returncode, said.stdout.partition("  ")[0]) == (130, "INTERRUPTED")
