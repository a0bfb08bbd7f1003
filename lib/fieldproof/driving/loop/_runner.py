import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing import Pipe
from pathlib import Path

from fieldproof.driving.agents import end_below
from fieldproof.driving.loop._scenario import ScenarioResult, Task
from fieldproof.driving.loop._server import Refused

_START = (
    "import json, sys; path, descriptor, parent = json.loads(sys.argv[1]); sys.path[:] = path; "
    "from fieldproof.driving.loop._server import serve; serve(descriptor, parent)"
)
_STOPPED_S = 2.0
_SIMULATION_S = 300.0
_STEP_S = 1.0
_GONE_S = 10.0


class BrokenRunnerError(Exception):
    """The process that ran a scenario ended, or does not answer; nothing can be said of it."""


class Runner:
    """A process that runs scenarios, so that an agent's parents are never the engine itself.

    Attributes:
        pipe: readable when there is a result, or when the process ended.
        place: the place of the scenario that it runs, None while it is idle.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Start the process.

        Raises:
            OSError: It cannot be started.
        """
        self.place: int | None = None
        self._deadline = 0.0
        self._stopped_at: float | None = None
        self.pipe, theirs = Pipe()
        config = json.dumps([sys.path, theirs.fileno(), os.getpid()])
        with theirs:
            self._popen = subprocess.Popen(
                [sys.executable, *(["-B"] * sys.dont_write_bytecode), "-c", _START, config],
                stdin=subprocess.DEVNULL,
                env=dict(environment),
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )

    def start(self, place: int, task: Task) -> None:
        """Let it run a scenario.

        Raises:
            BrokenRunnerError: It has ended.
        """
        self.place = place
        limits, file = task.limits, task.scenario.file
        longest_s = limits.load_s + limits.reset_s + limits.episode_s + _SIMULATION_S
        longest_s += _STEP_S * file.duration_seconds / file.timestep_seconds
        self._deadline = time.monotonic() + longest_s
        try:
            self.pipe.send(task)
        except OSError:
            raise BrokenRunnerError(self._death()) from None

    def result(self) -> ScenarioResult | Refused:
        """Return what came of the scenario, once the pipe is readable.

        Raises:
            BrokenRunnerError: It ended instead.
        """
        try:
            found: ScenarioResult | Refused = self.pipe.recv()
        except (EOFError, OSError):
            raise BrokenRunnerError(self._death()) from None
        self.place = None
        return found

    def check(self) -> None:
        """Look whether it can still answer.

        Raises:
            BrokenRunnerError: Somebody stopped it, or it took longer than it can take.
        """
        now = time.monotonic()
        if not self._is_stopped():
            self._stopped_at = None
        elif self._stopped_at is None:
            self._stopped_at = now
        elif now - self._stopped_at >= _STOPPED_S:
            raise BrokenRunnerError("was stopped by somebody's signal")
        if self.place is not None and now > self._deadline:
            raise BrokenRunnerError("did not answer for longer than it can take")

    def close(self) -> None:
        """End an idle process."""
        self.pipe.close()
        try:
            self._popen.wait(_GONE_S)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End the process and everything below it, whatever it is about."""
        with suppress(ProcessLookupError):
            self._popen.send_signal(signal.SIGSTOP)  # so that it starts nothing and writes nothing
        end_below(self._popen.pid)
        with suppress(ProcessLookupError):
            self._popen.kill()
        self._popen.wait()
        self.pipe.close()

    def _is_stopped(self) -> bool:
        try:
            text = Path(f"/proc/{self._popen.pid}/stat").read_text(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            return False
        return text[text.rindex(")") + 2] in "Tt"

    def _death(self) -> str:
        try:
            code = self._popen.wait(_GONE_S)
        except subprocess.TimeoutExpired:
            return "closed its pipe"
        if code < 0:
            return f"was ended by {signal.Signals(-code).name}"
        return f"ended with exit code {code}"
