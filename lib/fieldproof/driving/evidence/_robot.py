"""The assertion types of robot scenarios, in driving scenarios."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fieldproof.assertions import (
    PASSED,
    AssertionType,
    Evaluator,
    Result,
    assertion_types,
)
from fieldproof.driving.files import ASSERTION_SPECS, BLOCKING, SEVERITIES
from fieldproof.model import Problem, ScenarioError, nearest, shown, validated
from fieldproof.plan import PlanContext, PlanFacts
from fieldproof.samples import Sample

PREFIX = "robot."
_SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class RobotAssertion:
    """An assertion of a robot scenario's type, planned for a driving scenario.

    Attributes:
        name: What it is called.
        type: Its type as it was written, such as `geofence` or `robot.min_distance`.
        severity: Decides whether its failure fails the scenario.
        planned: What its checker needs, as JSON data.
    """

    name: str
    type: str
    severity: str
    planned: Mapping[str, Any]

    @property
    def blocking(self) -> bool:
        """Whether its failure fails the scenario."""
        return self.severity in BLOCKING


def robot_type(written: str) -> AssertionType | None:
    """Return the robot scenarios' assertion type that a written type means, None if none is.

    A type of the driving scenarios with the same name hides one, which then is written with the
    prefix `robot.`.
    """
    return assertion_types().get(written.removeprefix(PREFIX))


def known_types() -> list[str]:
    """Return every type that an assertion of a driving scenario may have."""
    hidden = (f"{PREFIX}{name}" if name in ASSERTION_SPECS else name for name in assertion_types())
    return [*ASSERTION_SPECS, *hidden]


def plan_robot_assertion(
    data: Mapping[str, Any], kind: AssertionType, facts: PlanFacts
) -> RobotAssertion:
    """Return an assertion planned for the scenario that the facts are of.

    Raises:
        ScenarioError: Something is wrong with it; paths are relative to it.
    """
    rest = dict(data)
    severity = rest.pop("severity", "high")
    written = str(rest["type"])
    problems = []
    if severity not in SEVERITIES:
        hint = nearest(str(severity), SEVERITIES)
        what = f"must be one of {', '.join(SEVERITIES)} (got {shown(severity)})"
        problems.append(Problem(what, ("severity",), hint))
    rest["type"] = kind.type
    try:
        spec = validated(kind.Spec, rest)
    except ScenarioError as error:
        raise ScenarioError([*problems, *error.problems]) from None
    if getattr(spec, "on_fail", "continue") != "continue":
        problems.append(Problem("an episode is judged when it is over", ("on_fail",)))
    context = PlanContext(facts, (), spec)
    try:
        context.check_places()
        planned = kind.plan(spec, context)
    except ScenarioError as error:
        raise ScenarioError([*problems, *error.problems]) from None
    if problems:
        raise ScenarioError(problems)
    return RobotAssertion(spec.name, written, str(severity), planned.to_data())


class RobotMonitor:
    """Judges the robot assertions of one episode, sample by sample."""

    def __init__(self, assertions: tuple[RobotAssertion, ...]) -> None:
        """Prepare the checkers."""
        self._assertions = assertions
        plan = {
            "schema_version": _SCHEMA_VERSION,
            "assertions": [dict(one.planned) for one in assertions],
        }
        self._evaluator = Evaluator(plan, "lockstep")

    def take(self, sample: Sample) -> None:
        """Take the next sample of the episode."""
        self._evaluator.feed(sample)

    def results(self) -> list[tuple[RobotAssertion, Result]]:
        """Return each assertion with its verdict, in the order of the scenario."""
        return list(zip(self._assertions, self._evaluator.results(), strict=True))


def status_of(result: Result) -> str:
    """Return a verdict in the words of driving results; what is undecided has failed."""
    return "pass" if result.status == PASSED else "fail"
