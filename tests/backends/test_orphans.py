import os
import subprocess
import sys
import time

import pytest

from fieldproof.backends import engine_mark, orphans, sweep

ENGINE = """
import os, subprocess, sys
from fieldproof.backends import engine_mark
environment = {**os.environ, **engine_mark("run-%s" % sys.argv[1])}
child = subprocess.Popen(["/bin/sh", "-c", "sleep 600 & wait"], env=environment,
                         start_new_session=True)
print(child.pid, flush=True)
sys.stdin.read()
"""


def start_engine(name):
    engine = subprocess.Popen(
        [sys.executable, "-c", ENGINE, name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return engine, int(engine.stdout.readline())


def of(run_id):
    return [orphan for orphan in orphans() if orphan.run_id == run_id]


def until(condition, timeout_s=20.0):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "the awaited did not come"
        time.sleep(0.01)


def test_what_a_killed_engine_left_is_found_and_ended_with_its_children():
    name = f"killed-{os.getpid()}"
    engine, child = start_engine(name)
    try:
        assert of(f"run-{name}") == []
    finally:
        engine.kill()
        engine.wait()
    until(lambda: len(of(f"run-{name}")) == 2)  # the shell and what it started
    assert child in [orphan.pid for orphan in of(f"run-{name}")]
    sweep()
    until(lambda: of(f"run-{name}") == [])


def test_the_processes_of_a_living_engine_are_left_alone():
    name = f"living-{os.getpid()}"
    engine, child = start_engine(name)
    try:
        sweep()
        os.kill(child, 0)
    finally:
        os.killpg(child, 9)
        engine.communicate()


def test_the_mark_of_this_process_is_stable():
    assert engine_mark("a") == engine_mark("a")


def test_an_engine_in_another_pid_namespace_is_not_taken_for_dead():
    unshare = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no pid namespaces here: not proved that a sandbox's run is left alone")
    name = f"sandboxed-{os.getpid()}"
    engine = subprocess.Popen(
        [*unshare, sys.executable, "-c", ENGINE, name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        assert int(engine.stdout.readline()) > 0
        assert of(f"run-{name}") == []
    finally:
        engine.communicate()
