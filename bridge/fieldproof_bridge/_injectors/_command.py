from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fieldproof_bridge._readings import VelocityCommand
    from fieldproof_bridge._route import Held


@dataclass(frozen=True, slots=True)
class Limit:
    """A command clamped to ``max_linear_mps`` and ``max_angular_radps``, forwards and backwards.

    A limit that is None or missing does not apply. Of several the tightest one counts, each of the
    two speeds for itself.
    """

    name: str = "limit"

    def apply(
        self,
        reading: VelocityCommand,
        _last: VelocityCommand | None,
        _time_ns: int,
        held: Held,
    ) -> VelocityCommand:
        """The command within the limits."""
        return replace(
            reading,
            linear_mps=_clamped(reading.linear_mps, _tightest(held, "max_linear_mps")),
            angular_radps=_clamped(reading.angular_radps, _tightest(held, "max_angular_radps")),
        )


def _tightest(held: Held, key: str) -> float | None:
    limits = [each[key] for each in held.values() if each.get(key) is not None]
    return min(limits, default=None)


def _clamped(value: float, limit: float | None) -> float:
    return value if limit is None else min(max(value, -limit), limit)
