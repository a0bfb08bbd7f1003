"""Finds lost messages by the numbers that publishers give them."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field


@dataclass(slots=True)
class SequenceCheck:
    """Follows the publication numbers of one topic, whose publishers are not told apart.

    Each publisher numbers its messages from 1. A number that continues none of the known series
    either opens a new one (number 1) or shows that messages between are lost.

    What is counted is the fewest missing messages that explain the numbers: exactly those that are
    missing where a topic has one publisher, and never more than are where it has several. What was
    lost after the last message that came leaves no gap and cannot be seen here.

    Attributes:
        received: messages seen.
        lost: messages known to be missing.
    """

    received: int = 0
    lost: int = 0
    _last: list[int] = field(default_factory=list)  # the last number of each series, sorted

    @property
    def series(self) -> int:
        """How many publishers have been heard, as far as their numbers tell them apart."""
        return len(self._last)

    def forgive(self) -> None:
        """Start counting anew, knowing where each series stands."""
        self.received = self.lost = 0

    def add(self, number: int) -> int:
        """Take one message's number; return how many before it are missing."""
        self.received += 1
        where = bisect.bisect_left(self._last, number - 1)
        if where < len(self._last) and self._last[where] == number - 1:
            missing = 0
            del self._last[where]
        elif number == 1 or not where:
            missing = number - 1  # a series whose beginning was missed
        else:
            missing = number - 1 - self._last[where - 1]
            del self._last[where - 1]
        bisect.insort(self._last, number)
        self.lost += missing
        return missing
