import threading
from collections.abc import Callable
from typing import Protocol


class Running(Protocol):
    """An occurrence under way. The engine polls it; nothing here blocks."""

    def poll(self) -> bool:
        """Return whether it is over; the record then says how."""
        ...

    def cancel(self) -> None:
        """End it early, because its time is up or the run is ending."""
        ...


class Over:
    """An occurrence that was over as soon as it began."""

    def poll(self) -> bool:
        """Return True."""
        return True

    def cancel(self) -> None:
        """Do nothing; it is over."""


class Worker:
    """Runs a blocking call on a thread of its own; its exception comes out of `poll`."""

    def __init__(self, call: Callable[[], None], *, name: str) -> None:
        self._call = call
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def poll(self) -> bool:
        """Return whether the call has returned.

        Raises:
            Exception: What the call raised.
        """
        if self._thread.is_alive():
            return False
        if self._error is not None:
            raise self._error
        return True

    def cancel(self) -> None:
        """Leave it to the call, whose context tells it that the run is ending."""

    def _work(self) -> None:
        try:
            self._call()
        except BaseException as error:  # noqa: BLE001 - a plugin may raise anything; poll raises it
            self._error = error
