"""The status block below the log lines of a live run: what it says, as lines of text."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fieldproof.cli._terminal import cut

_MOST_ROWS = 8
_NARROWEST = 24
_LOWEST = 6
_RTF_WINDOW_S = 2.0


@dataclass(slots=True)
class Status:
    """What a live run is at, from its `run.status` and `assertion.*` events.

    Attributes:
        running: label, action and seconds so far of each occurrence that runs.
        waiting: label of each entry that waits, and what it waits for.
        assertions: how many have passed, failed, were skipped and are pending.
    """

    running: list[tuple[str, str, float]] = field(default_factory=list)
    waiting: list[tuple[str, str]] = field(default_factory=list)
    assertions: Counter[str] = field(default_factory=Counter)
    sim_s: float = 0.0
    _pace: deque[tuple[float, float]] = field(default_factory=deque)

    def take(self, event: str, fields: Mapping[str, Any], now_s: float) -> bool:
        """Take an event of the run; returns whether it was one that the status is made of.

        Args:
            event: its kind.
            fields: its fields.
            now_s: the monotonic clock, seconds.
        """
        kind, _, what = event.partition(".")
        if kind == "assertion":
            self.assertions[what] += 1
            self.assertions["pending"] = max(self.assertions["pending"] - 1, 0)
            return False
        if event != "run.status":
            return False
        self.running = [(one["label"], one["action"], one["for_s"]) for one in fields["running"]]
        # a condition may have been written over several lines
        self.waiting = [(one["label"], " ".join(one["for"].split())) for one in fields["waiting"]]
        self.sim_s = fields["sim_s"]
        if "assertions" in fields:
            self.assertions = Counter(fields["assertions"])
        self._pace.append((now_s, self.sim_s))
        while len(self._pace) > 2 and now_s - self._pace[0][0] > _RTF_WINDOW_S:  # noqa: PLR2004
            self._pace.popleft()
        return True

    @property
    def rtf(self) -> float | None:
        """Seconds of simulation a second of wall clock, over the last two; None at first."""
        if not self._pace:
            return None
        (began_s, began_sim_s), (now_s, sim_s) = self._pace[0], self._pace[-1]
        return (sim_s - began_sim_s) / (now_s - began_s) if now_s > began_s else None

    def lines(self, columns: int, rows: int) -> list[str]:
        """Return the block for a terminal of a size; what does not fit is counted, not shown.

        Args:
            columns: the terminal's width in cells; no line takes all of them, since some
                terminals begin a new line then.
            rows: its height in lines.
        """
        if columns < _NARROWEST or rows < _LOWEST:
            return [cut(f"{self.sim_s:.1f} s", columns - 1)] if columns > 1 and rows > 1 else []
        room = min(_MOST_ROWS, rows // 2) - 1
        table = [("runs", label, _running(what, lasted)) for label, what, lasted in self.running]
        table += [("waits", label, _waiting(what)) for label, what in self.waiting]
        shown = table if len(table) <= room else table[: room - 1]
        width = min(max((len(label) for _, label, _ in shown), default=0), columns // 3)
        lines = [
            f"  {word:<5}  {cut(label, width):<{width}}  {what}" for word, label, what in shown
        ]
        if len(shown) < len(table):
            lines.append(f"  and {_more(table[len(shown) :])}")
        lines.append(f"  {self._summary()}")
        return [cut(line, columns - 1) for line in lines]

    def _summary(self) -> str:
        rtf = self.rtf
        pace = "" if rtf is None else f", {rtf:.1f} times real time"
        counts = ", ".join(
            f"{self.assertions[word]} {word}"
            for word in ("passed", "failed", "skipped", "pending")
            if self.assertions[word] or word in {"passed", "failed"}
        )
        return f"{self.sim_s:.1f} s simulated{pace}; {counts}"


def _running(action: str, lasted_s: float) -> str:
    return f"{action}, {lasted_s:.1f} s"


def _waiting(what: str) -> str:
    """Return what an entry waits for; a moment of the timeline is said to be one."""
    number, _, unit = what.partition(" ")
    is_moment = unit == "s" and number.replace(".", "", 1).isdigit()
    return f"for {what}" if not is_moment else f"until {what}"


def _more(rows: Iterable[tuple[str, str, str]]) -> str:
    counts = Counter(word for word, _, _ in rows)
    words = {"runs": "that run", "waits": "that wait"}
    return ", ".join(f"{counts[word]} more {words[word]}" for word in words if counts[word])
