"""Drives a run's timeline: starts what is due, asks what runs, records what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fieldproof.engine._context import RunContext
from fieldproof.engine._errors import InfrastructureError, InterruptedRunError
from fieldproof.engine._log import EngineLog
from fieldproof.engine._workers import Workers
from fieldproof.events import ActionRecord, Event, Running, begin
from fieldproof.samples import Sample
from fieldproof.timeline import (
    CANCELLED,
    FAILED,
    RUNNING,
    SKIPPED,
    TIMEOUT,
    Occurrence,
    Scheduler,
)

_NS = 1_000_000_000


class TimelineDriver:
    """Between the scheduler, which decides, and the events, which act.

    Args:
        execution: the execution plan.
        context: what events may do.
        workers: the threads of blocking events.
        log: engine.log.
        emit: puts a sample without times into the stream, as of now.
        wall_ns: the wall clock.
        events: the events known by their action.
    """

    def __init__(
        self,
        execution: Mapping[str, Any],
        context: Callable[[Callable[[], int]], RunContext],
        workers: Workers,
        log: EngineLog,
        *,
        emit: Callable[[dict[str, Any]], None],
        wall_ns: Callable[[], int],
        events: Mapping[str, Event],
    ) -> None:
        self._scheduler = Scheduler.from_plan(execution["timeline"])
        self._actions = {entry["label"]: entry["action"] for entry in execution["timeline"]}
        self._context = context(lambda: self.now_ns)
        self._workers = workers
        self._log = log
        self._emit = emit
        self._wall_ns = wall_ns
        self._events = events
        self._running: dict[str, tuple[Running, ActionRecord, Occurrence]] = {}
        self._records: dict[str, ActionRecord] = {}
        self.now_ns = 0
        self.started_at: dict[str, float] = {}

    @property
    def finished(self) -> bool:
        """Whether nothing runs and nothing can still start."""
        return self._scheduler.finished

    @property
    def idle(self) -> bool:
        """Whether nothing waits for its time or its condition: only what runs may still end."""
        return not self._scheduler.waiting

    @property
    def failure(self) -> str:
        """Which occurrence failed or ran out of its time, and why; empty when none did."""
        for record in self._records.values():
            if record.status in (FAILED, TIMEOUT):
                word = "failed" if record.status == FAILED else "timed out"
                return f"{record.name} {word}: {record.detail}"
        never_ran = self._scheduler.failure
        return f"{never_ran.label} failed: {never_ran.detail}" if never_ran else ""

    def advance(self, t_ns: int) -> None:
        """Move the timeline's clock: ask what runs whether it is over, start what is due."""
        self.now_ns = t_ns
        self._workers.advance(t_ns)
        self._workers.serve()
        self._poll(t_ns)
        # what has ended may have made something due at this very moment
        while starts := self._scheduler.advance(t_ns):
            self._log_changes()
            for occurrence in starts:
                self._start(occurrence, t_ns)
                self._workers.serve()
            self._poll(t_ns)
        self._log_changes()

    def on_sample(self, sample: Sample, t_ns: int) -> None:
        """Let conditions look at a sample."""
        self._scheduler.on_sample(sample, t_ns)

    def settle(
        self, t_ns: int, *, running: str = CANCELLED, detail: str = "", ask: bool = True
    ) -> None:
        """End the timeline, once: cancel what runs, mark what never ran.

        Args:
            t_ns: time on the timeline.
            running: status of what still runs.
            detail: why, for people.
            ask: whether the vehicles can still be asked to give up what they do.
        """
        if self._workers.ended:
            return
        self._workers.end()
        for handle, record, occurrence in self._running.values():
            if ask:
                handle.cancel()
            record.status, record.detail = running, detail or "the timeline ended"
            self._end(occurrence, record, t_ns)
        self._running.clear()
        self._scheduler.settle(t_ns, running=running, detail=detail)
        self._log_changes()

    def status(self) -> dict[str, Any]:
        """What runs and what waits, for a person who watches."""
        return {
            "running": [
                {
                    "label": label,
                    "action": record.action,
                    "for_s": (self.now_ns - round((record.t_s or 0.0) * _NS)) / _NS,
                }
                for label, (_, record, _) in self._running.items()
            ],
            "waiting": [
                {"label": label, "for": why} for label, why in self._scheduler.awaited().items()
            ],
        }

    def record(self) -> list[dict[str, Any]]:
        """Every occurrence, those that never ran included, in the order in which they came up."""
        rows = []
        for occurrence in self._scheduler.occurrences:
            record = self._records.get(occurrence.label) or _record_of(occurrence)
            if occurrence.started_ns is None:
                record.status, record.detail = occurrence.status, occurrence.detail
            rows.append(record.to_data())
        return rows

    def _start(self, occurrence: Occurrence, t_ns: int) -> None:
        record = self._records[occurrence.label] = _record_of(occurrence)
        record.t_s, record.sim_s = t_ns / _NS, self._context.sim_s()
        self.started_at[occurrence.label] = self._wall_ns() / _NS
        entry = occurrence.entry
        self._log.write(
            "action.start",
            f"{occurrence.label} ({entry.action})",
            status=RUNNING,
            **_fields(record),
        )
        self._emit(
            {
                "kind": "action",
                "label": occurrence.label,
                "event": "started",
                "action": entry.action,
                "status": RUNNING,
            }
        )
        handle = begin(
            self._events[entry.action],
            entry.params or {},
            {**(entry.resolved or {}), "limit_s": _limit_s(occurrence)},
            self._context.of(occurrence.label),
            record,
            passing=(InfrastructureError, InterruptedRunError),
        )
        self._running[occurrence.label] = (handle, record, occurrence)

    def _poll(self, t_ns: int) -> None:
        for label, (handle, record, occurrence) in list(self._running.items()):
            if handle.poll():
                del self._running[label]
                self._end(occurrence, record, t_ns)
                self._scheduler.ended(label, record.status, t_ns, record.detail)

    def _end(self, occurrence: Occurrence, record: ActionRecord, t_ns: int) -> None:
        # of whole nanoseconds: a difference of rounded seconds would show its rounding
        record.duration_s = (t_ns - round((record.t_s or 0.0) * _NS)) / _NS
        self._log.write(
            "action.end",
            f"{record.name}: {record.status}" + (f" ({record.detail})" if record.detail else ""),
            status=record.status,
            duration_s=record.duration_s,
            **_fields(record),
        )
        self._emit(
            {
                "kind": "action",
                "label": record.name,
                "event": "finished",
                "action": occurrence.entry.action,
                "status": record.status,
            }
        )

    def _log_changes(self) -> None:
        for change in self._scheduler.take_changes():
            self._log.write(
                f"action.{change.kind}",
                f"{change.label}: {change.detail}",
                action=change.label,
                t_s=change.t_ns / _NS,
            )
            if change.kind != "triggered" and change.label not in self._records:
                self._never_ran(change.label, FAILED if change.kind == "failed" else SKIPPED)

    def _never_ran(self, label: str, status: str) -> None:
        """Put an entry that never ran into the stream: assertions on it are decided by that."""
        self._emit(
            {
                "kind": "action",
                "label": label,
                "event": "finished",
                "action": self._actions[label],
                "status": status,
            }
        )


