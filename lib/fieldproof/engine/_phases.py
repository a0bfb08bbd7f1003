"""The phases of a run, in order, with what became of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fieldproof.engine._errors import InterruptedRunError
from fieldproof.engine._log import EngineLog

PHASES = (
    "resolve",
    "start simulator",
    "start bridges",
    "start recorder",
    "start vehicles",
    "readiness gates",
    "timeline",
    "settle",
    "teardown",
)


@dataclass(slots=True)
class Phase:
    """One phase as it went.

    Attributes:
        name: one of `PHASES`.
        status: running, ok, failed or interrupted.
        started_ns: on the monotonic clock.
        ended_ns: the same, 0 while it runs.
    """

    name: str
    status: str
    started_ns: int
    ended_ns: int = 0


class Phases:
    """Keeps the account of a run's phases."""

    def __init__(self, log: EngineLog, monotonic_ns: Callable[[], int]) -> None:
        self._log = log
        self._monotonic_ns = monotonic_ns
        self.all: list[Phase] = []

    @property
    def current(self) -> str:
        """The phase that runs, or ran last."""
        return self.all[-1].name if self.all else PHASES[0]

    @contextmanager
    def enter(self, name: str) -> Iterator[None]:
        """Run a phase; whatever leaves it by an exception has failed."""
        phase = Phase(name, "running", self._monotonic_ns())
        self.all.append(phase)
        self._log.write("phase.start", name, phase=name)
        try:
            yield
        except InterruptedRunError:
            phase.status = "interrupted"
            raise
        except BaseException:
            phase.status = "failed"
            raise
        else:
            phase.status = "ok"
        finally:
            phase.ended_ns = self._monotonic_ns()
            self._log.write("phase.end", f"{name}: {phase.status}", phase=name, status=phase.status)

    def outcome(self) -> list[dict[str, str]]:
        """Names and statuses, without times: part of the evidence."""
        return [{"name": phase.name, "status": phase.status} for phase in self.all]

    def durations(self) -> dict[str, float]:
        """Seconds of wall clock that each phase took: part of the envelope."""
        return {phase.name: (phase.ended_ns - phase.started_ns) / 1e9 for phase in self.all}
