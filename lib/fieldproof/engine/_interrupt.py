"""Turns SIGINT and SIGTERM into a question that a run asks at safe points."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Any, Self


class Interrupt:
    """While entered, SIGINT and SIGTERM are remembered; ending a run is bounded by itself."""

    def __init__(self) -> None:
        self._asked = False
        self._before: dict[signal.Signals, Any] = {}

    def __call__(self) -> bool:
        """Whether somebody asked the run to end."""
        return self._asked

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._asked = True

    def __enter__(self) -> Self:
        """Take over the signals."""
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
