"""Finds and ends what a killed engine left running.

Every process of a run carries its engine's identity in its environment, and so does everything that
it starts in turn. An engine that is gone cannot clean up, so the next start does: no registry, no
pid file that could itself be left over.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ENGINE = "FIELDPROOF_ENGINE"
_RUN = "FIELDPROOF_RUN"
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Orphan:
    """A process whose engine is gone."""

    pid: int
    started_ticks: int
    run_id: str
    command: str


def engine_mark(run_id: str, *, pid: int | None = None) -> dict[str, str]:
    """The variables that mark a process as belonging to this engine (this process) and run."""
    pid = os.getpid() if pid is None else pid
    return {_ENGINE: f"{pid}:{_started_ticks(pid)}", _RUN: run_id}


def orphans() -> list[Orphan]:
    """Processes of runs whose engine no longer exists, lowest pid first.

    Processes of other users are not looked into: the kernel does not let us, and they are not ours.
    Neither are those of another pid namespace, such as a build sandbox: their engine is alive under
    a number that means nothing here, and they end with their namespace.
    """
    return sorted(_orphans(), key=lambda orphan: orphan.pid)


def sweep() -> list[Orphan]:
    """Kill every orphan and return them; a process that ended meanwhile is passed over."""
    found = orphans()
    for orphan in found:
        if _started_ticks(orphan.pid) == orphan.started_ticks:  # the pid may have been given anew
            try:
                os.kill(orphan.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
    return found


def end_run(run_id: str) -> list[int]:
    """Kill what still carries a run's mark, such as a child that left its process group.

    Returns:
        the pids.
    """
    ours = (_PROC / "self" / "ns" / "pid").readlink()
    ended: list[int] = []
    for entry in _PROC.iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            environment = _variables((entry / "environ").read_bytes())
            if environment.get(_RUN) == run_id and (entry / "ns" / "pid").readlink() == ours:
                os.kill(int(entry.name), signal.SIGKILL)
                ended.append(int(entry.name))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return ended


def _orphans() -> Iterator[Orphan]:
    ours = (_PROC / "self" / "ns" / "pid").readlink()
    for entry in _PROC.iterdir():
        if not entry.name.isdigit():
            continue
        try:
            environment = _variables((entry / "environ").read_bytes())
            if _ENGINE not in environment or (entry / "ns" / "pid").readlink() != ours:
                continue
            if _alive(environment[_ENGINE]):
                continue
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        started = _started_ticks(int(entry.name))
        if started is not None:
            yield Orphan(int(entry.name), started, environment.get(_RUN, "?"), command.strip())


def _variables(block: bytes) -> dict[str, str]:
    pairs = (item.partition(b"=") for item in block.split(b"\0") if item)
    return {
        name.decode(errors="replace"): value.decode(errors="replace") for name, _, value in pairs
    }


def _alive(engine: str) -> bool:
    pid, _, started = engine.partition(":")
    return pid.isdigit() and str(_started_ticks(int(pid))) == started


def _started_ticks(pid: int) -> int | None:
    """Start time of a process in clock ticks since boot; None when there is no such process."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # the second field is the program's name in parentheses and may hold anything
    fields = stat[stat.rindex(")") + 2 :].split()
    return None if fields[0] in "ZX" else int(fields[19])
