"""A program run to its end: bounded, its lines handed on as they come."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from fieldproof.backends._process import StartError

TIMED_OUT = 124
_SLICE_S = 0.05
_CHUNK = 65_536


def run_program(
    argv: Sequence[str],
    *,
    environment: Mapping[str, str],
    cwd: Path,
    timeout_s: float,
    ending: Callable[[], bool],
    on_line: Callable[[str], None],
) -> int:
    """Run a program in a session of its own and return its exit code as a shell shows it.

    Args:
        argv: program and arguments.
        environment: the whole environment.
        cwd: working folder.
        timeout_s: wall time after which its whole group is killed.
        ending: asked now and then; True kills it, too.
        on_line: takes each line of its output and errors, without the line's end.

    Returns:
        Its exit code, 128 + n after signal n, or 124 when it was killed from here.

    Raises:
        StartError: it does not exist or may not be run.
    """
    try:
        program = subprocess.Popen(
            list(argv),
            env=dict(environment),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise StartError(f"{argv[0]} could not be started: {error.strerror or error}") from error
    with program:
        in_time = _follow(program, time.monotonic() + timeout_s, ending, on_line)
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)  # what it left behind, or itself
        code = program.wait()
    if not in_time:
        return TIMED_OUT
    return code if code >= 0 else 128 - code


def _follow(
    program: subprocess.Popen[bytes],
    deadline: float,
    ending: Callable[[], bool],
    on_line: Callable[[str], None],
) -> bool:
    """Hand on the lines until the program ends; False when its time is up before."""
    assert program.stdout is not None
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(program.stdout, selectors.EVENT_READ)
        while True:
            if time.monotonic() >= deadline or ending():
                return False
            if not selector.select(_SLICE_S):
                if program.poll() is not None:
                    break  # a child of its own may hold the pipe open
                continue
            chunk = os.read(program.stdout.fileno(), _CHUNK)
            if not chunk:
                break
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                on_line(line.decode(errors="replace"))
    if rest:
        on_line(rest.decode(errors="replace"))
    try:
        program.wait(max(deadline - time.monotonic(), 0.0))
    except subprocess.TimeoutExpired:
        return False
    return True
