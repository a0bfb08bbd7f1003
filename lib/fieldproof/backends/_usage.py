"""What the processes of a run take of the host: CPU and memory of each group of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

_NS = 1_000_000_000
_KIB_PER_MIB = 1024
_OWN_MEMORY = (b"RssAnon:", b"RssShmem:")


@dataclass(frozen=True, slots=True)
class ProcessGroup:
    """Processes that are measured as one, as a container would be.

    Attributes:
        container: the group's name, one of its own in the run.
        role: `vehicle`, `bridge`, `simulator` or `recorder`.
        vehicle: whose it is; None for what the vehicles share.
        leaders: the processes that it was started with. Their children belong to it, and whatever
            shares a session with one of them.
    """

    container: str
    role: str
    vehicle: str | None
    leaders: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """What a group took.

    Attributes:
        group: the group.
        cpu_pct: CPU time since the last sample, over the wall clock, in percent of one core.
        memory_mb: memory that is its own, in MiB: anonymous and shared pages that are resident.
            Pages of files (code, caches) are left out, as the system can drop them.
        pids: its processes and threads.
    """

    group: ProcessGroup
    cpu_pct: float
    memory_mb: float
    pids: int

    def to_data(self) -> dict[str, Any]:
        """The fields of a `resource` sample; processes have no limit that is enforced."""
        return {
            "kind": "resource",
            "container": self.group.container,
            "role": self.group.role,
            "vehicle": self.group.vehicle,
            "cpu_pct": self.cpu_pct,
            "memory_mb": self.memory_mb,
            "memory_limit_mb": None,
            "pids": self.pids,
        }


@dataclass(frozen=True, slots=True)
class ProcessStat:
    """One line of `/proc/PID/stat`, as far as it is needed; times are in clock ticks.

    Attributes:
        parent: the parent's pid.
        session: the pid that its session began with.
        own_ticks: CPU time of its threads.
        children_ticks: CPU time of its children that have ended and were waited for.
        threads: how many it has; 0 for one that has ended and was not waited for yet.
        started_ticks: when it began, which tells it from a later process of the same pid.
    """

    parent: int
    session: int
    own_ticks: int
    children_ticks: int
    threads: int
    started_ticks: int

    @classmethod
    def parse(cls, line: bytes) -> ProcessStat:
        """Parse the line; a program's name in it may hold anything, parentheses too."""
        fields = line[line.rindex(b")") + 2 :].split()
        user, system, children_user, children_system = map(int, fields[11:15])
        return cls(
            parent=int(fields[1]),
            session=int(fields[3]),
            own_ticks=user + system,
            children_ticks=children_user + children_system,
            threads=0 if fields[0] in {b"Z", b"X"} else int(fields[17]),
            started_ticks=int(fields[19]),
        )


def own_memory_kib(status: bytes) -> int:
    """Resident memory of its own in the text of `/proc/PID/status`; 0 for one that has ended."""
    return sum(int(line.split()[1]) for line in status.splitlines() if line.startswith(_OWN_MEMORY))


def members(table: Mapping[int, ProcessStat], leaders: Iterable[int]) -> list[int]:
    """The processes that belong to leaders: sessions of theirs, and all descendants of those."""
    heads = set(leaders)
    found: dict[int, bool] = {}

    def belongs(pid: int) -> bool:
        chain = []
        while pid in table and pid not in found:
            chain.append(pid)
            found[pid] = pid in heads or table[pid].session in heads
            if found[pid]:
                break
            pid = table[pid].parent
        answer = found.get(pid, False)
        for each in chain:
            found[each] = answer
        return answer

    return sorted(pid for pid in table if belongs(pid))


class Processes(Protocol):
    """The host's processes."""

    def table(self) -> dict[int, ProcessStat]:
        """Every process that is there now."""
        ...

    def own_memory_kib(self, pid: int) -> int:
        """Resident memory of one's own in KiB; 0 when it is gone."""
        ...

    def cpu_ns(self, pid: int, stat: ProcessStat) -> int:
        """CPU time of a process and of its children that ended."""
        ...


class HostProcesses:
    """Reads them from the kernel."""

    def __init__(self, root: Path = Path("/proc")) -> None:
        self._root = root
        self._tick_ns = _NS // os.sysconf("SC_CLK_TCK")

    def table(self) -> dict[int, ProcessStat]:
        """Every process that is there now."""
        table = {}
        for entry in self._root.iterdir():
            if entry.name.isdigit():
                try:
                    line = (entry / "stat").read_bytes()
                except (FileNotFoundError, ProcessLookupError, PermissionError):
                    continue
                table[int(entry.name)] = ProcessStat.parse(line)
        return table

    def own_memory_kib(self, pid: int) -> int:
        """Resident memory of one's own in KiB; 0 when it is gone."""
        try:
            return own_memory_kib((self._root / str(pid) / "status").read_bytes())
        except (FileNotFoundError, ProcessLookupError):
            return 0

    def cpu_ns(self, pid: int, stat: ProcessStat) -> int:
        """CPU time of a process and of its children that ended; its own to the nanosecond."""
        try:
            # the clock of another process's CPU time: as clock_getcpuclockid(3) makes it
            own_ns = time.clock_gettime_ns(~pid << 3 | 2)
        except OSError:
            own_ns = stat.own_ticks * self._tick_ns  # it is gone; this is what was read of it
        return own_ns + stat.children_ticks * self._tick_ns


class UsageMonitor:
    """Measures groups of processes from one sample to the next.

    Args:
        groups: the groups; their leaders must be running.
        processes: where they are read.
        monotonic_ns: a clock.
    """

    def __init__(
        self,
        groups: Sequence[ProcessGroup],
        *,
        processes: Processes | None = None,
        monotonic_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._groups = groups
        self._processes = HostProcesses() if processes is None else processes
        self._monotonic_ns = monotonic_ns
        table = self._processes.table()
        self._began = {
            pid: table[pid].started_ticks
            for group in groups
            for pid in group.leaders
            if pid in table
        }
        self._last_ns = monotonic_ns()
        self._cpu_ns = [self._cpu_of(table, self._members(table, group)) for group in groups]

    def sample(self) -> list[Usage]:
        """What each group took since the last call, or since the monitor was made.

        A group of which nothing runs any more is left out.
        """
        table = self._processes.table()
        now_ns = self._monotonic_ns()
        passed_ns = max(now_ns - self._last_ns, 1)
        self._last_ns = now_ns
        usages = []
        for index, group in enumerate(self._groups):
            pids = self._members(table, group)
            cpu_ns = self._cpu_of(table, pids)
            # where a process ended that nobody waited for, its time is gone from the sum
            spent_ns = max(cpu_ns - self._cpu_ns[index], 0)
            self._cpu_ns[index] = cpu_ns
            if threads := sum(table[pid].threads for pid in pids):
                memory_kib = sum(map(self._processes.own_memory_kib, pids))
                cpu_pct = 100.0 * spent_ns / passed_ns
                usages.append(Usage(group, cpu_pct, memory_kib / _KIB_PER_MIB, threads))
        return usages

    def _members(self, table: Mapping[int, ProcessStat], group: ProcessGroup) -> list[int]:
        # a leader's pid that was given anew is no leader's any more
        leaders = [
            pid
            for pid in group.leaders
            if pid not in table or table[pid].started_ticks == self._began.get(pid)
        ]
        return members(table, leaders)

    def _cpu_of(self, table: Mapping[int, ProcessStat], pids: Iterable[int]) -> int:
        return sum(self._processes.cpu_ns(pid, table[pid]) for pid in pids)
