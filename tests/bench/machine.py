"""The machine that figures hold for, and what else it did while they were taken."""

from __future__ import annotations

import os
import platform
import re
import resource
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_STAT = Path("/proc/stat")
_BUSY = (0, 1, 2, 5, 6, 7)  # user, nice, system, irq, softirq, steal: proc(5); guests are in user


def facts() -> dict[str, Any]:
    """Cores that this process may use, processor, memory in GB, and versions."""
    processor = re.search(r"^model name\s*:\s*(.*)$", _text("/proc/cpuinfo"), re.MULTILINE)
    return {
        "cores": len(os.sched_getaffinity(0)),
        "processor": processor[1].strip() if processor else "",
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "system": f"Linux {platform.release()}",
        "python": platform.python_version(),
        "nix": _nix_version(),
    }


def _nix_version() -> str:
    if shutil.which("nix") is None:
        return ""
    done = subprocess.run(["nix", "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def busy_ticks(stat: str) -> int:
    """Clock ticks that all cores together were busy since the start, by /proc/stat."""
    counts = [int(word) for word in stat.split("\n", 1)[0].split()[1:]]
    return sum(counts[index] for index in _BUSY)


@dataclass(slots=True)
class Watch:
    """Measures a block: its wall clock, its processor time, and what others used meanwhile.

    Processor time is that of this process and of its children that have ended, with theirs.

    Attributes:
        wall_s: seconds that the block took.
        cpu_s: processor seconds that it used.
        others: cores that were busy with something else, on average; the virtual machine's
            host counts, where it tells. Never negative.
    """

    wall_s: float = 0.0
    cpu_s: float = 0.0
    others: float = 0.0
    _before: tuple[float, float, int] = field(default=(0.0, 0.0, 0))

    def __enter__(self) -> Self:
        """Start."""
        self._before = _now()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop."""
        wall_s, cpu_s, busy = (
            after - before for after, before in zip(_now(), self._before, strict=True)
        )
        self.wall_s, self.cpu_s = wall_s, cpu_s
        busy_s = busy / os.sysconf("SC_CLK_TCK")
        self.others = max(0.0, busy_s - cpu_s) / wall_s if wall_s else 0.0


def _now() -> tuple[float, float, int]:
    cpu_s = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        cpu_s += usage.ru_utime + usage.ru_stime
    return time.perf_counter(), cpu_s, busy_ticks(_STAT.read_text(encoding="ascii"))
