from collections.abc import Callable

from fieldproof.events._record import ActionRecord
from fieldproof.timeline import OK

_LEAST_S = 1e-9  # clocks are floats of whole nanoseconds: half of one is equality


class Held:
    """Something that lasts for a while and is undone at its end, or when it is cancelled.

    Args:
        clock: Seconds on the clock that its duration counts by.
        duration_s: How long it lasts.
        undo: Undoes it; called once.
        record: The occurrence's record.
        detail: What the record says when it has lasted to its end.
        ended: Why it is over although its time is not, when somebody else has undone it; else an
            empty text.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        duration_s: float,
        undo: Callable[[], None],
        record: ActionRecord,
        detail: str,
        *,
        ended: Callable[[], str] = str,
    ) -> None:
        self._clock = clock
        self._until_s = clock() + duration_s
        self._undo = undo
        self._record = record
        self._detail = detail
        self._ended = ended

    def poll(self) -> bool:
        """Return whether it has lasted its time, and undo it then, or was undone."""
        if why := self._ended():
            self._record.status, self._record.detail = OK, why
            return True
        if self._clock() < self._until_s - _LEAST_S:
            return False
        self._undo()
        self._record.status, self._record.detail = OK, self._detail
        return True

    def cancel(self) -> None:
        """Undo it early."""
        self._undo()


def seconds(value: float) -> str:
    """Return a number of seconds for people: `3 s`, `0.25 s`."""
    return f"{value:.9f}".rstrip("0").rstrip(".") + " s"
