"""Whether evidence can answer what an evaluation asks: pure comparison of what was looked at."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fieldproof.model import canonical_document, shown

_NS = 1_000_000_000
_MOST_SHOWN = 5
_SHORT = 4
_NOTHING = object()


class UnanswerableError(Exception):
    """The evidence does not hold what the assertions ask for.

    Attributes:
        lacking: what is not there, a sentence each.
    """

    def __init__(self, lacking: Sequence[str]) -> None:
        super().__init__("; ".join(lacking))
        self.lacking = tuple(lacking)


def lacking(needs: Mapping[str, Any], has: Mapping[str, Any]) -> list[str]:
    """Return what an evaluation needs to have been observed and was not, a sentence each.

    Args:
        needs: the observation part of the plan to be evaluated.
        has: that of the plan that was run.
    """
    models = [f"the poses of {name}" for name in _more(needs, has, "models")]
    contacts = [f"the contacts of {one['vehicle']}" for one in _more(needs, has, "contacts")]
    values = [f"{one['topic']} {one['field']}" for one in _untyped(needs, has, "values")]
    rates = [
        f"the rate of {one['topic']} over {one['window_ns'] / _NS:g} s"
        for one in _untyped(needs, has, "rates")
    ]
    latencies = [
        f"the latency of {one['topic']} over {one['window_ns'] / _NS:g} s"
        for one in _untyped(needs, has, "latencies")
    ]
    states = [f"the state of {one['node']}" for one in _more(needs, has, "lifecycles")]
    return [
        f"the run did not observe {what}"
        for what in (*models, *contacts, *values, *rates, *latencies, *states)
    ]


def otherwise(asked: Mapping[str, Any], ran: Mapping[str, Any]) -> list[str]:
    """Return where a run would have gone otherwise by a scenario, and what to do, in sentences.

    Looked at are world, time, vehicles with their places, and the timeline. What a manifest says
    of a vehicle is not: a run stays one of that vehicle when its manifest is edited.

    Args:
        asked: the execution plan of the scenario to judge by.
        ran: that of the run.
    """
    as_read = json.loads(canonical_document(asked))
    found = list(_differences(_happening(as_read), _happening(ran), ""))
    if not found:
        return []
    said = [f"{path} was {was} in the run and is {now} in the scenario" for path, was, now in found]
    more = [f"{len(found) - _MOST_SHOWN} more differ"] if len(found) > _MOST_SHOWN else []
    return [*said[:_MOST_SHOWN], *more, "it takes a run of this scenario to judge by it"]


def unobserved(needs: Mapping[str, Any], has: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return what was not observed and a recording could tell, as an observation part.

    Args:
        needs: the observation part of the plan to be evaluated.
        has: that of the plan that was run.
    """
    return {kind: _untyped(needs, has, kind) for kind in ("values", "rates", "latencies")}


def unknown_entries(asked: Mapping[str, Iterable[str]], labels: Iterable[str]) -> list[str]:
    """Return the timeline entries that assertions name and the run had not, a sentence each.

    Args:
        asked: the labels that each assertion or collector names.
        labels: those of the run's timeline.
    """
    known = set(labels)
    return [
        f"{name} asks about {label}, which the run's timeline has not"
        for name, wanted in asked.items()
        for label in wanted
        if label not in known
    ]


def without_timeline(asked: Mapping[str, Iterable[str]]) -> list[str]:
    """Return what asks about a timeline's entries and has none to ask, a sentence each.

    Args:
        asked: the labels that each assertion or collector names.
    """
    return [
        f"{name} asks about {', '.join(dict.fromkeys(labels))}: a recording has no timeline, so no"
        " entry starts or ends in it (ask about a signal, or leave it out)"
        for name, labels in ((name, list(wanted)) for name, wanted in asked.items())
        if labels
    ]


def _happening(execution: Mapping[str, Any]) -> dict[str, Any]:
    """The part of an execution plan that says what happens, by names in place of numbers."""
    vehicles = {
        one["name"]: {key: one[key] for key in ("namespace", "robot", "spawn")}
        for one in execution["vehicles"]
    }
    timeline = {
        one["label"]: {key: value for key, value in one.items() if key not in {"label", "resolved"}}
        for one in execution["timeline"]
    }
    world = {key: execution["world"][key] for key in ("name", "frames", "origin")}
    return {
        "world": world,
        "time": execution["time"],
        "vehicles": vehicles,
        "timeline": timeline,
    }


def _differences(asked: Any, ran: Any, path: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(asked, Mapping) and isinstance(ran, Mapping):
        for key in dict.fromkeys((*ran, *asked)):
            below = f"{path}.{key}" if path else str(key)
            yield from _differences(asked.get(key, _NOTHING), ran.get(key, _NOTHING), below)
    elif asked != ran or type(asked) is not type(ran):
        yield path, _shown(ran), _shown(asked)


def _shown(value: Any) -> str:
    if value is _NOTHING:
        return "not there"
    return f"{value}" if isinstance(value, list) and len(value) <= _SHORT else shown(value)


def _more(needs: Mapping[str, Any], has: Mapping[str, Any], kind: str) -> list[Any]:
    there = has.get(kind, ())
    return [one for one in needs.get(kind, ()) if one not in there]


def _untyped(needs: Mapping[str, Any], has: Mapping[str, Any], kind: str) -> list[Any]:
    """The same for items with a message type, which only says how the topic is found."""
    there = [_without_type(one) for one in has.get(kind, ())]
    return [one for one in needs.get(kind, ()) if _without_type(one) not in there]


def _without_type(item: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key != "message_type"}
