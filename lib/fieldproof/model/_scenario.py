import pathlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fieldproof.model._bases import AssertionBase, KpiBase, TimelineBase
from fieldproof.model._fields import field_type
from fieldproof.model._overlay import Overlay
from fieldproof.model._problems import Path, Problem, ScenarioError, nearest, shown
from fieldproof.model._reader import read_yaml_file_in_part, read_yaml_in_part
from fieldproof.model._references import doubtful, given, labels_of, reference_problems
from fieldproof.model._salvage import Salvage, salvaged
from fieldproof.model._settings import (
    Outputs,
    RunBudget,
    ScenarioFile,
    TimeSettings,
    VehicleSettings,
)
from fieldproof.model._source import Document, InPart, SourceMap
from fieldproof.model._strict import Strict
from fieldproof.model._validate import Finding, examined

_Entries = Mapping[str, type[Strict]]


@dataclass(frozen=True, slots=True)
class Draft:
    """A scenario as far as it could be read: what is None has a problem that says why.

    Lists keep the places of the file, so that `timeline[2]` is the third entry of the file even
    if the second could not be read. Of what has a fault, `salvage` holds the sound rest by its
    path, and it stands in its place as well. `unused` are the values of the overlay that had no
    effect. `vehicle_names`, `labels` (of which `repeated` have every) and `assertion_names` are
    those of every item that names itself, read or not; `doubtful` names the sections with an item
    that may have any name.
    """

    source: SourceMap
    name: str | None
    description: str
    world: str | None
    time: TimeSettings | None
    vehicles: tuple[VehicleSettings | None, ...]
    timeline: tuple[TimelineBase | None, ...]
    assertions: tuple[AssertionBase | None, ...]
    kpis: tuple[KpiBase | None, ...]
    outputs: Outputs | None
    budget: RunBudget | None
    unused: tuple[str, ...]
    problems: tuple[Problem, ...]
    vehicle_names: tuple[str, ...]
    labels: tuple[str, ...]
    repeated: frozenset[str]
    assertion_names: tuple[str, ...]
    doubtful: frozenset[str]
    salvage: Mapping[Path, Salvage[Any]]
    read: InPart

    def lost(self, path: Path) -> frozenset[str]:
        """Return the names of the keys of a part that could not be read."""
        rest = self.salvage.get(path)
        return rest.lost if rest is not None else frozenset()

    def scenario(self, more: Iterable[Problem] = ()) -> "Scenario":
        """Return the scenario if nothing is wrong with it.

        Args:
            more: Problems found since, with positions.

        Raises:
            ScenarioError: With every problem in the order of the file, each once.
        """
        found = (one for one in more if not self.read.brings(one))
        problems = dict.fromkeys((*self.problems, *found))
        if problems:
            raise ScenarioError(sorted(problems, key=lambda one: (one.file, one.line, one.column)))
        assert self.name is not None
        assert self.world is not None
        assert self.time is not None
        assert self.outputs is not None
        assert self.budget is not None
        return Scenario(
            name=self.name,
            description=self.description,
            world=self.world,
            time=self.time,
            vehicles=tuple(one for one in self.vehicles if one),
            timeline=tuple(one for one in self.timeline if one),
            assertions=tuple(one for one in self.assertions if one),
            kpis=tuple(one for one in self.kpis if one),
            outputs=self.outputs,
            budget=self.budget,
            unused=self.unused,
        )


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario that is sound in itself; world and manifests are not looked at yet.

    `unused` are the values of the overlay that had no effect.
    """

    name: str
    description: str
    world: str
    time: TimeSettings
    vehicles: tuple[VehicleSettings, ...]
    timeline: tuple[TimelineBase, ...]
    assertions: tuple[AssertionBase, ...]
    kpis: tuple[KpiBase, ...]
    outputs: Outputs
    budget: RunBudget
    unused: tuple[str, ...] = ()


def load_scenario(
    source: pathlib.Path | str,
    *,
    file: str | None = None,
    event_types: Mapping[str, type[TimelineBase]],
    assertion_types: Mapping[str, type[AssertionBase]],
    kpi_types: Mapping[str, type[KpiBase]] | None = None,
) -> tuple[Scenario, SourceMap]:
    """Return the scenario in a file or a text, and where each value of it stands.

    Args:
        source: A path, or the text itself.
        file: What positions name; the path when absent.
        event_types: The entry of each action.
        assertion_types: The specification of each assertion type.
        kpi_types: The specification of each collector.

    Raises:
        OSError: The file cannot be read.
        ScenarioError: With everything that is wrong with the scenario in itself.
    """
    draft = draft_scenario(
        source,
        file=file,
        event_types=event_types,
        assertion_types=assertion_types,
        kpi_types=kpi_types,
    )
    return draft.scenario(), draft.source


def draft_scenario(
    source: pathlib.Path | str,
    *,
    file: str | None = None,
    event_types: Mapping[str, type[TimelineBase]],
    assertion_types: Mapping[str, type[AssertionBase]],
    kpi_types: Mapping[str, type[KpiBase]] | None = None,
    overlay: Overlay | None = None,
) -> Draft:
    """Return the scenario as far as it can be read, with its problems; see `load_scenario`.

    Args:
        source: A path, or the text itself.
        file: What positions name; the path when absent.
        event_types: The entry of each action.
        assertion_types: The specification of each assertion type.
        kpi_types: The specification of each collector.
        overlay: Values for what the scenario leaves open.

    Raises:
        OSError: The file cannot be read.
        ScenarioError: It is no YAML, or no mapping.
    """
    if isinstance(source, str):
        read = read_yaml_in_part(source, file=file or "scenario.yaml")
    else:
        read = read_yaml_file_in_part(source, file=file)
    document = read.document
    if not isinstance(document.value, Mapping):
        what = f"must be a mapping (got {shown(document.value)})"
        raise ScenarioError(read.problems or document.source.place(Problem(what)))
    filled, unused = (overlay or Overlay()).filled(document.value)
    document = Document(filled, document.source)
    reading = _Reading(document)
    parts = reading.head()
    vehicles = reading.vehicles()
    timeline = reading.listed("timeline", "action", event_types, TimelineBase)
    assertions = reading.listed("assertions", "type", assertion_types, AssertionBase)
    kpis = reading.listed("kpis", "type", kpi_types or {}, KpiBase)
    problems = [one.placed(document.source) for one in reading.findings]
    lost = {path: one.lost for path, one in reading.salvage.items()}
    found = reference_problems(
        document.value,
        timeline=timeline,
        assertions=assertions,
        kpis=kpis,
        lost=lost,
    )
    problems += [document.source.place(one) for one in found]
    labels = labels_of(document.value.get("timeline"), timeline, lost)
    problems = [*read.problems, *(one for one in problems if not read.brings(one))]
    return Draft(
        source=document.source,
        name=parts["name"],
        description=parts["description"] or "",
        world=parts["world"],
        time=parts["time"],
        vehicles=vehicles,
        timeline=timeline,
        assertions=assertions,
        kpis=kpis,
        outputs=parts["outputs"],
        budget=parts["budget"],
        unused=unused,
        problems=tuple(problems),
        vehicle_names=_present(given(document.value.get("vehicles"), "name")),
        labels=_present(labels),
        repeated=frozenset(
            label
            for label, one in zip(labels, timeline, strict=True)
            if label and one and one.every is not None
        ),
        doubtful=doubtful(document.value, labels),
        assertion_names=_present(given(document.value.get("assertions"), "name")),
        salvage=reading.salvage,
        read=read,
    )


def _present(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(name for name in names if name is not None)


class _Reading:
    """Reads the parts of one document, each on its own, and keeps what is wrong with them."""

    def __init__(self, document: Document) -> None:
        self._data: Mapping[str, Any] = document.value
        self.findings: list[Finding] = []
        self.salvage: dict[Path, Salvage[Any]] = {}

    def head(self) -> dict[str, Any]:
        """Return the value of every key of the file, None where it could not be read."""
        fields = ScenarioFile.model_fields
        for key in self._data:
            if key == "network":
                what = "radio links are not part of this version"
                self._find(Problem(what, (key,), "remove the section"), on_key=True)
            elif key not in fields:
                self._find(Problem("unknown key", (key,), nearest(key, fields)), on_key=True)
        parts: dict[str, Any] = {}
        for key, field in fields.items():
            parts[key] = None
            if key in self._data:
                kind: Any = field.annotation
                if isinstance(kind, type) and issubclass(kind, Strict):
                    parts[key] = self._part(kind, self._data[key], (key,), base=kind)
                else:
                    parts[key], findings = examined(field_type(field), self._data[key])
                    self._add(findings, (key,))
            elif field.is_required():
                self._find(Problem("is missing", (key,)))
            else:
                parts[key] = field.get_default(call_default_factory=True, validated_data={})
        return parts

    def vehicles(self) -> tuple[Any, ...]:
        """Return the vehicles; None in the place of what is none."""
        return tuple(
            self._part(VehicleSettings, item, ("vehicles", place))
            for place, item in enumerate(self._items("vehicles"))
        )

    def listed(
        self, section: str, key: str, kinds: _Entries, base: type[Strict]
    ) -> tuple[Any, ...]:
        """Return the items of a list, each read as the type that one of its keys names.

        Of an item whose type is not known what every such item has is read; what is no mapping
        becomes None.
        """
        read: list[Any] = []
        for place, item in enumerate(self._items(section)):
            path: Path = (section, place)
            if not isinstance(item, Mapping):
                self._find(Problem(f"must be a mapping (got {shown(item)})", path))
                read.append(None)
                continue
            kind = self._chosen(item, path, key, kinds)
            if kind is None:
                read.append(self._common_part(base, item, path, key))
            else:
                read.append(self._part(kind, item, path, base=base))
        return tuple(read)

    def _items(self, section: str) -> list[Any]:
        items = self._data.get(section)
        return items if isinstance(items, list) else []

    def _chosen(
        self, item: Mapping[str, Any], path: Path, key: str, kinds: _Entries
    ) -> type[Strict] | None:
        chosen = item.get(key)
        if isinstance(chosen, str) and chosen in kinds:
            return kinds[chosen]
        if key not in item:
            self._find(Problem("is missing", (*path, key), nearest("", kinds)))
        elif not isinstance(chosen, str):
            self._find(Problem(f"must be text (got {shown(chosen)})", (*path, key)))
        else:
            hint = nearest(chosen, kinds)
            self._find(Problem(f"unknown {key} {shown(chosen)}", (*path, key), hint))
        return None

    def _part(
        self, kind: type[Strict], data: object, path: Path, *, base: type[Strict] | None = None
    ) -> Any:
        """Return a part of the file, or the sound rest of it; None of what is no mapping."""
        value, findings = examined(kind, data)
        self._add(findings, path)
        if not findings or not isinstance(data, Mapping):
            return value
        rest = salvaged(kind, data, findings, base=base)
        self._add(rest.findings, path)
        self.salvage[path] = rest
        return rest.value

    def _common_part(
        self, base: type[Strict], item: Mapping[str, Any], path: Path, key: str
    ) -> Any:
        """Return what every item of a section has, of one whose own type is not known."""
        common = {name: value for name, value in item.items() if name in base.model_fields}
        value, findings = examined(base, common)
        self._add((one for one in findings if one.problem.path[:1] != (key,)), path)
        unknown = Finding(Problem("is not known", (key,)))
        rest = salvaged(base, common, findings or [unknown], base=base)
        self._add(rest.findings, path)
        self.salvage[path] = replace(rest, lost=rest.lost | {key}, whole=False)
        return value or rest.value

    def _find(self, problem: Problem, *, on_key: bool = False) -> None:
        self.findings.append(Finding(problem, on_key))

    def _add(self, findings: Iterable[Finding], prefix: Path) -> None:
        for one in findings:
            self.findings.append(Finding(one.problem.under(prefix), one.on_key, one.offset))
