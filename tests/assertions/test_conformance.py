import math
from dataclasses import replace

import pytest

from fieldproof.assertions import FAILED, PASSED, AssertionType, Checker, PlannedAssertion
from fieldproof.assertions.conformance import (
    Case,
    ConformanceError,
    check_conformance,
    facts,
    planned,
)
from fieldproof.model import AssertionBase, ScenarioError
from fieldproof.samples import Sample

from .cases import CASES
from .plugins import VisitsWaypoints, VisitsWaypointsChecker, VisitsWaypointsType
from .streams import TYPES, end, pose, start

SPEC = {"vehicle": "ugv1", "waypoints": [{"x": 1.0, "y": 0.0}, {"x": 3.0, "y": 0.0}]}
DRIVE = [start(), *(pose(t, float(t)) for t in range(6)), end(6)]


def cases(kind=VisitsWaypointsType):
    one = planned(kind, SPEC)
    return [
        Case("drives by", one, DRIVE, "passed"),
        Case("turns back", one, [*DRIVE[:3], end(3)], "failed"),
    ]


def problems(kind):
    with pytest.raises(ConformanceError) as refusal:
        check_conformance(kind, cases(kind))
    return "\n".join(refusal.value.problems)


@pytest.mark.parametrize("name", sorted(TYPES))
def test_each_built_in_type_conforms(name):
    check_conformance(type(TYPES[name]), CASES[name])


def on_the_wall_clock(case):
    samples = [Sample(one.kind, 1.7e9 + one.sim, one.sim, one.data) for one in case.samples]
    return replace(case, samples=samples)


@pytest.mark.parametrize("name", sorted(TYPES))
def test_each_built_in_type_conforms_on_the_wall_clock(name):
    check_conformance(type(TYPES[name]), list(map(on_the_wall_clock, CASES[name])), mode="sim")


def test_there_are_cases_for_every_type():
    assert sorted(CASES) == sorted(TYPES)
    assert len(TYPES) == 16


def test_a_plugin_written_as_documented_conforms():
    check_conformance(VisitsWaypointsType, cases())


def made(**hooks):
    """The plugin's type with parts of its checker or of itself put differently."""
    checker = type("Other", (VisitsWaypointsChecker,), hooks)
    return type("OtherType", (VisitsWaypointsType,), {"checker": lambda self, one: checker(one)})


SHARED = []


def shares(self, sample, t):
    SHARED.append(sample)
    self.resolve(PASSED, f"{len(SHARED)} seen", t)


def forgets(self, sample, t):
    VisitsWaypointsChecker.on_sample(self, sample, t)
    sample.data.pop("yaw", None)


def listens_to_all(self, sample, t):
    if sample.data.get("model") == "nobody":
        self.resolve(FAILED, "seen nobody", t)
    VisitsWaypointsChecker.on_sample(self, sample, t)


def reads_clock(self, sample, t):
    VisitsWaypointsChecker.on_sample(self, sample, t)
    if self.result is None and (sample.sim or 0) > 60_000:
        self.resolve(FAILED, "too late", t)


def trusts(self, sample, t):
    if sample.kind == "pose":
        assert math.isfinite(sample.data["x"])
    VisitsWaypointsChecker.on_sample(self, sample, t)


@pytest.mark.parametrize(
    ("hooks", "what"),
    [
        ({"on_sample": shares}, "the same stream brings something else the second time"),
        ({"on_sample": listens_to_all}, "samples of other vehicles, topics and nodes change"),
        ({"on_sample": reads_clock}, "a timeline that starts 86400.5 s later brings something"),
        ({"on_sample": trusts}, "a value that is none: its checker raised AssertionError"),
        ({"on_finish": lambda self, t: None}, "gives no verdict at the end of the timeline"),
        ({"on_finish": lambda self, t: 1 / 0}, "its checker raised ZeroDivisionError"),
        ({"metrics": lambda self: {}}, "others than the metrics that the type declares"),
        ({"on_finish": lambda self, t: self.resolve(PASSED, "", t)}, "gives no reason"),
        ({"on_finish": lambda self, t: self.resolve(PASSED, "x", t)}, "is passed, not failed: x"),
    ],
)
def test_a_broken_rule_is_named(hooks, what):
    assert what in problems(made(**hooks))


def test_a_checker_that_changes_samples_is_found():
    stream = [*DRIVE[:2], pose(1, 0.5), *DRIVE[2:]]
    one = planned(VisitsWaypointsType, SPEC)
    with pytest.raises(ConformanceError, match="changes samples"):
        check_conformance(made(on_sample=forgets), [Case("it", one, stream, "passed")])


def test_a_type_that_is_none_is_refused_before_anything_is_tried():
    with pytest.raises(ConformanceError, match="does not override plan"):
        check_conformance(
            type("Half", (AssertionType,), {"type": "example.visits_waypoints",
                 "Spec": VisitsWaypoints, "summary": "x"}), [],
        )  # fmt: skip


def test_a_type_must_be_shown_to_pass_and_to_fail():
    with pytest.raises(ConformanceError, match="no case in which it must be failed"):
        check_conformance(VisitsWaypointsType, cases()[:1])


def test_an_assertion_is_planned_in_a_scenario_of_the_authors_making():
    class OnlyUgv2(VisitsWaypointsType):
        def plan(self, spec, context):
            context.vehicle("ugv2")
            context.action("drive")
            return PlannedAssertion(spec)

    scenario = facts(vehicles=["ugv1", "ugv2"], actions=["drive"])
    assert planned(OnlyUgv2, SPEC, scenario)["spec"]["vehicle"] == "ugv1"
    with pytest.raises(ScenarioError, match="ugv2"):
        planned(OnlyUgv2, SPEC)


def test_the_base_classes_are_what_the_documentation_names():
    assert issubclass(VisitsWaypoints, AssertionBase)
    assert issubclass(VisitsWaypointsChecker, Checker)
