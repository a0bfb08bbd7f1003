"""What must agree within one scenario file: names used once, and names that exist."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fieldproof.model._bases import AssertionBase, KpiBase, TimelineBase
from fieldproof.model._fields import find_value
from fieldproof.model._problems import Path, Problem, nearest, shown
from fieldproof.model._strict import Strict


def reference_problems(
    data: Mapping[str, Any],
    *,
    timeline: Sequence[TimelineBase | None],
    assertions: Sequence[AssertionBase | None],
    kpis: Sequence[KpiBase | None],
) -> list[Problem]:
    """Return where the parts of a scenario disagree, with paths from the root of the file.

    Entries that could not be read still count by the names they give themselves, so that one
    fault does not bring others with it.

    Args:
        data: The whole file.
        timeline: As read; None where an entry could not be.
        assertions: Likewise.
        kpis: Likewise.
    """
    vehicles = given(data.get("vehicles"), "name")
    labels = labels_of(data.get("timeline"), timeline)
    names = given(data.get("assertions"), "name")
    timeline_is_read = isinstance(data.get("timeline", []), list)
    checks = _Checks(_known(vehicles), _known(labels) if timeline_is_read else None)
    return [
        *_once("vehicles", "name", vehicles),
        *_once("vehicles", "namespace", given(data.get("vehicles"), "namespace")),
        *_once("timeline", "name", labels),
        *_once("assertions", "name", names),
        *_kpi_names(names, given(data.get("kpis"), "name")),
        *checks.predecessors(timeline),
        *checks.references("timeline", data.get("timeline"), timeline),
        *checks.references("assertions", data.get("assertions"), assertions),
        *checks.references("kpis", data.get("kpis"), kpis),
    ]


def given(items: object, key: str) -> list[str | None]:
    """Return the text under a key of every item of a list; None where there is none."""
    texts: list[str | None] = []
    for item in items if isinstance(items, list) else ():
        text = item.get(key) if isinstance(item, Mapping) else None
        texts.append(text if isinstance(text, str) else None)
    return texts


def labels_of(items: object, timeline: Sequence[TimelineBase | None]) -> list[str | None]:
    """Return the label of every entry; of one that could not be read, its name if it has one."""
    names = given(items, "name")
    pairs = zip(names, timeline, strict=False)
    return [entry.label if entry is not None else name for name, entry in pairs]


def _known(names: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(name for name in names if name is not None)


def _once(section: str, key: str, names: Sequence[str | None]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for place, name in enumerate(names):
        if name is None:
            continue
        if name in first:
            what = f"{shown(name)} is taken by {section}[{first[name]}]"
            hint = "give the entry a name" if "@" in name else ""
            yield Problem(what, (section, place, key), hint)
        else:
            first[name] = place


def _kpi_names(assertions: Sequence[str | None], kpis: Sequence[str | None]) -> Iterator[Problem]:
    """Yield collectors named like an assertion or a collector: figures are named after both."""
    taken = {name: f"assertions[{place}]" for place, name in enumerate(assertions) if name}
    for place, name in enumerate(kpis):
        if name is not None and name in taken:
            yield Problem(f"{shown(name)} is taken by {taken[name]}", ("kpis", place, "name"))
        elif name is not None:
            taken[name] = f"kpis[{place}]"


@dataclass(frozen=True, slots=True)
class _Checks:
    """Looks names up; where nothing could be read to look them up in, it finds no fault."""

    vehicle_names: tuple[str, ...]
    labels: tuple[str, ...] | None

    def predecessors(self, timeline: Sequence[TimelineBase | None]) -> Iterator[Problem]:
        entries = {one.label: one for one in timeline if one}
        labels = self.labels or ()
        for place, entry in enumerate(timeline):
            if entry is None or entry.after is None:
                continue
            for number, label in enumerate(entry.after):
                path: Path = ("timeline", place, "after")
                if len(entry.after) > 1:
                    path = (*path, number)
                if label not in labels:
                    others = [one for one in labels if one != entry.label]
                    yield Problem(
                        f"unknown timeline entry {shown(label)}", path, nearest(label, others)
                    )
                elif label in entries and entries[label].every is not None:
                    hint = "a repeated entry has no one end"
                    yield Problem(f"{shown(label)} is repeated", path, hint)
        yield from _cycles(timeline)

    def references(
        self, section: str, items: object, entries: Sequence[Strict | None]
    ) -> Iterator[Problem]:
        """Yield the vehicles and timeline entries that a section names and that do not exist."""
        vehicles, actions = given(items, "vehicle"), given(items, "action")
        for place, entry in enumerate(entries):
            refers_to_vehicles = _present(vehicles[place])
            refers_to_actions = _present(actions[place] if section != "timeline" else None)
            if isinstance(entry, TimelineBase | AssertionBase | KpiBase):
                refers_to_vehicles = entry.vehicle_names()
            if isinstance(entry, AssertionBase | KpiBase):
                refers_to_actions = entry.action_names()
            for name in dict.fromkeys(refers_to_vehicles):
                if self.vehicle_names and name not in self.vehicle_names:
                    path = (section, place, *_path_to(entry, name, ("vehicle",)))
                    hint = nearest(name, self.vehicle_names)
                    yield Problem(f"unknown vehicle {shown(name)}", path, hint)
            for label in dict.fromkeys(refers_to_actions):
                if self.labels is not None and label not in self.labels:
                    path = (section, place, *_path_to(entry, label, ("action", "start", "end")))
                    hint = nearest(label, self.labels)
                    yield Problem(f"unknown timeline entry {shown(label)}", path, hint)


def _present(text: str | None) -> tuple[str, ...]:
    return () if text is None else (text,)


def _path_to(entry: Strict | None, name: str, usual: tuple[str, ...]) -> Path:
    if entry is None:
        return usual[:1]
    for key in usual:
        if getattr(entry, key, None) == name:
            return (key,)
    return find_value(entry, name) or ()


def _cycles(timeline: Sequence[TimelineBase | None]) -> Iterator[Problem]:
    """Yield one problem for each cycle of `after`, at the entry of it that comes first."""
    entries = {one.label: one for one in timeline if one}
    places = {one.label: place for place, one in enumerate(timeline) if one}
    settled: set[str] = set()
    for start in entries:
        trail: dict[str, Iterator[str]] = {}
        if start not in settled:
            trail[start] = iter(_before(entries, start))
        while trail:
            label, rest = next(reversed(trail.items()))
            following = next(rest, None)
            if following is None:
                trail.popitem()
                settled.add(label)
            elif following in trail:
                labels = list(trail)
                yield _cycle_problem(labels[labels.index(following) :], places)
            elif following not in settled:
                trail[following] = iter(_before(entries, following))


def _before(entries: dict[str, TimelineBase], label: str) -> list[str]:
    return [one for one in entries[label].after or () if one in entries and one != label]


def _cycle_problem(loop: list[str], places: dict[str, int]) -> Problem:
    first = min(loop, key=lambda label: places[label])
    turn = loop.index(first)
    ordered = [*loop[turn:], *loop[:turn], first]
    text = " after ".join(ordered)
    return Problem(f"waits for itself: {text}", ("timeline", places[first], "after"))
