"""What must agree within one scenario file: names used once, and names that exist."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fieldproof.model._bases import AssertionBase, KpiBase, TimelineBase
from fieldproof.model._fields import find_value
from fieldproof.model._problems import Path, Problem, nearest, shown
from fieldproof.model._settings import VehicleSettings
from fieldproof.model._strict import Strict


def reference_problems(
    data: Mapping[str, Any],
    *,
    timeline: Sequence[TimelineBase | None],
    assertions: Sequence[AssertionBase | None],
    kpis: Sequence[KpiBase | None],
    lost: Mapping[Path, frozenset[str]],
) -> list[Problem]:
    """Return where the parts of a scenario disagree, with paths from the root of the file.

    Entries that could not be read still count by the names they give themselves, so that one
    fault does not bring others with it.

    Args:
        data: The whole file.
        timeline: As far as it was read; None in the place of what is no entry.
        assertions: Likewise.
        kpis: Likewise.
        lost: Names of the keys that could not be read, by the path of their entry.
    """
    vehicles = given(data.get("vehicles"), "name")
    labels = labels_of(data.get("timeline"), timeline, lost)
    names = given(data.get("assertions"), "name")
    checks = _Checks(
        _known(vehicles) if isinstance(data.get("vehicles"), list) else None,
        _known(labels) if isinstance(data.get("timeline", []), list) else None,
        _texts_of_unnamed(data.get("vehicles"), vehicles, VehicleSettings),
        _texts_of_unnamed(data.get("timeline"), labels, TimelineBase),
        lost,
    )
    return [
        *_once("vehicles", "name", vehicles),
        *_once("vehicles", "namespace", given(data.get("vehicles"), "namespace")),
        *_once("timeline", "name", labels),
        *_once("assertions", "name", names),
        *_kpi_names(names, given(data.get("kpis"), "name")),
        *checks.predecessors(timeline, labels),
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


def labels_of(
    items: object,
    timeline: Sequence[TimelineBase | None],
    lost: Mapping[Path, frozenset[str]],
) -> list[str | None]:
    """Return the label of every entry; None for one whose label cannot be told."""
    labels: list[str | None] = []
    for place, (name, entry) in enumerate(zip(given(items, "name"), timeline, strict=False)):
        label = name
        if label is None and entry is not None:
            in_doubt = lost.get(("timeline", place), frozenset()) & {"name", "at", "action"}
            label = None if in_doubt else entry.label
        labels.append(label)
    return labels


def doubtful(data: Mapping[str, Any], labels: Sequence[str | None]) -> frozenset[str]:
    """Return the sections with an item whose name cannot be told: it may be any unknown one."""
    names = {key: given(data.get(key), "name") for key in ("vehicles", "assertions")}
    names["timeline"] = list(labels)
    return frozenset(
        key
        for key, known in names.items()
        if None in known or not isinstance(data.get(key, []), list)
    )


def _texts_of_unnamed(
    items: object, names: Sequence[str | None], kind: type[Strict]
) -> frozenset[str] | None:
    """Return the texts in items whose name cannot be told, one of which may be meant as it.

    None where all names can be told.
    """
    unnamed = [
        item
        for item, name in zip(items if isinstance(items, list) else (), names, strict=False)
        if name is None
    ]
    if not unnamed:
        return None
    pairs = (item.items() for item in unnamed if isinstance(item, Mapping))
    return frozenset(
        value
        for one in pairs
        for key, value in one
        if isinstance(value, str) and key not in kind.model_fields
    )


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

    vehicle_names: tuple[str, ...] | None
    labels: tuple[str, ...] | None
    perhaps_vehicles: frozenset[str] | None
    perhaps_labels: frozenset[str] | None
    lost: Mapping[Path, frozenset[str]]

    def misses(self, label: str) -> bool:
        """Return whether no entry of the timeline can have a label."""
        if self.labels is None or label in self.labels:
            return False
        perhaps = self.perhaps_labels
        return perhaps is None or not (label in perhaps or "@" in label)

    def misses_vehicle(self, name: str) -> bool:
        """Return whether no vehicle can have a name."""
        if not self.vehicle_names or name in self.vehicle_names:
            return False
        return name not in (self.perhaps_vehicles or ())

    def predecessors(
        self, timeline: Sequence[TimelineBase | None], own: Sequence[str | None]
    ) -> Iterator[Problem]:
        labels = self.labels or ()
        entries = {label: one for label, one in zip(own, timeline, strict=True) if label and one}
        places = {label: place for place, label in enumerate(own) if label and label in entries}
        for place, entry in enumerate(timeline):
            if entry is None or entry.after is None:
                continue
            for number, label in enumerate(entry.after):
                path: Path = ("timeline", place, "after")
                if len(entry.after) > 1:
                    path = (*path, number)
                if self.misses(label):
                    others = [one for one in labels if one != own[place]]
                    yield Problem(
                        f"unknown timeline entry {shown(label)}", path, nearest(label, others)
                    )
                elif label == own[place]:
                    continue  # the entry's own check says so
                elif label in entries and entries[label].every is not None:
                    hint = "a repeated entry has no one end"
                    yield Problem(f"{shown(label)} is repeated", path, hint)
        yield from _cycles(entries, places)

    def references(
        self, section: str, items: object, entries: Sequence[Strict | None]
    ) -> Iterator[Problem]:
        """Yield the vehicles and timeline entries that a section names and that do not exist."""
        vehicles, actions = given(items, "vehicle"), given(items, "action")
        for place, entry in enumerate(entries):
            refers_to_vehicles = _present(vehicles[place])
            refers_to_actions = _present(actions[place] if section != "timeline" else None)
            in_part = (section, place) in self.lost
            if isinstance(entry, TimelineBase | AssertionBase | KpiBase):
                refers_to_vehicles = _named(entry.vehicle_names, refers_to_vehicles, in_part)
            if isinstance(entry, AssertionBase | KpiBase):
                refers_to_actions = _named(entry.action_names, refers_to_actions, in_part)
            for name in dict.fromkeys(refers_to_vehicles):
                if self.misses_vehicle(name):
                    path = (section, place, *_path_to(entry, name, ("vehicle",)))
                    hint = nearest(name, self.vehicle_names or ())
                    yield Problem(f"unknown vehicle {shown(name)}", path, hint)
            for label in dict.fromkeys(refers_to_actions):
                if self.misses(label):
                    path = (section, place, *_path_to(entry, label, ("action", "start", "end")))
                    hint = nearest(label, self.labels or ())
                    yield Problem(f"unknown timeline entry {shown(label)}", path, hint)


def _named(
    names: Callable[[], tuple[str, ...]],
    raw: tuple[str, ...],
    in_part: bool,  # noqa: FBT001 - whether the entry was read in part
) -> tuple[str, ...]:
    """Return what an entry refers to; of one read in part, at least what it plainly says."""
    if not in_part:
        return names()
    try:
        return (*names(), *raw)
    except Exception:  # noqa: BLE001 - a plugin's method, which may need what was not read
        return raw


def _present(text: str | None) -> tuple[str, ...]:
    return () if text is None else (text,)


def _path_to(entry: Strict | None, name: str, usual: tuple[str, ...]) -> Path:
    if entry is None:
        return usual[:1]
    for key in usual:
        if getattr(entry, key, None) == name:
            return (key,)
    found = find_value(entry, name)
    return usual[:1] if found is None else found


def _cycles(entries: dict[str, TimelineBase], places: dict[str, int]) -> Iterator[Problem]:
    """Yield one problem for each cycle of `after`, at the entry of it that comes first."""
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
