"""The process backend: each role of a run is a process group on this host."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

# How long each step of the way down may take before the next, harder one.
_GRACE_S = {signal.SIGINT: 3.0, signal.SIGTERM: 2.0}
_POLL_S = 0.01
_SIGNALLED = 128


class StartError(Exception):
    """A process could not be started; the text names its role and why."""


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """One process to start.

    Attributes:
        role: unique name within the run, such as `simulator` or `ugv1/planner_server`.
        argv: program and arguments.
        environment: the whole environment.
        log: file that receives standard output and error.
        cwd: working folder.
    """

    role: str
    argv: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    cwd: Path


@dataclass(slots=True)
class Process:
    """A started process and its group."""

    spec: ProcessSpec
    _popen: subprocess.Popen[bytes] = field(repr=False)
    expected_exit: bool = False
    paused: bool = False

    @property
    def role(self) -> str:
        """The role that it was started for."""
        return self.spec.role

    @property
    def pid(self) -> int:
        """Process id, which is the id of its group as well."""
        return self._popen.pid

    def exit_code(self) -> int | None:
        """The exit code as a shell would show it (128 + signal), None while it runs."""
        code = self._popen.poll()
        return None if code is None else code if code >= 0 else _SIGNALLED - code

    def log_tail(self, lines: int = 12) -> list[str]:
        """The last lines that it wrote."""
        try:
            text = self.spec.log.read_text(errors="replace")
        except FileNotFoundError:
            return []
        return text.splitlines()[-lines:]

    def signal(self, number: int) -> None:
        """Send a signal to the whole group; nothing happens when it is gone."""
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            return

    def pause(self) -> None:
        """Freeze the group: nothing of it runs until `resume`."""
        self.signal(signal.SIGSTOP)
        self.paused = True

    def resume(self) -> None:
        """Let a frozen group run on."""
        self.signal(signal.SIGCONT)
        self.paused = False

    def wait(self, timeout_s: float) -> bool:
        """Whether the process ended within the time."""
        try:
            self._popen.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        return True


class Backend(Protocol):
    """What the engine asks of the place where a run's processes live."""

    def start(self, spec: ProcessSpec) -> Process:
        """Start a process; raises StartError."""
        ...

    def stop(self, processes: Sequence[Process]) -> None:
        """End processes together, gently first, in bounded time."""
        ...

    def close(self) -> None:
        """End everything that still runs."""
        ...


class ProcessBackend:
    """Runs each role as a session of its own, so that its whole group can be signalled."""

    def __init__(self) -> None:
        self._started: list[Process] = []

    def start(self, spec: ProcessSpec) -> Process:
        """Start a process in a new session, its output in its log file.

        Raises:
            StartError: the program does not exist or may not be run.
        """
        spec.log.parent.mkdir(parents=True, exist_ok=True)
        try:
            with spec.log.open("wb") as log:
                popen = subprocess.Popen(
                    list(spec.argv),
                    env=dict(spec.environment),
                    cwd=spec.cwd,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
        except OSError as error:
            raise StartError(f"{spec.role} could not be started: {error}") from error
        process = Process(spec, popen)
        self._started.append(process)
        return process

    def stop(self, processes: Sequence[Process]) -> None:
        """End processes together: SIGINT, then SIGTERM, then SIGKILL to each whole group."""
        for process in processes:
            if process.paused:
                process.resume()
        for number, grace_s in _GRACE_S.items():
            running = [process for process in processes if process.exit_code() is None]
            for process in running:
                process.signal(number)
            if _all_ended(running, grace_s):
                break
        for process in processes:
            process.signal(signal.SIGKILL)  # what its leader left in the group, too
            process.wait(_GRACE_S[signal.SIGTERM])

    def close(self) -> None:
        """End everything that this backend started, last first."""
        self.stop(list(reversed(self._started)))
        self._started.clear()


def _all_ended(processes: Sequence[Process], timeout_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    while any(process.exit_code() is None for process in processes):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True
