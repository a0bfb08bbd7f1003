"""How simulation time goes against the wall clock."""

from __future__ import annotations

from dataclasses import dataclass

_NS = 1_000_000_000


@dataclass(slots=True)
class Pace:
    """Follows both clocks from one mark to the next.

    Attributes:
        target_rtf: simulation seconds that a wall second should bring; None where nothing is aimed
            at.
    """

    target_rtf: float | None
    _first: tuple[int, int] | None = None
    _last: tuple[int, int] | None = None

    def mark(self, wall_ns: int, sim_ns: int) -> tuple[float | None, float | None]:
        """Where both clocks stand now.

        Returns:
            the real-time factor since the last mark (None at the first, and when the wall clock
            stands or was set back), and the seconds of simulation time gained (or lost, below
            zero) against the target since the first mark (None without a target).
        """
        last, self._last = self._last, (wall_ns, sim_ns)
        if self._first is None or last is None:
            self._first = (wall_ns, sim_ns)
            return None, None if self.target_rtf is None else 0.0
        wall_passed_ns = wall_ns - last[0]
        rtf = (sim_ns - last[1]) / wall_passed_ns if wall_passed_ns > 0 else None
        if self.target_rtf is None:
            return rtf, None
        gained = (sim_ns - self._first[1]) - self.target_rtf * (wall_ns - self._first[0])
        return rtf, gained / _NS
