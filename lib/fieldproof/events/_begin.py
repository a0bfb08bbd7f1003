from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from fieldproof.events._context import EventContext, Refused
from fieldproof.events._event import Event
from fieldproof.events._record import ActionRecord
from fieldproof.events._running import Over, Running
from fieldproof.model import ScenarioError, legible, validated
from fieldproof.timeline import CANCELLED, FAILED, OK, RUNNING, TIMEOUT

_ENDS = frozenset({OK, FAILED, TIMEOUT, CANCELLED})
_Result = TypeVar("_Result")


def begin(
    event: Event,
    params: Mapping[str, Any],
    resolved: Mapping[str, Any],
    context: EventContext,
    record: ActionRecord,
    *,
    passing: tuple[type[Exception], ...] = (),
) -> Running:
    """Begin an occurrence and return what to poll until its record says how it ended.

    Whatever the event does, the record ends with one of the known statuses: an exception is a
    failure with its text, `running` counts as ok, and any other status is a failure.

    Args:
        event: The event.
        params: The entry's own fields as JSON data; `action` and `vehicle` may be left out.
        resolved: What the event's `plan` returned, with `limit_s`.
        context: What the event may do.
        record: The occurrence's record, `running`.
        passing: Exceptions that are not the event's own and end the run; they are let through,
            from here and from `poll`.
    """
    # its own copy: an event that goes on after it was given up changes nothing any more
    own = replace(record)
    guarded = _Guarded(event.action, record, own, passing)
    try:
        known = {"action": event.action}
        if record.vehicle is not None:
            known["vehicle"] = record.vehicle
        entry = validated(event.Entry, {**known, **params})
    except ScenarioError as error:
        guarded.fail(f"its entry cannot be read: {error}")
        return guarded
    started = guarded.call(lambda: event.start(entry, resolved, context, own))
    if started is not None:
        guarded.running = started
    return guarded


class _Guarded:
    """Keeps what an event does wrong inside its record."""

    def __init__(
        self,
        action: str,
        record: ActionRecord,
        own: ActionRecord,
        passing: tuple[type[Exception], ...],
    ) -> None:
        self.running: Running = Over()
        self._action = action
        self._record = record
        self._own = own
        self._passing = passing
        self._over = False

    def poll(self) -> bool:
        if not self._over and self.call(self.running.poll):
            self._over = True
            self._conclude()
        return self._over

    def cancel(self) -> None:
        if not self._over:
            self.call(self.running.cancel)

    def call(self, call: Callable[[], _Result]) -> _Result | None:
        try:
            return call()
        except self._passing:
            raise
        except Refused as refused:
            self.fail(str(refused))
            return None
        except BaseException as error:  # noqa: BLE001 - an event may raise anything
            self.fail(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
            return None

    def fail(self, detail: str) -> None:
        self._record.status, self._record.detail = FAILED, legible(detail)
        self._over = True

    def _conclude(self) -> None:
        record = self._record
        record.status, record.detail = self._own.status, self._own.detail
        if record.status == RUNNING:
            record.status = OK
        elif record.status not in _ENDS:
            record.detail = f"{self._action} reported the status {record.status!r}"
            record.status = FAILED
        detail = record.detail
        record.detail = legible(detail if isinstance(detail, str) else repr(detail))
