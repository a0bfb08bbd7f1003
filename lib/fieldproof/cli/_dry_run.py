"""What a dry run shows: the run as it is resolved, entry by entry."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fieldproof.cli._words import (
    place_words,
    seconds,
    step_words,
    table,
    trigger_words,
    value_words,
)
from fieldproof.engine.resolve import Resolved

_WINDOW = ("after_s", "within_s")
_HEAD = frozenset({"name", "type", "on_fail", *_WINDOW})
_RESOLVED = frozenset({"vehicle", "topic", "target", "action"})
"""Fields of an assertion that stand resolved, rather than as they were written."""

_Item = tuple[list[str], list[tuple[str, str]]]
"""The cells of a line, and keys with values below it."""


def dry_run_lines(resolved: Resolved) -> Iterator[str]:
    """Yield the lines: world, time and vehicles, then everything that will happen and be asked."""
    execution, evaluation = resolved.execution, resolved.evaluation
    yield from _head(execution)
    yield from _section("timeline", map(_entry, execution["timeline"]))
    yield from _section("assertions", map(_judge, evaluation["assertions"]))
    yield from _section("collectors", map(_judge, evaluation["kpis"]))


def _head(execution: Mapping[str, Any]) -> Iterator[str]:
    time, record = execution["time"], execution["record"]
    lockstep = time["mode"] == "lockstep"
    pace = f"ticks of {time['tick_ns'] / 1e6:g} ms" if lockstep else f"rtf {time['rtf']:g}"
    clock = "simulation time" if lockstep else "the wall clock"
    topics = ", ".join(record["topics"]) or "all topics"
    rows = [
        ("scenario", execution["scenario"]["name"]),
        ("world", execution["world"]["name"]),
        ("time", f"{time['mode']}, {pace}, seed {time['seed']}; the timeline counts {clock}"),
        ("outputs", f"records {topics}" if record["enabled"] else "no recording"),
        ("budget", f"{seconds(execution['budget']['timeout_ns'])} for the timeline"),
    ]
    rows += [("vehicle", _vehicle(vehicle)) for vehicle in execution["vehicles"]]
    yield from table(rows, indent="")


def _vehicle(vehicle: Mapping[str, Any]) -> str:
    where = f"at {place_words(vehicle['spawn'])}, topics under /{vehicle['namespace']}"
    return f"{vehicle['name']}, a {vehicle['robot']} {where}"


def _section(title: str, items: Iterable[_Item]) -> Iterator[str]:
    """Yield a title and its items, each a row of cells with what belongs to it below."""
    listed = list(items)
    if not listed:
        return
    yield ""
    yield title
    heads = table([cells for cells, _ in listed])
    for head, (_, details) in zip(heads, listed, strict=True):
        yield head
        yield from table(details, indent=" " * 6)


def _entry(entry: Mapping[str, Any]) -> _Item:
    resolved = dict(entry["resolved"])
    if len(resolved) == 1:
        (only,) = resolved.values()
        resolved = dict(only) if isinstance(only, Mapping) and only else resolved
    if resolved.get("vehicle") == entry["vehicle"]:
        resolved.pop("vehicle", None)
    known = set(_keys(resolved))
    params = {key: value for key, value in entry["params"].items() if key not in known}
    cells = [
        entry["label"],
        entry["action"],
        entry["vehicle"] or "",
        trigger_words(entry["trigger"]),
    ]
    return cells, _details({**resolved, **params})


def _judge(judge: Mapping[str, Any]) -> _Item:
    spec = judge["spec"]
    about = judge["topic"] or judge["model"] or spec.get("action") or spec.get("vehicle") or ""
    details: dict[str, Any] = {}
    if judge["model"] and judge["model"] != about:
        details["model"] = judge["model"]
    if judge["target"]:
        details["target"] = judge["target"]
    window = _window(spec)
    told = {about, spec.get("action")} if window else {about}
    details |= {
        key: value
        for key, value in judge["resolved"].items()
        if not (isinstance(value, str) and value in told)
    }
    known = {*_keys(details), *_HEAD, *_RESOLVED}
    details |= {key: value for key, value in spec.items() if key not in known}
    if judge.get("on_fail") == "abort":
        details["on_fail"] = "abort"
    return [judge["name"], judge["type"], about, window], _details(details)


def _window(spec: Mapping[str, Any]) -> str:
    if not any(key in spec for key in _WINDOW):
        return ""
    if spec.get("action"):
        return f"while {spec['action']} runs"
    begin = f"from {spec.get('after_s', 0):g} s"
    return f"{begin} to {spec['within_s']:g} s" if "within_s" in spec else f"{begin} to the end"


def _details(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what stands below a line; a list of mappings takes a line for each."""
    rows: list[tuple[str, str]] = []
    for key, value in values.items():
        if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            keys = [key, *[""] * (len(value) - 1)]
            words = step_words if key == "steps" and _are_steps(value) else value_words
            rows += zip(keys, map(words, value), strict=True)
        elif key == "value":  # of a parameter, whose type counts: 1.0 is not 1
            rows.append((key, json.dumps(value, ensure_ascii=False)))
        elif value not in ({}, [], None):
            rows.append((key, value_words(value)))
    return rows


def _are_steps(value: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether these are planned steps, rather than a plugin's own of that name."""
    return all(one.get("kind") in one for one in value)


def _keys(value: Any) -> Iterator[str]:
    """Yield every key of a piece of data, inner ones included."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from _keys(item)
