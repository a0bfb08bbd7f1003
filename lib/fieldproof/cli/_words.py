"""The parts of a plan in words: times, triggers, places, signals, values."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_NS = 1_000_000_000
_NARROWEST = 20
_PLACE = {"x", "y", "z", "yaw"}


def seconds(ns: int) -> str:
    """Return nanoseconds in seconds, to the last digit."""
    whole, rest = divmod(ns, _NS)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{whole}{fraction} s"


def trigger_words(trigger: Mapping[str, Any]) -> str:
    """Return when an entry happens, of a trigger of the execution plan.

    A moment is one of the timeline's clock, counted from the timeline's start.
    """
    at_ns: int = trigger["at_ns"]
    offset = f"{seconds(at_ns)} after " if at_ns else ""
    if trigger["after"]:
        ended = "has ended ok" if len(trigger["after"]) == 1 else "have ended ok"
        begin = f"{offset or 'once '}{joined(trigger['after'])} {ended}"
    elif trigger["when"]:
        when = trigger["when"]
        begin = f"{offset or 'once '}{' '.join(when['condition'].split())} ({signal_words(when)})"
        if trigger["within_ns"] is not None:
            begin += f", by {seconds(trigger['within_ns'])} or never"
    else:
        begin = f"at {seconds(at_ns)}"
    return begin + _repetition(trigger)


def _repetition(trigger: Mapping[str, Any]) -> str:
    if trigger["every_ns"] is None:
        return ""
    words = f", then every {seconds(trigger['every_ns'])}"
    if trigger["count"] is not None:
        words += f", {trigger['count']} times" if trigger["count"] != 1 else ", once"
    if trigger["until_ns"] is not None:
        words += f", until {seconds(trigger['until_ns'])}"
    if trigger["count"] is None and trigger["until_ns"] is None:
        words += ", as long as the timeline lasts"
    return words


def signal_words(signal: Mapping[str, Any]) -> str:
    """Return a resolved signal: the field of an absolute topic, or a metric of a model."""
    if signal.get("topic"):
        return f"{signal['topic']} {signal['field']}"
    owner, target = signal.get("model"), signal.get("target")
    words = f"{owner}'s {signal['metric']}" if owner else str(signal["metric"])
    if target:
        words += f" x {_number(target['x'])} m, y {_number(target['y'])} m in the world"
    return words


def place_words(pose: Mapping[str, Any]) -> str:
    """Return a pose, its z unless it is 0; one without a frame of its own is in the world."""
    words = [f"{key} {_number(pose[key])} m" for key in ("x", "y")]
    if pose.get("z"):
        words.append(f"z {_number(pose['z'])} m")
    if "yaw" in pose:
        words.append(f"yaw {_number(pose['yaw'])} rad")
    return f"{', '.join(words)} in {pose.get('frame_id', 'the world')}"


def _number(value: float) -> str:
    """Return a length or an angle to a tenth of a millimetre or of a milliradian."""
    return f"{round(value, 4) + 0.0:.10g}"


def value_words(value: Any) -> str:
    """Return a piece of JSON data on one line; places and signals in their own words.

    What a mapping does not set is left out.
    """
    if isinstance(value, Mapping):
        return _mapping_words(value)
    if isinstance(value, list | tuple):
        inner = ", ".join(value_words(item) for item in value)
        return f"[{inner}]"
    if isinstance(value, float):
        return f"{value:g}" if abs(value) < 1e15 else repr(value)  # noqa: PLR2004
    if isinstance(value, str) and value.isprintable():
        return value
    return json.dumps(value, ensure_ascii=False)


def _mapping_words(value: Mapping[str, Any]) -> str:
    if is_place(value):
        return place_words(value)
    if value.get("metric") or (value.get("topic") and value.get("field")):
        return signal_words(value)
    pairs = ((key, item) for key, item in value.items() if item is not None)
    return ", ".join(f"{key} {value_words(item)}" for key, item in pairs)


def is_place(value: Any) -> bool:
    """Return whether a value is a pose."""
    if not isinstance(value, Mapping) or not {"x", "y"} <= set(value) <= _PLACE | {"frame_id"}:
        return False
    return all(isinstance(value[key], int | float) for key in _PLACE & set(value))


def step_words(step: Mapping[str, Any]) -> str:
    """Return a planned step of a sequence: what it waits for."""
    if step["kind"] == "action":
        how = "has started" if step["event"] == "started" else "has ended ok"
        words = f"{step['action']} {how}"
    elif step["kind"] == "assertion":
        words = f"{step['assertion']} has passed"
    else:
        condition = " ".join(step["condition"].split())
        words = f"{condition} ({signal_words(step['signal'])})"
    return f"{step['name']}: {words}" if step.get("name") else words


def joined(names: Sequence[str]) -> str:
    """Return names as a sentence lists them."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def table(
    rows: Iterable[Sequence[str]], *, indent: str = "  ", width: int | None = None
) -> list[str]:
    """Return rows as lines in which each column but the last is as wide as its widest cell.

    Args:
        rows: Cells of text, the same number in each.
        indent: What each line begins with.
        width: Where lines are broken, the rest of a last cell going below its beginning; nowhere
            when None.
    """
    kept = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*(row[:-1] for row in kept), strict=True)]
    lines: list[str] = []
    for *head, last in kept:
        begin = indent + "".join(
            f"{cell:<{space}}  " for cell, space in zip(head, widths, strict=True)
        )
        lines += [line.rstrip() for line in _broken(begin, last, width)]
    return lines


def _broken(begin: str, text: str, width: int | None) -> list[str]:
    room = 0 if width is None else width - len(begin) - 1
    if room < _NARROWEST:
        return [begin + text]
    first, *rest = textwrap.wrap(text, room) or [""]
    return [begin + first, *(" " * len(begin) + line for line in rest)]
