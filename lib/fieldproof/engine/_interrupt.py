"""Turns SIGINT, SIGTERM and SIGHUP into a question that a run asks at safe points."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Any, Self


class Interrupt:
    """While entered, SIGINT, SIGTERM and SIGHUP are remembered; ending a run is bounded by itself.

    SIGHUP, of a terminal that was closed, stays without effect where it was ignored, as under
    nohup. It is not ignored any more, though: that would be inherited by all that is started, and a
    vehicle that is sent SIGHUP has to end of it.
    """

    def __init__(self) -> None:
        self._asked = False
        self._before: dict[signal.Signals, Any] = {}

    def __call__(self) -> bool:
        """Whether somebody asked the run to end."""
        return self._asked

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._asked = True

    def _pass_over(self, _number: int, _frame: FrameType | None) -> None:
        """Do nothing."""

    def __enter__(self) -> Self:
        """Take over the signals."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self._before[number] = signal.signal(number, self._on_signal)
        if self._before[signal.SIGHUP] is signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self._pass_over)
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
