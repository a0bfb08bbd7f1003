import pathlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fieldproof.model._bases import AssertionBase, KpiBase, TimelineBase
from fieldproof.model._overlay import Overlay
from fieldproof.model._problems import Path, Problem, ScenarioError, nearest, shown
from fieldproof.model._reader import read_yaml, read_yaml_file
from fieldproof.model._references import given, labels_of, reference_problems
from fieldproof.model._settings import (
    Outputs,
    RunBudget,
    ScenarioFile,
    TimeSettings,
    VehicleSettings,
)
from fieldproof.model._source import Document, SourceMap
from fieldproof.model._strict import Strict
from fieldproof.model._validate import Finding, examined

_Entries = Mapping[str, type[Strict]]


@dataclass(frozen=True, slots=True)
class Draft:
    """A scenario as far as it could be read: what is None has a problem that says why.

    Lists keep the places of the file, so that `timeline[2]` is the third entry of the file even
    if the second could not be read. `unused` are the values of the overlay that had no effect.
    `vehicle_names`, `labels` and `assertion_names` are those of
    every item that names itself, read or not.
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
    assertion_names: tuple[str, ...]

    def scenario(self, more: Iterable[Problem] = ()) -> "Scenario":
        """Return the scenario if nothing is wrong with it.

        Args:
            more: Problems found since, with positions.

        Raises:
            ScenarioError: With every problem in the order of the file, each once.
        """
        problems = dict.fromkeys((*self.problems, *more))
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
        document = read_yaml(source, file=file or "scenario.yaml")
    else:
        document = read_yaml_file(source, file=file)
    if not isinstance(document.value, Mapping):
        what = f"must be a mapping (got {shown(document.value)})"
        raise ScenarioError(document.source.place(Problem(what)))
    filled, unused = (overlay or Overlay()).filled(document.value)
    document = Document(filled, document.source)
    reading = _Reading(document)
    parts = reading.head()
    vehicles = reading.listed("vehicles", lambda _item, _path: VehicleSettings)
    timeline = reading.listed("timeline", reading.chooser("action", event_types))
    assertions = reading.listed("assertions", reading.chooser("type", assertion_types))
    kpis = reading.listed("kpis", reading.chooser("type", kpi_types or {}))
    problems = [one.placed(document.source) for one in reading.findings]
    found = reference_problems(document.value, timeline=timeline, assertions=assertions, kpis=kpis)
    problems += [document.source.place(one) for one in found]
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
        labels=_present(labels_of(document.value.get("timeline"), timeline)),
        assertion_names=_present(given(document.value.get("assertions"), "name")),
    )


def _present(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(name for name in names if name is not None)


class _Reading:
    """Reads the parts of one document, each on its own, and keeps what is wrong with them."""

    def __init__(self, document: Document) -> None:
        self._data: Mapping[str, Any] = document.value
        self.findings: list[Finding] = []

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
                for metadata in field.metadata:
                    kind = Annotated[kind, metadata]
                value, findings = examined(kind, self._data[key])
                parts[key] = value
                self._add(findings, (key,))
            elif field.is_required():
                self._find(Problem("is missing", (key,)))
            else:
                parts[key] = field.get_default(call_default_factory=True, validated_data={})
        return parts

    def listed(self, key: str, choose: Any) -> tuple[Any, ...]:
        """Return the items of a list, each read as the type that `choose` gives; None if not."""
        items = self._data.get(key)
        read: list[Any] = []
        for place, item in enumerate(items if isinstance(items, list) else ()):
            kind = choose(item, (key, place))
            value = None
            if kind is not None:
                value, findings = examined(kind, item)
                self._add(findings, (key, place))
            read.append(value)
        return tuple(read)

    def chooser(self, key: str, kinds: _Entries) -> Any:
        """Return the function that picks an entry's type by one of its keys."""

        def choose(item: object, path: Path) -> type[Strict] | None:
            if not isinstance(item, Mapping):
                self._find(Problem(f"must be a mapping (got {shown(item)})", path))
                return None
            if key not in item:
                self._find(Problem("is missing", (*path, key), nearest("", kinds)))
                return None
            chosen = item[key]
            if not isinstance(chosen, str):
                self._find(Problem(f"must be text (got {shown(chosen)})", (*path, key)))
                return None
            if chosen not in kinds:
                hint = nearest(chosen, kinds)
                self._find(Problem(f"unknown {key} {shown(chosen)}", (*path, key), hint))
                return None
            return kinds[chosen]

        return choose

    def _find(self, problem: Problem, *, on_key: bool = False) -> None:
        self.findings.append(Finding(problem, on_key))

    def _add(self, findings: Iterable[Finding], prefix: Path) -> None:
        for one in findings:
            self.findings.append(Finding(one.problem.under(prefix), one.on_key, one.offset))
