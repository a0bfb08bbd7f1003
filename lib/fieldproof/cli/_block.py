"""Lines that are drawn anew in place, below lines that stay."""

from __future__ import annotations

from collections.abc import Sequence

from fieldproof.cli._output import send_nowhere
from fieldproof.cli._terminal import Terminal, cells

_REST_OF_LINE, _REST_OF_SCREEN = "\x1b[K", "\x1b[J"


class Block:
    """The last lines on a terminal whose cursor can be moved; nothing else may write meanwhile.

    The cursor rests below the block and is never hidden, so that there is nothing to put back when
    the process is killed. Each change is one write.
    """

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._drawn: list[int] = []

    def draw(self, lines: Sequence[str]) -> None:
        """Put these lines in place of those of the block; each must fit the terminal's width."""
        text = "".join(f"{line}{_REST_OF_LINE}\n" for line in lines)
        self._write(self._back() + text + (_REST_OF_SCREEN if self._drawn else ""))
        self._drawn = [cells(line) for line in lines]

    def print(self, above: Sequence[str], lines: Sequence[str]) -> None:
        """Write lines that stay, of any length and colour, and draw the block below them."""
        kept = "".join(f"{line}\n" for line in (*above, *lines))
        self._write(self._back() + (_REST_OF_SCREEN if self._drawn else "") + kept)
        self._drawn = [cells(line) for line in lines]

    def _back(self) -> str:
        """Return what brings the cursor to the block's beginning.

        A terminal that became narrower has broken the block's lines into several.
        """
        columns = self._terminal.size().columns
        rows = sum(max(1, -(-width // columns)) for width in self._drawn)
        return f"\r\x1b[{rows}A" if rows else ""

    def _write(self, text: str) -> None:
        if not text:
            return
        stream = self._terminal.stream
        try:
            stream.write(text)
            stream.flush()
        except OSError:  # the terminal is gone; the run goes on
            send_nowhere(stream)
