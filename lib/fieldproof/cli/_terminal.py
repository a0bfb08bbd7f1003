"""What standard output and standard error can show: colour, a cursor that moves, how many cells."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

_NO = {"0", "false", "no", "off"}
_USUAL = os.terminal_size((80, 24))


def colour_choice(environment: Mapping[str, str], *, given: bool | None = None) -> bool | None:
    """Return whether to use colour: yes, no, or None for wherever a terminal is.

    Args:
        environment: NO_COLOR says no when it holds anything, FORCE_COLOR says yes when it holds
            anything, but no when that is 0, false, no or off; TERM says no when it is dumb. The
            first that says anything counts.
        given: what the command line says, which counts before all of them.
    """
    if given is not None:
        return given
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return environment["FORCE_COLOR"].lower() not in _NO
    return False if environment.get("TERM") == "dumb" else None


@dataclass(frozen=True, slots=True)
class Terminal:
    """A stream that somebody may look at.

    Attributes:
        stream: where text goes.
        colour: whether text may be coloured.
        cursor: whether the cursor can be moved, so that lines can be drawn anew in place.
    """

    stream: TextIO
    colour: bool
    cursor: bool

    @classmethod
    def of(cls, stream: TextIO, environment: Mapping[str, str], *, choice: bool | None) -> Terminal:
        """Return what a stream can show.

        Args:
            stream: standard output or standard error.
            environment: a terminal whose TERM is missing or dumb is taken to move no cursor.
            choice: what `colour_choice` said.
        """
        is_terminal = stream.isatty()
        able = is_terminal and environment.get("TERM", "dumb") not in {"", "dumb"}
        return cls(stream, able if choice is None else choice, able)

    def size(self) -> os.terminal_size:
        """Return columns and lines as they are now."""
        try:
            size = os.get_terminal_size(self.stream.fileno())
        except (OSError, ValueError):
            return _USUAL
        return os.terminal_size((size.columns or _USUAL.columns, size.lines or _USUAL.lines))


def cells(text: str) -> int:
    """Return how many cells of a terminal a text without control characters takes."""
    if text.isascii():
        return len(text)
    return sum(_width(character) for character in text)


def cut(text: str, width: int) -> str:
    """Return a text that takes at most so many cells; one that is cut short ends in dots."""
    if cells(text) <= width:
        return text
    dots = "..."[: max(width, 0)]
    room = width - len(dots)
    kept = 0
    for place, character in enumerate(text):
        kept += _width(character)
        if kept > room:
            return text[:place] + dots
    return text


def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in {"Cf", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
