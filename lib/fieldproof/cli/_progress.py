"""What a person sees while a run is live: a line for each thing that happens."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from fieldproof.cli._output import say

_SHOWN = ("action.", "assertion.", "run.", "recovery.")
_COLOURS = {"passed": "green", "ok": "green", "failed": "red", "timeout": "red", "error": "red"}


@dataclass(slots=True)
class Progress:
    """Prints the lines of engine.log that matter to a person, with the seconds since the start.

    Attributes:
        echo: writes one line.
        monotonic: a clock in seconds.
    """

    echo: Callable[[str], None] = lambda text: say(text, sys.stderr)
    monotonic: Callable[[], float] = time.monotonic
    _started: float | None = None

    def __call__(self, event: str, message: str, fields: dict[str, Any]) -> None:
        """Take one line of engine.log."""
        if self._started is None:
            self._started = self.monotonic()
        if event == "phase.start":
            self._line(f"{message} ...")
        elif event == "phase.end" and fields.get("status") == "failed":
            self._line(click.style(message, fg="red"))
        elif event.startswith(_SHOWN):
            self._line("  " + click.style(message, fg=_COLOURS.get(str(fields.get("status", "")))))

    def _line(self, text: str) -> None:
        assert self._started is not None
        self.echo(f"{self.monotonic() - self._started:6.1f} s  {text}")
