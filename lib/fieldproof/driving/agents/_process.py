import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fieldproof.driving.agents._answers import about_of, error_of, problem_of
from fieldproof.driving.agents._fault import AgentFault, AgentInterruptedError, Limits
from fieldproof.driving.agents._keeper import end_below
from fieldproof.driving.agents._reference import AgentReference

KEEPER, WORKER = (Path(__file__).with_name(name) for name in ("_keeper.py", "_worker.py"))
_KEPT = ("HOME", "PATH", "PYTHONPATH")
_CHUNK = 1 << 16
_LOG_BYTES = 1 << 16
_GONE_S = 5.0
_LOOK_S = 0.2


class AgentProcess:
    """An agent in a process of its own, which ends with this object, its parent or its limits.

    Whatever the agent starts ends with it: a process between it and this one adopts all of it.

    Attributes:
        log: the beginning of what it printed, at most 64 KiB.
        about: `file` and `version`, once it is loaded.
    """

    def __init__(
        self,
        agent: AgentReference,
        *,
        limits: Limits,
        folder: Path,
        host: Mapping[str, str],
        mark: Mapping[str, str],
        asked: Callable[[], bool] = lambda: False,
    ) -> None:
        """Start the process; the agent is loaded by `load`.

        Args:
            agent: which.
            limits: what it may take.
            folder: its working folder, which exists.
            host: this process's environment; only a short list of it is passed on.
            mark: variables by which a later start recognises what was left behind.
            asked: whether somebody asks for the end; asked a few times a second while an answer is
                waited for, which then raises `AgentInterruptedError`.
        """
        self._agent, self._limits, self._asked = agent, limits, asked
        self._left_s = limits.episode_s
        self._unsent = b""
        self.log = bytearray()
        self.about: dict[str, Any] = {}
        environment = {name: host[name] for name in _KEPT if name in host}
        environment |= {
            "LC_ALL": "C.UTF-8",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONUNBUFFERED": "1",
            "TMPDIR": str(folder),
            **mark,
        }
        life, held = os.pipe()
        self._life: int | None = held
        config = {
            "life": life,
            "command": [sys.executable, "-B", "-P", str(WORKER)],
            "environment": environment,
            "agent": {
                "memory_bytes": limits.memory_mb << 20,
                "cpu_s": max(1, round(limits.load_s + limits.episode_s)),
                "file_bytes": limits.file_mb << 20,
            },
        }
        try:
            self._popen = subprocess.Popen(
                [sys.executable, "-B", "-I", "-S", str(KEEPER), json.dumps(config)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env={},
                pass_fds=(life,),
                start_new_session=True,
            )
        except OSError:
            os.close(held)
            raise
        finally:
            os.close(life)
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        assert self._popen.stderr is not None
        self._in = self._popen.stdin.fileno()
        self._out = self._popen.stdout.fileno()
        self._err = self._popen.stderr.fileno()
        self._answer = bytearray()
        self._selector = selectors.DefaultSelector()
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._selector.register(self._out, selectors.EVENT_READ)
        self._selector.register(self._err, selectors.EVENT_READ)

    def load(self, *, needs: str | None = None) -> None:
        """Import and make the agent.

        Args:
            needs: a method that it must have, `act` or `predict`; either will do when None.

        Raises:
            AgentFault: It cannot be.
        """
        request = {**self._agent.to_request(), "needs": needs}
        try:
            about = about_of(self._ask(request, self._limits.load_s))
        except AgentFault as fault:
            if fault.kind != "raised":
                raise
            raise AgentFault("load", f"it cannot be loaded: {fault.text}", fault.trace) from None
        if about is None:
            raise AgentFault("nonsense", "load answered something else than file and version")
        self.about = about

    def reset(self, scenario: Mapping[str, Any]) -> None:
        """Tell the agent of the scenario that begins.

        Raises:
            AgentFault: It raised, hung or died.
        """
        self._call("reset", scenario, self._limits.reset_s)

    def act(self, observation: Mapping[str, Any]) -> Any:
        """Return what the agent answers to an observation, unchecked JSON data.

        Raises:
            AgentFault: It raised, hung or died.
        """
        return self._call("act", observation, self._limits.act_s)

    def predict(self, sample: Mapping[str, Any]) -> Any:
        """Return what the agent predicts for a sample of a dataset, unchecked JSON data.

        Raises:
            AgentFault: It raised, hung or died.
        """
        return self._call("predict", sample, self._limits.act_s)

    def close(self) -> None:
        """End the process and everything that it started. Doing so again does nothing."""
        if self._life is None:
            return
        end_below(self._popen.pid)
        os.close(self._life)
        self._life = None
        self._popen.send_signal(signal.SIGCONT)  # the agent may have stopped it
        self._drain()
        self._selector.close()
        for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            assert stream is not None
            with suppress(OSError):
                stream.close()
        try:
            self._popen.wait(_GONE_S)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _call(self, op: str, argument: Mapping[str, Any], limit_s: float) -> Any:
        started = time.monotonic()
        within = min(limit_s, self._left_s)
        try:
            return self._ask({"op": op, "argument": argument}, within)
        except AgentFault as fault:
            if fault.kind == "hung" and self._left_s <= limit_s:
                text = f"it took {self._limits.episode_s:g} s in all, which is as long as it may"
                raise AgentFault("hung", text) from None
            raise
        finally:
            self._left_s -= time.monotonic() - started

    def _ask(self, request: Mapping[str, Any], limit_s: float) -> Any:
        op = request["op"]
        line = self._exchange(json.dumps(request).encode() + b"\n", op, limit_s)
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict) or ("value" in answer) == ("fault" in answer):
            raise AgentFault("nonsense", f"{op} answered something that is no JSON")
        if "value" in answer:
            problem = problem_of(answer["value"])
            if problem:
                raise AgentFault("nonsense", f"{op} answered {problem}")
            return answer["value"]
        if answer["fault"] == "memory":
            limit = f"{self._limits.memory_mb} MB"
            raise AgentFault("memory", f"{op} needed more memory than the {limit} it may have")
        error, trace = error_of(answer)
        raise AgentFault("raised", f"{op} raised {error}", trace)

    def _exchange(self, data: bytes, op: str, limit_s: float) -> bytes:
        """Send a line and return the next one."""
        deadline = time.monotonic() + limit_s
        self._unsent = data
        self._send()
        while True:
            end = self._answer.find(b"\n")
            if end >= 0:
                line = bytes(self._answer[:end])
                del self._answer[: end + 1]
                return line
            if len(self._answer) > self._limits.answer_bytes:
                most = self._limits.answer_bytes
                raise AgentFault("nonsense", f"{op} answered more than {most} bytes")
            left = deadline - time.monotonic()
            if left <= 0:
                raise AgentFault("hung", f"{op} gave no answer within {limit_s:g} s")
            if self._asked():
                raise AgentInterruptedError
            self._move(min(left, _LOOK_S), op)

    def _move(self, within_s: float, op: str) -> None:
        """Wait until something can be sent or taken, and do so."""
        for key, _ in self._selector.select(within_s):
            if key.fd == self._in:
                self._send()
            elif not self._take(key.fd) and key.fd == self._out:
                raise self._death(op)

    def _send(self) -> None:
        """Write what fits of what is unsent; what nobody reads any more is dropped."""
        try:
            self._unsent = self._unsent[os.write(self._in, self._unsent) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._unsent = b""
        waiting = self._in in self._selector.get_map()
        if self._unsent and not waiting:
            self._selector.register(self._in, selectors.EVENT_WRITE)
        elif waiting and not self._unsent:
            self._selector.unregister(self._in)

    def _take(self, descriptor: int) -> bool:
        """Take what can be read; False at the end of the stream."""
        try:
            chunk = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return True
        if not chunk:
            if descriptor in self._selector.get_map():
                self._selector.unregister(descriptor)
            return False
        if descriptor == self._out:
            self._answer += chunk
        else:
            self.log += chunk[: _LOG_BYTES - len(self.log)]
        return True

    def _drain(self) -> None:
        """Take what it printed before it ended."""
        while self._err in self._selector.get_map():
            try:
                ready = self._selector.select(0)
            except OSError:
                return
            if not any(key.fd == self._err and self._take(key.fd) for key, _ in ready):
                return

    def _death(self, op: str) -> AgentFault:
        try:
            code = self._popen.wait(_GONE_S)
        except subprocess.TimeoutExpired:
            return AgentFault("died", f"it closed its answers during {op}")
        if code == -signal.SIGXCPU:
            return AgentFault("hung", f"it used up its processor time during {op}")
        if code < 0:
            name = signal.Signals(-code).name
            return AgentFault("died", f"it was ended by {name} during {op}")
        return AgentFault("died", f"it ended itself with exit code {code} during {op}")
