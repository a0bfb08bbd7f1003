import os
import signal
import sys
import time
from pathlib import Path

import pytest

from fieldproof.backends import ProcessBackend, ProcessSpec, StartError

IGNORES_EVERYTHING = """
import signal, subprocess, sys, time
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture
def backend():
    backend = ProcessBackend()
    yield backend
    backend.close()


def spec(tmp_path, *argv, role="one"):
    return ProcessSpec(role, argv, dict(os.environ), tmp_path / f"{role}.log", tmp_path)


def until(condition, timeout_s=20.0):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "the awaited did not come"
        time.sleep(0.01)


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except FileNotFoundError:
        return False


def test_output_and_exit_code_are_kept(backend, tmp_path):
    process = backend.start(spec(tmp_path, "/bin/sh", "-c", "echo out; echo err >&2; exit 3"))
    assert process.wait(10)
    assert process.exit_code() == 3
    assert process.log_tail() == ["out", "err"]


def test_a_signalled_process_shows_the_code_that_a_shell_shows(backend, tmp_path):
    process = backend.start(spec(tmp_path, "/bin/sh", "-c", "kill -9 $$"))
    assert process.wait(10)
    assert process.exit_code() == 128 + signal.SIGKILL


def test_a_program_that_does_not_exist_is_named(backend, tmp_path):
    with pytest.raises(StartError, match=r"one could not be started.*no/such"):
        backend.start(spec(tmp_path, "/no/such/program"))


def test_a_group_that_ignores_every_signal_is_killed_whole(backend, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "fieldproof.backends._process._GRACE_S", {signal.SIGINT: 0.05, signal.SIGTERM: 0.05}
    )
    process = backend.start(spec(tmp_path, sys.executable, "-c", IGNORES_EVERYTHING))
    until(process.log_tail)
    child = int(process.log_tail()[0])
    assert alive(child)
    backend.stop([process])
    until(lambda: not alive(child))
    assert process.exit_code() == 128 + signal.SIGKILL


def test_a_paused_group_stands_still_and_can_be_stopped(backend, tmp_path):
    process = backend.start(spec(tmp_path, "/bin/sh", "-c", "while :; do :; done"))
    process.pause()
    state = Path(f"/proc/{process.pid}/stat")
    until(lambda: state.read_text().split()[2] == "T")
    backend.stop([process])
    assert process.exit_code() is not None
