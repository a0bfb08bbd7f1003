from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from fieldproof.model import AssertionBase, KpiBase, TimelineBase
from fieldproof.plan._context import PlanContext
from fieldproof.plan._models import ModelChanges
from fieldproof.plan._planned import PlannedAssertion
from fieldproof.plan._watches import Watch


class EventType(Protocol):
    """What the plan asks of a kind of event."""

    @property
    def Entry(self) -> type[TimelineBase]:  # noqa: N802 - the name that plugins give it
        """What the scenario writes."""
        ...

    def plan(self, entry: Any, context: PlanContext) -> dict[str, Any]:
        """Return what the entry stands for, as JSON data; a `ScenarioError` refuses it."""
        ...

    def models(self, entry: Any) -> ModelChanges | None:
        """Return what the entry may do to the models of the world; None when that is unknown."""
        ...


class AssertionType(Protocol):
    """What the plan asks of a kind of assertion."""

    @property
    def Spec(self) -> type[AssertionBase]:  # noqa: N802 - the name that plugins give it
        """What the scenario writes."""
        ...

    def plan(self, spec: Any, context: PlanContext) -> PlannedAssertion:
        """Return the assertion resolved; a `ScenarioError` refuses it."""
        ...

    def watches(self, planned: PlannedAssertion) -> Iterable[Watch]:
        """Return what the observer must look at."""
        ...


class KpiType(Protocol):
    """What the plan asks of a kind of collector."""

    @property
    def Spec(self) -> type[KpiBase]:  # noqa: N802 - the name that plugins give it
        """What the scenario writes."""
        ...

    def plan(self, spec: Any, context: PlanContext) -> PlannedAssertion:
        """Return the collector resolved; a `ScenarioError` refuses it."""
        ...

    def watches(self, planned: PlannedAssertion) -> Iterable[Watch]:
        """Return what the observer must look at."""
        ...


@dataclass(frozen=True, slots=True)
class Registries:
    """The kinds of events, assertions and collectors that a scenario may use, by name."""

    events: Mapping[str, EventType]
    assertions: Mapping[str, AssertionType]
    kpis: Mapping[str, KpiType] = field(default_factory=dict)

    def entry_types(self) -> dict[str, type[TimelineBase]]:
        """Return the entry of each action."""
        return {name: kind.Entry for name, kind in self.events.items()}

    def assertion_specs(self) -> dict[str, type[AssertionBase]]:
        """Return the specification of each assertion type."""
        return {name: kind.Spec for name, kind in self.assertions.items()}

    def kpi_specs(self) -> dict[str, type[KpiBase]]:
        """Return the specification of each collector."""
        return {name: kind.Spec for name, kind in self.kpis.items()}
