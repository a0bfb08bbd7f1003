"""Checkers and collectors from an evaluation plan."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from fieldproof.assertions._checker import Checker
from fieldproof.assertions._type import AssertionType
from fieldproof.kpis import Collector, CollectorType
from fieldproof.model import AssertionBase, KpiBase, ScenarioError, nearest, validated
from fieldproof.plan import PlannedAssertion

SCHEMA_VERSION = 1

_Kind = TypeVar("_Kind", bound="_HasSpec")


class EvaluationError(ValueError):
    """An evaluation plan cannot be carried out; the text says why."""


class _HasSpec(Protocol):
    @property
    def Spec(self) -> type[AssertionBase | KpiBase]: ...  # noqa: N802 - the name that types give it


def checkers_of(evaluation: Mapping[str, Any], types: Mapping[str, AssertionType]) -> list[Checker]:
    """Return the checkers of a plan's assertions, in its order.

    Raises:
        EvaluationError: The plan is of another version, names an unknown type, has two assertions
            of one name, or one that its type does not take.
    """
    version = evaluation.get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        raise EvaluationError(f"the plan is of version {version}, this is {SCHEMA_VERSION}")
    planned = _planned(evaluation["assertions"], types, "assertion", "type")
    return [kind.checker(one) for kind, one in planned]


def collectors_of(
    evaluation: Mapping[str, Any], types: Mapping[str, CollectorType]
) -> list[Collector]:
    """Return the collectors of a plan, in its order.

    Raises:
        EvaluationError: As for `checkers_of`.
    """
    planned = _planned(evaluation.get("kpis", ()), types, "collector", "collector type")
    return [kind.collector(one) for kind, one in planned]


def _planned(
    items: Any, types: Mapping[str, _Kind], what: str, called: str
) -> list[tuple[_Kind, PlannedAssertion]]:
    found: dict[str, tuple[_Kind, PlannedAssertion]] = {}
    for data in items:
        name, kind = data["name"], types.get(data["type"])
        if kind is None:
            hint = nearest(data["type"], types)
            raise EvaluationError(f"{what} {name}: unknown {called} {data['type']} ({hint})")
        if name in found:
            raise EvaluationError(f"two {what}s are called {name}")
        try:
            spec = validated(kind.Spec, data["spec"])
        except ScenarioError as error:
            raise EvaluationError(f"{what} {name}: {error}") from error
        found[name] = (kind, PlannedAssertion.from_data(data, spec))
    return list(found.values())
