"""Drives a run's timeline: starts what is due, asks what runs, records what became of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fieldproof.engine._errors import InfrastructureError, InterruptedRunError
from fieldproof.engine._log import EngineLog
from fieldproof.engine._session import Session
from fieldproof.engine._topology import absolute
from fieldproof.events import ActionRecord, Navigation, Running, begin, event_types
from fieldproof.model import Pose
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
_REQUEST_S = 45.0
_OWN_S = 10.0
_REJECTED = "REJECTED"


@dataclass(frozen=True, slots=True)
class _Vehicle:
    name: str
    namespace: str
    spawn: Pose

    def topic(self, name: str) -> str:
        return absolute({"namespace": self.namespace}, name)


class _Goal:
    """A goal that the operator sent; asked over the observer's channel."""

    def __init__(self, session: Session, identity: str | None) -> None:
        self._session = session
        self._identity = identity

    def result(self) -> str | None:
        return _REJECTED if self._identity is None else self._session.goals[self._identity]

    def cancel(self) -> None:
        if self._identity is not None:
            self._session.observer.request(
                "navigate_cancel", bound_s=_REQUEST_S, timeout_s=_OWN_S, id=self._identity
            )


class _Context:
    """What events may do to the run."""

    def __init__(self, session: Session, log: EngineLog, driver: TimelineDriver) -> None:
        self._session = session
        self._log = log
        self._driver = driver
        self._vehicles = {
            vehicle["name"]: _Vehicle(
                vehicle["name"], vehicle["namespace"], Pose.from_data(vehicle["spawn"])
            )
            for vehicle in session.vehicles
        }

    @property
    def tearing_down(self) -> bool:
        return self._driver.ending.is_set()

    def vehicle(self, name: str) -> _Vehicle:
        return self._vehicles[name]

    def navigate(self, vehicle: Any, goal: Mapping[str, Any], *, timeout_s: float) -> Navigation:
        action = vehicle.topic("navigate_to_pose")
        reply = self._session.observer.request(
            "navigate",
            bound_s=_REQUEST_S,
            timeout_s=min(timeout_s, _OWN_S),
            action=action,
            goal={**goal, "stamp_ns": self._driver.sim_ns()},
        )
        identity = reply["id"] if reply["accepted"] else None
        if identity is not None:
            self._session.goals[identity] = None
        return _Goal(self._session, identity)

    def log(self, event: str, message: str, **fields: Any) -> None:
        self._log.write(event, message, **fields)

    def clock(self) -> float:
        return self._driver.now_ns / _NS

    def hold(self, seconds: float) -> bool:
        return self._driver.hold(seconds)


class TimelineDriver:
    """Between the scheduler, which decides, and the events, which act.

    Args:
        execution: the execution plan.
        session: the run's processes.
        log: engine.log.
        emit: puts a sample without times into the stream, as of now.
        sim_ns: simulation time.
        wall_ns: the wall clock.
    """

    def __init__(
        self,
        execution: Mapping[str, Any],
        session: Session,
        log: EngineLog,
        *,
        emit: Callable[[dict[str, Any]], None],
        sim_ns: Callable[[], int],
        wall_ns: Callable[[], int],
    ) -> None:
        self._scheduler = Scheduler.from_plan(execution["timeline"])
        self._log = log
        self._emit = emit
        self.sim_ns = sim_ns
        self._wall_ns = wall_ns
        self._events = event_types()
        self._running: dict[str, tuple[Running, ActionRecord, Occurrence]] = {}
        self._records: dict[str, ActionRecord] = {}
        self._moved = threading.Condition()
        self.ending = threading.Event()
        self.now_ns = 0
        self.started_at: dict[str, float] = {}
        self._context = _Context(session, log, self)

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
        return ""

    def advance(self, t_ns: int) -> None:
        """Move the timeline's clock: ask what runs whether it is over, start what is due."""
        with self._moved:
            self.now_ns = t_ns
            self._moved.notify_all()
        self._poll(t_ns)
        # what has ended may have made something due at this very moment
        while starts := self._scheduler.advance(t_ns):
            for occurrence in starts:
                self._start(occurrence, t_ns)
            self._poll(t_ns)
        self._log_changes()

    def on_sample(self, sample: Sample, t_ns: int) -> None:
        """Let conditions look at a sample."""
        self._scheduler.on_sample(sample, t_ns)

    def hold(self, seconds: float) -> bool:
        """Block a worker thread until the timeline's clock has moved on; False when it ends."""
        with self._moved:
            until_ns = self.now_ns + round(seconds * _NS)
            self._moved.wait_for(lambda: self.ending.is_set() or self.now_ns >= until_ns)
        return not self.ending.is_set()

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
        if self.ending.is_set():
            return
        self.ending.set()
        with self._moved:
            self._moved.notify_all()
        for handle, record, occurrence in self._running.values():
            if ask:
                handle.cancel()
            record.status, record.detail = running, detail or "the timeline ended"
            self._end(occurrence, record, t_ns)
        self._running.clear()
        self._scheduler.settle(t_ns, running=running, detail=detail)
        self._log_changes()

    def record(self) -> list[dict[str, Any]]:
        """Every occurrence, those that never ran included, in the order in which they came up."""
        rows = []
        for occurrence in self._scheduler.occurrences:
            record = self._records.get(occurrence.label) or _record_of(occurrence)
            if occurrence.status == SKIPPED:
                record.status, record.detail = SKIPPED, occurrence.detail
            rows.append(record.to_data())
        return rows

    def _start(self, occurrence: Occurrence, t_ns: int) -> None:
        record = self._records[occurrence.label] = _record_of(occurrence)
        record.t_s, record.sim_s = t_ns / _NS, self.sim_ns() / _NS
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
            self._context,
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
        record.duration_s = t_ns / _NS - (record.t_s or 0.0)
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
                self._skipped(change.label)

    def _skipped(self, label: str) -> None:
        """Put an entry that never ran into the stream: assertions on it are decided by that."""
        occurrence = next(each for each in self._scheduler.occurrences if each.label == label)
        self._emit(
            {
                "kind": "action",
                "label": label,
                "event": "finished",
                "action": occurrence.entry.action,
                "status": SKIPPED,
            }
        )


def _record_of(occurrence: Occurrence) -> ActionRecord:
    entry = occurrence.entry
    trigger = entry.trigger
    shown: dict[str, Any] = {"at_s": trigger.at_ns / _NS}
    if trigger.after:
        shown["after"] = list(trigger.after)
    if trigger.when is not None:
        shown["when"] = trigger.when.condition.text
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
        "trigger": dict(record.trigger),
        "params": dict(record.params),
    }
