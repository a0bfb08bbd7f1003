"""At which simulation time something arrived that is taken later, and maybe much later."""

from __future__ import annotations

import bisect


class ArrivalClock:
    """Turns the wall-clock time at which a message came in into simulation time.

    It knows when the simulator told which time. What came in counts as of the last time that was
    told by then, even if it is taken together with all of a busy second.
    """

    def __init__(self) -> None:
        self._wall_ns: list[int] = []
        self._sim_ns: list[int] = []
        self._settled_ns = 0

    def tell(self, wall_ns: int, sim_ns: int) -> None:
        """Learn that the simulator told its time.

        Args:
            wall_ns: when, in nanoseconds of the epoch; a clock that was set back is not followed.
            sim_ns: which time, in nanoseconds; it does not go back.
        """
        self._wall_ns.append(max(wall_ns, self._wall_ns[-1]) if self._wall_ns else wall_ns)
        self._sim_ns.append(sim_ns)

    def settle(self, sim_ns: int) -> None:
        """Let nothing count as of before a time any more: all up to it has been looked at."""
        self._settled_ns = sim_ns
        # of what was told by then the last one says what comes next
        known = bisect.bisect_right(self._sim_ns, sim_ns) - 1
        if known > 0:
            del self._wall_ns[:known], self._sim_ns[:known]

    def at(self, wall_ns: int, now_ns: int) -> int:
        """Return the simulation time at which something came in, at most `now_ns`.

        Args:
            wall_ns: when it came in, in nanoseconds of the epoch; 0 when that is not known.
            now_ns: simulation time now.
        """
        if not wall_ns or not self._wall_ns:
            return now_ns
        place = bisect.bisect_right(self._wall_ns, wall_ns) - 1
        told_ns = self._sim_ns[place] if place >= 0 else self._settled_ns
        return min(max(told_ns, self._settled_ns), now_ns)
