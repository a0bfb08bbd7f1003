"""Sliding windows over message arrivals, in simulation time."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

_SECOND_NS = 1_000_000_000


@dataclass(slots=True)
class RateWindow:
    """Counts the messages of one topic over the last `window_ns`, once each second.

    The window is half-open, (now - window, now], so that a 30 s window of a 10 Hz topic counts 300
    messages and never 301. The first count comes once a whole window has passed since `start_ns`.

    Attributes:
        window_ns: length of the window in nanoseconds of simulation time.
        start_ns: simulation time at which the topic began to be watched.
    """

    window_ns: int
    start_ns: int
    _arrivals: deque[int] = field(default_factory=deque)
    _next_ns: int = -1

    def __post_init__(self) -> None:
        self._next_ns = self.start_ns + self.window_ns

    def add(self, arrival_ns: int) -> None:
        """Count one message; arrivals come in order."""
        self._arrivals.append(arrival_ns)

    def due(self, now_ns: int, *, complete: bool) -> list[tuple[int, int]]:
        """(time, messages) of each window that ended, oldest first.

        Args:
            now_ns: the time now.
            complete: whether everything that arrives at this very time has been added; if not, a
                window that ends now is not counted yet.
        """
        ended: list[tuple[int, int]] = []
        while self._next_ns < now_ns + complete:
            end = self._next_ns
            while self._arrivals and self._arrivals[0] <= end - self.window_ns:
                self._arrivals.popleft()
            ended.append((end, sum(1 for arrival in self._arrivals if arrival <= end)))
            self._next_ns += _SECOND_NS
        return ended
