"""Checkers and collectors from an evaluation plan."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from fieldproof.assertions._checker import Checker
from fieldproof.assertions._type import AssertionType
from fieldproof.kpis import Collector, CollectorType
from fieldproof.model import AssertionBase, KpiBase, ScenarioError, nearest, printable, validated
from fieldproof.plan import PlannedAssertion

SCHEMA_VERSION = 1

_Kind = TypeVar("_Kind", bound="_HasSpec")
_Answer = TypeVar("_Answer")


class EvaluationError(ValueError):
    """An evaluation plan cannot be carried out; the text says why."""


class _HasSpec(Protocol):
    @property
    def Spec(self) -> type[AssertionBase | KpiBase]: ...  # noqa: N802 - the name that types give it


def checkers_of(evaluation: Mapping[str, Any], types: Mapping[str, AssertionType]) -> list[Checker]:
    """Return the checkers of a plan's assertions, in its order.

    Raises:
        EvaluationError: The plan is of another version, names an unknown type, has two assertions
            of one name, or one that its type does not take or raises over.
    """
    version = evaluation.get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        raise EvaluationError(f"the plan is of version {version}, this is {SCHEMA_VERSION}")
    planned = _planned(evaluation["assertions"], types, "assertion", "type")
    return [_made(one, kind.checker) for kind, one in planned]


def collectors_of(
    evaluation: Mapping[str, Any], types: Mapping[str, CollectorType]
) -> list[Collector]:
    """Return the collectors of a plan, in its order.

    Raises:
        EvaluationError: As for `checkers_of`.
    """
    planned = _planned(evaluation.get("kpis", ()), types, "collector", "collector type")
    return [_made(one, kind.collector) for kind, one in planned]


def asked(one: Checker | Collector, hook: Callable[[], _Answer]) -> _Answer:
    """Return what a hook returns before the stream begins.

    Raises:
        EvaluationError: It raises, which a plugin's may.
    """
    try:
        return hook()
    except (Exception, SystemExit) as error:
        what = f"{one.planned.spec.name}: it raised {type(error).__name__}: {error}"
        raise EvaluationError(printable(what)) from error


def _made(planned: PlannedAssertion, make: Callable[[PlannedAssertion], _Answer]) -> _Answer:
    try:
        return make(planned)
    except (Exception, SystemExit) as error:
        what = f"{planned.spec.name}: its type raised {type(error).__name__}: {error}"
        raise EvaluationError(printable(what)) from error


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
