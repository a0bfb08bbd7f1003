from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from fieldproof_bridge._draws import Draws
    from fieldproof_bridge._route import Held

Reading = TypeVar("Reading")


@dataclass(frozen=True, slots=True)
class Dropout:
    """Nothing, with ``probability`` for each reading.

    Each holder draws for itself; a reading is lost when any of them loses it.

    Attributes:
        draws: where the numbers come from.
    """

    draws: Draws
    name: str = "dropout"

    def apply(
        self, reading: Reading, _last: Reading | None, time_ns: int, held: Held
    ) -> Reading | None:
        """The reading, or None."""
        # the draw lies in [0, 1): never below 0, always below 1
        lost = any(
            self.draws.of(holder).at(time_ns).random() < each["probability"]
            for holder, each in held.items()
        )
        return None if lost else reading


@dataclass(frozen=True, slots=True)
class Freeze:
    """The last reading again and again, stamp included; nothing where there was none.

    Whether one holds it or several is the same.
    """

    name: str = "freeze"

    def apply(
        self, _reading: Reading, last: Reading | None, _time_ns: int, _held: Held
    ) -> Reading | None:
        """The last reading."""
        return last
