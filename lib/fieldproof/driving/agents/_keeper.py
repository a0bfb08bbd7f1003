"""The process between an agent and whoever started it: all that the agent starts stays below it.

Started by its path, with nothing of Fieldproof around it. What leaves its parent, its group and its
session becomes a child of this process, which ends all of it with the agent, or with whoever holds
the other end of its pipe.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

_PR_SET_CHILD_SUBREAPER = 36
_LONGEST_S = 10.0
_LOOK_S = 0.001
_PROC = Path("/proc")


def main() -> None:
    """Start the agent, and end as it ends once nothing that it started is left."""
    config = json.loads(sys.argv[1])
    life: int = config["life"]
    adopt()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ended, wake = os.pipe()
    for descriptor in (ended, wake):
        os.set_blocking(descriptor, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with suppress(OSError):
            signal.signal(number, lambda *_: None)  # not ignored: the agent would inherit that
    os.set_inheritable(life, False)
    agent = _started(config)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)  # its own ends of the agent's pipes
    status: int | None = None
    while status is None:
        ready = select.select([life, ended], [], [])[0]
        if ended in ready:
            os.read(ended, 1 << 10)
        status = reaped().get(agent)
        if life in ready:
            break
    end_below(os.getpid())
    reaped()
    _end_as(0 if status is None else status)


def adopt() -> None:
    """Make this process the parent of all below it that lose theirs."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def reaped() -> dict[int, int]:
    """Take leave of every child of this process that has ended, and return how by its pid."""
    found = {}
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                break
            found[pid] = status
    return found


def end_below(root: int) -> bool:
    """Kill what a process started, what that started and so on, until nothing is left.

    What was left by its parent is found only if the process adopts such children.

    Returns:
        whether nothing is left; what starts anew faster than it is killed is given up after 10 s.
    """
    give_up = time.monotonic() + _LONGEST_S
    while found := _below(root):
        if time.monotonic() > give_up:
            return False
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_LOOK_S)
    return True


def _below(root: int) -> list[int]:
    """Return what runs below a process, itself not."""
    children: dict[int, list[int]] = {}
    running = set()
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            try:
                text = (entry / "stat").read_text(errors="replace")
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue
            # the second field is the program's name in parentheses and may hold anything
            fields = text[text.rindex(")") + 2 :].split()
            pid, threads = int(entry.name), int(fields[17])
            children.setdefault(int(fields[1]), []).append(pid)
            if fields[0] not in "ZX" or threads > 1:  # its first thread may end before the others
                running.add(pid)
    found, waiting = [], [root]
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            waiting.append(pid)
            if pid in running:
                found.append(pid)
    return found


def _started(config: dict[str, Any]) -> int:
    """Start the agent in a session of its own and return its pid."""
    command = [*config["command"], json.dumps({**config["agent"], "parent": os.getpid()})]
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        os.execve(command[0], command, config["environment"])  # noqa: S606 - no shell is wanted
    finally:
        os._exit(127)


def _end_as(status: int) -> None:
    """End with the exit code, or by the signal, that ended the agent."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number not in {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1)


if __name__ == "__main__":
    main()