def _record_of(occurrence: Occurrence) -> ActionRecord:
    entry = occurrence.entry
    trigger = entry.trigger
    shown: dict[str, Any] = {"at_s": trigger.at_ns / _NS}
    if trigger.after:
        shown["after"] = list(trigger.after)
    if trigger.when is not None:
        shown["when"] = trigger.when.to_data()
        shown["within_s"] = None if trigger.within_ns is None else trigger.within_ns / _NS
    if trigger.every_ns is not None:
        shown["every_s"] = trigger.every_ns / _NS
        shown["count"] = trigger.count
        shown["until_s"] = None if trigger.until_ns is None else trigger.until_ns / _NS
    return ActionRecord(
        name=occurrence.label,
        action=entry.action,
        vehicle=entry.vehicle,
        occurrence=occurrence.number,
        at_s=trigger.at_ns / _NS,
        trigger=shown,
        params=entry.params or {},
    )


def _limit_s(occurrence: Occurrence) -> float:
    limit_ns = occurrence.entry.limit_ns
    return float("inf") if limit_ns is None else limit_ns / _NS


def _fields(record: ActionRecord) -> dict[str, Any]:
    return {
        "action": record.name,
        "event_action": record.action,
        "vehicle": record.vehicle,
        "occurrence": record.occurrence,
        "t_s": record.t_s,
        "sim_s": record.sim_s,
        "trigger": dict(record.trigger),
        "params": dict(record.params),
    }
