"""What a run's processes take, once a second of its timeline, beside the samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fieldproof.backends import ProcessGroup, UsageMonitor
from fieldproof.engine._session import Session

_NS = 1_000_000_000


class ResourceWatch:
    """Measures every group of a run's processes, as the timeline's clock goes.

    Figures follow the host and never repeat; they are kept apart from the evidence that does.

    Args:
        session: the run's processes, all of them running.
        emit: takes each measurement as a sample without times.
    """

    def __init__(self, session: Session, emit: Callable[[dict[str, Any]], None]) -> None:
        self._monitor = UsageMonitor(_groups(session))
        self._emit = emit
        self._due_ns = _NS

    def advance(self, t_ns: int) -> None:
        """Measure if a second of the timeline has passed since the last time."""
        if t_ns < self._due_ns:
            return
        self._due_ns = t_ns // _NS * _NS + _NS
        for usage in self._monitor.sample():
            self._emit(usage.to_data())


def _groups(session: Session) -> list[ProcessGroup]:
    groups = []
    for vehicle in session.vehicles:
        name = vehicle["name"]
        stack = tuple(process.pid for process in session.stack(name))
        groups.append(ProcessGroup(name, "vehicle", name, stack))
        groups.append(
            ProcessGroup(f"{name}-bridge", "bridge", name, session.pids(f"bridge/{name}"))
        )
    groups.append(ProcessGroup("simulator", "simulator", None, session.pids("simulator")))
    groups.append(ProcessGroup("recorder", "recorder", None, session.pids("observer")))
    return groups
