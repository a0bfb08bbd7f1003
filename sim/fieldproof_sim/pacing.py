from typing import Final

_MAX_LAG_NS: Final = 200_000_000
_WINDOW_NS: Final = 1_000_000_000


class Pacer:
    """Says when simulation time is due on the wall clock.

    Both clocks are integer nanoseconds and handed in. A simulation that cannot keep up slips: what
    it lags beyond 0.2 s of wall time is given up rather than caught up in a burst.

    Args:
        rtf: simulation seconds per wall second, or None for as fast as possible.
        sim_ns: simulation time now.
        wall_ns: wall time now.
    """

    def __init__(self, rtf: float | None, *, sim_ns: int, wall_ns: int) -> None:
        self.rtf = rtf
        self._sim_ns = sim_ns
        self._wall_ns = wall_ns

    def wait_ns(self, sim_ns: int, wall_ns: int) -> int:
        """Return how much wall time is left until `sim_ns` should be reached; 0 when it is due."""
        if self.rtf is None:
            return 0
        due_ns = self._wall_ns + round((sim_ns - self._sim_ns) / self.rtf)
        if wall_ns - due_ns > _MAX_LAG_NS:
            self._sim_ns, self._wall_ns = sim_ns, wall_ns
        return max(due_ns - wall_ns, 0)


class RateMeter:
    """Measures the real-time factor over about a second of wall time."""

    def __init__(self, *, sim_ns: int, wall_ns: int) -> None:
        self._sim_ns = sim_ns
        self._wall_ns = wall_ns
        self._rtf: float | None = None

    def update(self, sim_ns: int, wall_ns: int) -> float | None:
        """Take both clocks and return the factor; None until a first window is full."""
        elapsed_ns = wall_ns - self._wall_ns
        if elapsed_ns >= _WINDOW_NS:
            self._rtf = (sim_ns - self._sim_ns) / elapsed_ns
            self._sim_ns, self._wall_ns = sim_ns, wall_ns
        return self._rtf
