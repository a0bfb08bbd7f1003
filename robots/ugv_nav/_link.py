"""Judging the link to the ground station by the heartbeats that arrive over it."""

from __future__ import annotations


class LinkJudge:
    """Remembers when the last heartbeat arrived.

    A vehicle that never heard one has no ground link, so it has none to lose.
    """

    def __init__(self) -> None:
        self._heard_ns: int | None = None

    def hear(self, now_ns: int) -> None:
        """Take a heartbeat down; it counts from its arrival, whatever its sender's clock says."""
        self._heard_ns = now_ns

    def is_lost(self, now_ns: int, timeout_ns: int) -> bool:
        """Return whether the last heartbeat is more than `timeout_ns` ago."""
        return self._heard_ns is not None and now_ns - self._heard_ns > timeout_ns


def check_timeout(timeout_s: float) -> str | None:
    """Return why a loss timeout cannot be used, None if it can: above 0, at most 3600 s."""
    if 0.0 < timeout_s <= 3600.0:  # noqa: PLR2004 - an hour; NaN fails both comparisons
        return None
    return f"loss_timeout_s must lie in (0, 3600] seconds (got {timeout_s:g})"
