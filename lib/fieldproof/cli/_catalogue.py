"""What a scenario can use here: events, assertions and collectors, and the plugins left out."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from fieldproof.assertions import assertion_registry
from fieldproof.cli._parameters import Parameter, parameters, unit_of
from fieldproof.events import event_registry
from fieldproof.kpis import kpi_registry
from fieldproof.model import AssertionBase, KpiBase, TimelineBase
from fieldproof.plan.registry import PluginProblem, Registry

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Kind:
    """One thing that a scenario can name.

    Attributes:
        name: The action or the type.
        summary: What it is for, in a sentence.
        distribution: The installed distribution that it comes from.
        parameters: The keys that it adds to those of every entry of its section, or narrows.
        metrics: What it measures, a sentence for each name; None for what does not measure.
    """

    name: str
    summary: str
    distribution: str
    parameters: tuple[Parameter, ...]
    metrics: Mapping[str, str] | None = None

    def to_data(self, key: str) -> dict[str, Any]:
        """Return it as JSON data, its name under the key that a scenario uses."""
        data = {
            key: self.name,
            "summary": self.summary,
            "distribution": self.distribution,
            "parameters": [one.to_data() for one in self.parameters],
        }
        if self.metrics is not None:
            data["metrics"] = [
                {"name": name, "unit": unit_of(name), "description": sentence}
                for name, sentence in self.metrics.items()
            ]
        return data


@dataclass(frozen=True, slots=True)
class Section:
    """The kinds of one section of a scenario.

    Attributes:
        title: What they are called together.
        part: The key of a scenario that holds them.
        key: The key that names the kind: `action` or `type`.
        common: The keys of every entry of the section.
        kinds: In the order of their names.
        problems: The plugins that were left out.
    """

    title: str
    part: str
    key: str
    common: tuple[Parameter, ...]
    kinds: tuple[Kind, ...]
    problems: tuple[PluginProblem, ...]


def events() -> Section:
    """Return the events that are installed."""
    return _section(
        event_registry(),
        TimelineBase,
        lambda kind: kind.Entry,
        title="events",
        part="timeline",
        key="action",
    )


def assertions() -> Section:
    """Return the assertion types that are installed."""
    return _section(
        assertion_registry(),
        AssertionBase,
        lambda kind: kind.Spec,
        title="assertions",
        part="assertions",
        key="type",
    )


def collectors() -> Section:
    """Return the collectors of the kpis section."""
    return _section(
        kpi_registry(),
        KpiBase,
        lambda kind: kind.Spec,
        title="collectors",
        part="kpis",
        key="type",
    )


def plugin_problems() -> tuple[PluginProblem, ...]:
    """Return every plugin that was left out, of whatever kind."""
    return (*event_registry().problems, *assertion_registry().problems)


def _section(
    registry: Registry[Any],
    base: type[BaseModel],
    model_of: Callable[[Any], type[BaseModel]],
    *,
    title: str,
    part: str,
    key: str,
) -> Section:
    kinds = tuple(
        Kind(
            name=name,
            summary=kind.summary,
            distribution=registry.distributions[name],
            parameters=_own(model_of(kind), base, key),
            metrics=getattr(kind, "metrics", None),
        )
        for name, kind in sorted(registry.kinds.items())
    )
    return Section(title, part, key, parameters(base), kinds, registry.problems)


def _own(entry: type[BaseModel], base: type[BaseModel], key: str) -> tuple[Parameter, ...]:
    """Return the keys that a model declares itself, rather than have them from its section's."""
    declared: set[str] = set()
    for one in entry.__mro__:
        if one is base:
            break
        declared.update(inspect.get_annotations(one))
    others = {name for name in entry.model_fields if name not in declared}
    return parameters(entry, leaving_out={*others, key})
