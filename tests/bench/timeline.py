"""How long the scheduler takes over a long timeline: pure engine time, nothing is started."""

from __future__ import annotations

import time
from typing import Any

from fieldproof.samples import Sample
from fieldproof.timeline import OK, Scheduler

_NS = 1_000_000_000
_TICK_NS = 50_000_000


def long_timeline(entries: int) -> list[dict[str, Any]]:
    """A plan's timeline of every kind of trigger, spread over a hundred seconds.

    Args:
        entries: how many, at least four.
    """
    made: list[dict[str, Any]] = []
    for number in range(entries):
        at_ns = (number * 7919) % 2000 * _TICK_NS
        kind = number % 4
        trigger: dict[str, Any] = {"at_ns": at_ns}
        if kind == 1:
            trigger = {"after": [f"e{number - 1}"], "at_ns": _TICK_NS}
        elif kind == 2:
            condition = f"value > {at_ns / _NS}"
            trigger = {
                "when": {"metric": "sim_time", "condition": condition},
                "within_ns": 200 * _NS,
            }
        elif kind == 3:
            trigger = {"at_ns": at_ns, "every_ns": 2 * _NS, "count": 3}
        made.append({"label": f"e{number}", "action": "act", "trigger": trigger})
    return made


def measure_schedule(entries: int = 10_000) -> tuple[float, int]:
    """Run a long timeline to its end, each occurrence over as soon as it began.

    Returns:
        Seconds in the scheduler, from the plan's data to the last occurrence, and how many
        occurrences there were.
    """
    timeline = long_timeline(entries)
    started = time.perf_counter()
    scheduler = Scheduler.from_plan(timeline)
    tick = 0
    while not scheduler.finished:
        t_ns = tick * _TICK_NS
        if tick % 20 == 0:
            scheduler.on_sample(Sample("clock", None, t_ns / _NS, {"rtf": None}), t_ns)
        while starts := scheduler.advance(t_ns):
            for occurrence in starts:
                scheduler.ended(occurrence.label, OK, t_ns)
        scheduler.take_changes()
        tick += 1
    return time.perf_counter() - started, len(scheduler.occurrences)
