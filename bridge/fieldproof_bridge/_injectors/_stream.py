from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fieldproof_bridge._draws import Draws

Reading = TypeVar("Reading")


@dataclass(frozen=True, slots=True)
class Dropout:
    """Nothing, with ``probability`` for each reading.

    Attributes:
        draws: where the numbers come from.
    """

    draws: Draws
    name: str = "dropout"

    def apply(
        self, reading: Reading, _last: Reading | None, time_ns: int, parameters: Mapping[str, Any]
    ) -> Reading | None:
        """The reading, or None."""
        probability = parameters["probability"]
        # the draw lies in [0, 1): never below 0, always below 1
        return None if self.draws.at(time_ns).random() < probability else reading


@dataclass(frozen=True, slots=True)
class Freeze:
    """The last reading again and again, stamp included; nothing where there was none."""

    name: str = "freeze"

    def apply(
        self, _reading: Reading, last: Reading | None, _time_ns: int, _parameters: Mapping[str, Any]
    ) -> Reading | None:
        """The last reading."""
        return last
