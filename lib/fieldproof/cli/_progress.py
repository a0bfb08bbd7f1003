"""What a person sees while a run is live."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self

import click

from fieldproof.cli._block import Block
from fieldproof.cli._status import Status
from fieldproof.cli._terminal import Terminal

_COLOURS = {"passed": "green", "ok": "green", "failed": "red", "timeout": "red", "error": "red"}
_WARNINGS = ("simulator.warning", "bridge.commands_refused", "recovery.", "engine.fault")
_QUIET = frozenset({"engine.scheduling", "action.output"})


class Progress:
    """Writes a line for each thing that happens, with the seconds since the start.

    Where the cursor can be moved, a block below the lines says what the run is at while its
    timeline lasts. A context manager: leaving it takes the block away.

    Args:
        terminal: where to write.
        monotonic: a clock in seconds.
    """

    def __init__(
        self, terminal: Terminal, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._terminal = terminal
        self._monotonic = monotonic
        self._started_s: float | None = None
        self._status = Status()
        self._block = Block(terminal)
        self._visible = False

    def __call__(self, event: str, message: str, fields: dict[str, Any]) -> None:
        """Take one line of engine.log, or the status of the timeline."""
        now_s = self._monotonic()
        if self._started_s is None:
            self._started_s = now_s
        if self._status.take(event, fields, now_s):
            if self._terminal.cursor:
                self._visible = True
                self._block.draw(self._lines())
            return
        if event == "phase.start":
            self._visible = False
        stamp = f"{now_s - self._started_s:6.1f} s  "
        self._print([stamp + line for line in self._said(event, message, fields)])

    def __enter__(self) -> Self:
        """The progress itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the terminal as if only lines had been written."""
        self._visible = False
        self._print([])

    def _print(self, above: list[str]) -> None:
        self._block.print(above, self._lines() if self._visible else [])

    def _lines(self) -> list[str]:
        size = self._terminal.size()
        return self._status.lines(size.columns, size.lines)

    def _said(self, event: str, message: str, fields: Mapping[str, Any]) -> Iterator[str]:
        """Return the lines that stand for an event; none for what is of no interest."""
        from fieldproof.model import printable

        text = [printable(line) for line in message.splitlines()] or [event]
        if event == "phase.start":
            yield f"{text[0]} ..."
            return
        if event in _QUIET or (event == "recorder.ready" and not fields.get("missing")):
            return
        if event == "phase.end":
            if fields.get("status") != "ok":
                yield self._styled(text[0], "red")
            return
        colour = _COLOURS.get(str(fields.get("status", "")))
        if event.startswith(_WARNINGS):
            colour = "yellow"
        for line in text:
            yield "  " + self._styled(line, colour)

    def _styled(self, text: str, colour: str | None) -> str:
        return click.style(text, fg=colour) if colour and self._terminal.colour else text
