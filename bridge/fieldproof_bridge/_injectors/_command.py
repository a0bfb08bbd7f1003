from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fieldproof_bridge._readings import VelocityCommand


@dataclass(frozen=True, slots=True)
class Limit:
    """A command clamped to ``max_linear_mps`` and ``max_angular_radps``, forwards and backwards.

    A limit that is None or missing does not apply.
    """

    name: str = "limit"

    def apply(
        self,
        reading: VelocityCommand,
        _last: VelocityCommand | None,
        _time_ns: int,
        parameters: Mapping[str, Any],
    ) -> VelocityCommand:
        """The command within the limits."""
        return replace(
            reading,
            linear_mps=_clamped(reading.linear_mps, parameters.get("max_linear_mps")),
            angular_radps=_clamped(reading.angular_radps, parameters.get("max_angular_radps")),
        )


def _clamped(value: float, limit: float | None) -> float:
    return value if limit is None else min(max(value, -limit), limit)
