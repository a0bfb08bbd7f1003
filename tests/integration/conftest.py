import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.ros)


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def environment():
    names = ("lib", "sim", "bridge", "robots", "reports", "build/plugins")
    folders = [str(ROOT / name) for name in names]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}


@pytest.fixture
def fieldproof(tmp_path, environment):
    """Starts the command in the repository, its runs in a folder of the test's own."""
    started = []

    def start(*arguments, runs=tmp_path / "runs", **options):
        command = [sys.executable, "-B", "-m", "fieldproof.cli", *map(str, arguments)]
        if arguments[0] == "run":
            command += ["--runs", str(runs)]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.terminate()
            process.communicate(timeout=60)


@pytest.fixture
def run(fieldproof):
    """Runs the command to its end and returns (exit code, output, errors).

    What it printed is printed again, for a test that fails by the exit code alone.
    """

    def run(*arguments, **options):
        process = fieldproof(*arguments, **options)
        out, err = process.communicate(timeout=240)
        sys.stdout.write(f"{out}\n{err}\n")
        return process.returncode, out, err

    return run


@pytest.fixture
def variant(tmp_path):
    """Writes a scenario of the repository with some keys changed."""

    def variant(name="ugv_nav_to_goal", *, change):
        scenario = yaml.safe_load((ROOT / "scenarios" / f"{name}.yaml").read_text())
        change(scenario)
        path = tmp_path / f"{scenario['name']}.yaml"
        path.write_text(yaml.safe_dump(scenario, sort_keys=False))
        return path

    return variant


@pytest.fixture
def robots(tmp_path):
    """A copy of robots/ that a test may break."""

    def robots(change):
        folder = tmp_path / "robots"
        shutil.copytree(
            ROOT / "robots",
            folder,
            ignore=shutil.ignore_patterns("__pycache__"),
            dirs_exist_ok=True,
        )
        path = folder / "ugv_ref" / "robot.yaml"
        manifest = yaml.safe_load(path.read_text())
        change(manifest, folder)
        path.write_text(yaml.safe_dump(manifest, sort_keys=False))
        return folder

    return robots


@pytest.fixture
def only_run(tmp_path):
    """The one run directory of the test."""

    def only_run(folder=tmp_path / "runs"):
        found = [p for p in folder.iterdir() if p.is_dir() and not p.is_symlink() and "-" in p.name]
        found = [p for p in found if p.name != "by-digest"]
        assert len(found) == 1, found
        return found[0]

    return only_run


@pytest.fixture
def until():
    def until(condition, timeout_s=60.0):
        deadline = time.monotonic() + timeout_s
        while not (value := condition()):
            assert time.monotonic() < deadline, "the awaited did not come"
            time.sleep(0.02)
        return value

    return until


def processes_of(run_id):
    """Pids of the living processes that carry the run's mark."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                mark = f"FIELDPROOF_RUN={run_id}".encode()
                alive = (entry / "stat").read_text().rpartition(") ")[2][0] not in "ZX"
                if alive and mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found
