"""Sliding windows over message arrivals, in simulation time."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

_SECOND_NS = 1_000_000_000
_NS_PER_MS = 1e6
_Item = TypeVar("_Item")


@dataclass(slots=True)
class SlidingWindow(Generic[_Item]):
    """What arrived in the last `window_ns`, looked at once each second.

    The window is half-open, (now - window, now], so that a 30 s window of a 10 Hz topic holds 300
    messages and never 301. It is first looked at once a whole window has passed since `start_ns`.
    Memory is bounded by what arrives within one window and the second after it.

    Attributes:
        window_ns: length of the window in nanoseconds of simulation time.
        start_ns: simulation time at which the topic began to be watched.
    """

    window_ns: int
    start_ns: int
    _arrivals: deque[tuple[int, _Item]] = field(default_factory=deque)
    _next_ns: int = -1

    def __post_init__(self) -> None:
        self._next_ns = self.start_ns + self.window_ns

    def add(self, arrival_ns: int, item: _Item) -> None:
        """Take one message, which arrived no earlier than the one before."""
        if self._arrivals:
            arrival_ns = max(arrival_ns, self._arrivals[-1][0])
        self._arrivals.append((arrival_ns, item))

    def due(self, now_ns: int, *, complete: bool) -> list[tuple[int, list[_Item]]]:
        """(time, what arrived) of each window that ended, oldest first.

        Args:
            now_ns: the time now.
            complete: whether everything that arrives at this very time has been added; if not, a
                window that ends now is not looked at yet.
        """
        ended: list[tuple[int, list[_Item]]] = []
        while self._next_ns < now_ns + complete:
            end = self._next_ns
            while self._arrivals and self._arrivals[0][0] <= end - self.window_ns:
                self._arrivals.popleft()
            ended.append((end, [item for arrival, item in self._arrivals if arrival <= end]))
            self._next_ns += _SECOND_NS
        return ended


@dataclass(frozen=True, slots=True)
class Ages:
    """Figures of the ages of a window's messages, in milliseconds.

    Attributes:
        count: how many messages there were; without any, there are no figures.
        mean_ms: their mean.
        max_ms: the largest.
        min_ms: the smallest; below zero where a message was stamped ahead of the clock.
        p95_ms: the smallest of the ages that at least 95 of 100 do not exceed (nearest rank): an
            age that was measured, never one between two.
    """

    count: int
    mean_ms: float | None = None
    max_ms: float | None = None
    min_ms: float | None = None
    p95_ms: float | None = None

    @classmethod
    def of(cls, ages_ns: Sequence[int]) -> Ages:
        """Figures of ages in nanoseconds."""
        count = len(ages_ns)
        if not count:
            return cls(0)
        ordered = sorted(ages_ns)
        rank = (95 * count + 99) // 100  # in whole numbers: no rounding moves it
        return cls(
            count,
            mean_ms=sum(ordered) / count / _NS_PER_MS,
            max_ms=ordered[-1] / _NS_PER_MS,
            min_ms=ordered[0] / _NS_PER_MS,
            p95_ms=ordered[rank - 1] / _NS_PER_MS,
        )
