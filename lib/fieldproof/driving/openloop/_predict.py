"""The agent's predictions, one sample after another."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fieldproof.driving.agents import (
    AgentFault,
    AgentInterruptedError,
    AgentProcess,
    AgentReference,
    Limits,
)
from fieldproof.driving.openloop._dataset import Sample

_GOES_ON = frozenset({"raised", "nonsense", "memory"})
"""Faults after which the agent's process can be asked for the next sample."""

Answer = tuple[Sample, dict[str, Any] | None, str | None]
"""A sample, its prediction or None, and why there is none."""


class Predictor:
    """Asks an agent for predictions; one that hung or died is started anew for the next sample.

    Attributes:
        seconds: wall clock of all predictions that came.
        count: how many came.
        version: the agent's, once it was loaded.
        interrupted: whether somebody asked for the end before all were asked for.
    """

    def __init__(
        self,
        agent: AgentReference,
        limits: Limits,
        *,
        folder: Path,
        host: Mapping[str, str],
        mark: Mapping[str, str],
        asked: Callable[[], bool],
    ) -> None:
        """Take what `AgentProcess` takes."""
        self._start: Callable[[], AgentProcess] = lambda: AgentProcess(
            agent, limits=limits, folder=folder, host=host, mark=mark, asked=asked
        )
        self._process: AgentProcess | None = None
        self._broken: str | None = None
        self.seconds = 0.0
        self.count = 0
        self.version: str | None = None
        self.interrupted = False

    def answers(self, samples: Iterable[Sample]) -> Iterator[Answer]:
        """Yield each sample with its prediction, or why there is none."""
        try:
            for sample in samples:
                prediction, fault = self._ask(sample)
                yield sample, prediction, fault
        finally:
            self._end()

    def _ask(self, sample: Sample) -> tuple[dict[str, Any] | None, str | None]:
        if self._broken is not None:
            return None, self._broken
        try:
            process = self._running()
            started = time.monotonic()
            answer = process.predict(sample.input)
            took = time.monotonic() - started
        except AgentInterruptedError:
            self._end()
            self.interrupted, self._broken = True, "the run was interrupted"
            return None, self._broken
        except AgentFault as fault:
            if fault.kind not in _GOES_ON:
                self._end()
            if fault.kind == "load":
                self._broken = fault.text
            return None, fault.text
        if not isinstance(answer, dict):
            return None, f"predict answered {type(answer).__name__}, not a mapping"
        self.seconds += took
        self.count += 1
        return _without_nonfinite(answer)

    def _running(self) -> AgentProcess:
        if self._process is None:
            self._process = self._start()
            self._process.load()
            self.version = self._process.about.get("version")
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None


def _without_nonfinite(answer: dict[str, Any]) -> tuple[dict[str, Any] | None, str | None]:
    """Return the answer, or why it is none: JSON has neither NaN nor infinities."""
    where = _nonfinite(answer)
    return (answer, None) if where is None else (None, f"predict answered {where}")


def _nonfinite(value: Any, path: str = "") -> str | None:
    if isinstance(value, float) and not abs(value) < float("inf"):
        return f"{value} for {path.removeprefix('.')}"
    items: Iterable[tuple[str, Any]] = ()
    if isinstance(value, dict):
        items = ((f".{key}", one) for key, one in value.items())
    elif isinstance(value, list):
        items = ((f"[{place}]", one) for place, one in enumerate(value))
    for key, one in items:
        found = _nonfinite(one, path + key)
        if found is not None:
            return found
    return None
