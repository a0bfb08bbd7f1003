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
    ended: list[int] = []
    for pid, environment in _marked():
        if environment.get(_RUN) == run_id and pid != os.getpid():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            ended.append(pid)
    return ended


def _orphans() -> Iterator[Orphan]:
    for pid, environment in _marked():
        if _alive(environment[_ENGINE]):
            continue
        try:
            command = (_PROC / str(pid) / "cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
        started = _started_ticks(pid)
        if started is not None:
            words = command.replace(b"\0", b" ").decode(errors="replace").strip()
            yield Orphan(pid, started, environment.get(_RUN, "?"), words)


def _marked() -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the processes of this pid namespace that carry an engine's mark, with what they carry.

    Processes that may not be looked into, or that end meanwhile, are passed over.
    """
    ours = (_PROC / "self" / "ns" / "pid").readlink()
    for entry in _PROC.iterdir():
        if not entry.name.isdigit():
            continue
        try:
            environment = _variables((entry / "environ").read_bytes())
            if _ENGINE in environment and (entry / "ns" / "pid").readlink() == ours:
                yield int(entry.name), environment
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue


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
