"""What a run takes from the world around it, and what it gives back."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fieldproof.engine._stream import Sink

STATUS_EVENT = "run.status"
"""What the listener is told now and then while the timeline runs; it is in no log."""


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a run takes from the world around it, and whom it tells.

    Attributes:
        run_id: marks the run's processes and addresses.
        host: the engine's environment variables.
        interrupted: whether somebody asked the run to end.
        sinks: take every sample as it is written.
        wall_ns: the wall clock.
        measure: whether what the processes take is measured though no assertion asks for it.
        listener: told of every line of engine.log, and of `STATUS_EVENT` while the timeline runs.
        room: frees disk space that was set aside for what must be written at the end.
    """

    run_id: str
    host: Mapping[str, str]
    interrupted: Callable[[], bool] = _never
    sinks: Sequence[Sink] = ()
    wall_ns: Callable[[], int] = time.time_ns
    measure: bool = False
    listener: Callable[[str, str, dict[str, Any]], None] = lambda *_: None
    room: Callable[[], None] = lambda: None


@dataclass(slots=True)
class Execution:
    """What became of a run.

    Attributes:
        outcome: the content of outcome.json.
        durations: seconds of wall clock of each phase.
        started: wall-clock start of each occurrence by its label, seconds of the epoch.
    """

    outcome: dict[str, Any]
    durations: dict[str, float]
    started: dict[str, float] = field(default_factory=dict)
