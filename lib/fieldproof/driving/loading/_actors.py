"""What a scenario says of its actors that cannot be meant so, or is hardly meant so."""

from collections.abc import Iterator, Mapping
from typing import Any

from fieldproof.driving.files import ScenarioFile
from fieldproof.model import Document, Problem, nearest, shown
from fieldproof_sim.mock import CROSSING, known_patterns, pattern_name

_ALIKE = 0.8
"""How alike a pattern or type is to a known one that was probably meant (`difflib`'s ratio)."""
_ALWAYS_HOLDS = "no_collision"
_SO = {
    _ALWAYS_HOLDS: "so that it would always hold",
    "min_distance": "so that it always fails",
    "max_speed_when_actor_near": "so that it does not apply",
}
"""What becomes of an assertion over a type that no actor has."""
_TYPES = ("cyclist", "emergency_vehicle", "pedestrian", "vehicle")
"""Types that are usual; every other is fine, too."""


def refused_actor_types(document: Document, scenario: ScenarioFile) -> Iterator[Problem]:
    """Yield the assertions over a type that no actor has, so that they could never fail."""
    for place, item in _strangers(scenario):
        if item["type"] == _ALWAYS_HOLDS:
            yield _stranger(document, scenario, place, item)


def doubts_of(document: Document, scenario: ScenarioFile) -> list[Problem]:
    """Return what is allowed and hardly meant so, with its places."""
    return [
        *_doubtful_actors(document, scenario),
        *(
            _stranger(document, scenario, place, item)
            for place, item in _strangers(scenario)
            if item["type"] != _ALWAYS_HOLDS
        ),
    ]


def _strangers(scenario: ScenarioFile) -> Iterator[tuple[int, Mapping[str, Any]]]:
    known = {actor.type for actor in scenario.actors}
    for place, item in enumerate(scenario.assertions):
        kind, wanted = item.get("type"), item.get("actor_type")
        if not isinstance(kind, str) or not isinstance(wanted, str):
            continue  # said where assertions are read
        if kind in _SO and wanted not in known:
            yield place, item


def _stranger(
    document: Document, scenario: ScenarioFile, place: int, item: Mapping[str, Any]
) -> Problem:
    what = f"no actor is of the type {shown(item['actor_type'])}, {_SO[item['type']]}"
    hint = nearest(item["actor_type"], {actor.type for actor in scenario.actors})
    path = ("assertions", place, "actor_type")
    return document.source.place(Problem(what, path, hint or "the scenario has no actors"))


def _doubtful_actors(document: Document, scenario: ScenarioFile) -> Iterator[Problem]:
    for place, actor in enumerate(scenario.actors):
        hint = nearest(actor.type, _TYPES, cutoff=_ALIKE)
        if actor.type not in _TYPES and _is_close(hint):
            what = f"{shown(actor.type)} is none of the usual types, but close to one"
            yield document.source.place(Problem(what, ("actors", place, "type"), hint))
        name = pattern_name(actor.behavior.pattern)
        if name in known_patterns() or CROSSING in name:
            continue
        hint = nearest(name, known_patterns(), cutoff=_ALIKE)
        if not _is_close(hint):
            words = [nearest(word, [CROSSING], cutoff=_ALIKE) for word in name.split()]
            hint = next(filter(_is_close, words), "")
        if _is_close(hint):
            what = (
                f"{shown(actor.behavior.pattern)} is no pattern, "
                "so that the actor keeps its speed and heading"
            )
            path = ("actors", place, "behavior", "pattern")
            yield document.source.place(Problem(what, path, hint))


def _is_close(hint: str) -> bool:
    return hint.startswith("nearest")
