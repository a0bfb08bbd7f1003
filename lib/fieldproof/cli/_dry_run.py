"""What a dry run shows: the run as it is resolved, entry by entry."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fieldproof.engine.resolve import Resolved

_NS = 1_000_000_000


def dry_run_lines(resolved: Resolved) -> Iterator[str]:
    """Yield the lines: world, time, vehicles, timeline, assertions."""
    execution, evaluation = resolved.execution, resolved.evaluation
    time = execution["time"]
    pace = f"tick {time['tick_ns'] / 1e6:g} ms" if time["mode"] == "lockstep" else time["rtf"]
    yield f"scenario {execution['scenario']['name']} in {execution['world']['name']}"
    yield f"time     {time['mode']}, {pace}, seed {time['seed']}"
    for vehicle in execution["vehicles"]:
        spawn = vehicle["spawn"]
        yield (
            f"vehicle  {vehicle['name']} ({vehicle['robot']}) at x {spawn['x']:g}, "
            f"y {spawn['y']:g}, yaw {spawn['yaw']:g}"
        )
    yield "timeline"
    for entry in execution["timeline"]:
        yield f"  {entry['label']}: {entry['action']}, {_trigger(entry['trigger'])}"
        yield f"    {_data(entry['resolved'])}"
    yield "assertions"
    for assertion in evaluation["assertions"]:
        about = assertion["topic"] or assertion["model"] or ""
        yield f"  {assertion['name']}: {assertion['type']} {about}".rstrip()


def _trigger(trigger: Mapping[str, Any]) -> str:
    offset = f"{(trigger.get('at_ns') or 0) / _NS:g} s"
    if trigger.get("after"):
        return f"{offset} after {', '.join(trigger['after'])}"
    if trigger.get("when"):
        return f"{offset} after {_data(trigger['when'])}"
    if trigger.get("every_ns"):
        return f"at {offset}, every {trigger['every_ns'] / _NS:g} s"
    return f"at {offset}"


def _data(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
