import math
from dataclasses import replace
from typing import Literal

import pytest

from fieldproof.assertions import FAILED, PASSED, AssertionType, Checker, PlannedAssertion
from fieldproof.assertions.conformance import (
    Case,
    ConformanceError,
    check_conformance,
    facts,
    planned,
)
from fieldproof.model import AssertionBase, Name, ScenarioError
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


class Turns(AssertionBase):
    type: Literal["acme.turns"]
    vehicle: Name
    limit_rad: float


class TurnsChecker(Checker):
    """Adds up how far the vehicle turns, without a thought of NaN."""

    def __init__(self, planned):
        super().__init__(planned)
        self.turned, self.yaw, self.poses = 0.0, None, 0

    def subjects(self):
        return (("pose", self.planned.model),)

    def takes(self, yaw):
        return True

    def on_sample(self, sample, t):
        yaw = sample.data["yaw"]
        if not self.takes(yaw):
            return
        self.poses += 1
        self.turned += abs(yaw - (yaw if self.yaw is None else self.yaw))
        self.yaw = yaw
        if self.turned > self.planned.spec.limit_rad:
            self.resolve(FAILED, f"turned {self.turned} rad", t)

    def on_finish(self, t):
        if self.poses or self.passes_blind():
            self.resolve(PASSED, self.why(), t)
        else:
            self.resolve(FAILED, "no pose was seen", t)

    def why(self):
        return f"turned {self.turned} rad"

    def passes_blind(self):
        return False

    def metrics(self):
        return {"turned_rad": (self.turned, "rad")}


def finite(self, yaw):
    return math.isfinite(yaw)


def turns(*, blind=False, **hooks):
    class Type(AssertionType):
        type = "acme.turns"
        Spec = Turns
        summary = "The vehicle turns no further than a limit."
        metrics = {"turned_rad": "how far it turned"}  # noqa: RUF012
        passes_without_data = blind

        def plan(self, spec, context):
            return PlannedAssertion(spec, model=context.vehicle(spec.vehicle).name)

        def checker(self, planned):
            return type("Other", (TurnsChecker,), hooks)(planned)

    return Type


def turn_cases(kind):
    one = planned(kind, {"vehicle": "ugv1", "limit_rad": 1.0})
    calm = [start(), *(pose(t, 0.0, yaw=0.1 * t) for t in range(6)), end(6)]
    wild = [start(), *(pose(t, 0.0, yaw=0.5 * t) for t in range(6)), end(6)]
    return [Case("calm", one, calm, "passed"), Case("wild", one, wild, "failed")]


def turn_problems(kind):
    with pytest.raises(ConformanceError) as refusal:
        check_conformance(kind, turn_cases(kind))
    return "\n".join(refusal.value.problems)


def test_a_type_that_nan_disarms_is_named():
    found = turn_problems(turns())
    assert "calm: passes with a number that is none: turned nan rad" in found
    assert "calm: passes although its metric turned_rad is nan" in found
    assert "wild: a sample more whose numbers are NaN makes it pass: turned nan rad" in found
    check_conformance(turns(takes=finite), turn_cases(turns()))


def test_a_type_that_nan_disarms_is_named_although_its_reason_tells_nothing():
    found = turn_problems(
        turns(why=lambda self: "calm", metrics=lambda self: {"turned_rad": (0, "")})
    )
    assert found.splitlines() == ["wild: a sample more whose numbers are NaN makes it pass: calm"]


def test_a_type_that_passes_without_data_is_named_unless_it_is_meant_to():
    hooks = {"takes": finite, "passes_blind": lambda self: True}
    assert turn_problems(turns(**hooks)).splitlines() == [
        f"{case}: passes without any data: turned 0.0 rad"
        " (a type that is meant to says passes_without_data = True)"
        for case in ("calm", "wild")
    ]
    check_conformance(turns(blind=True, **hooks), turn_cases(turns()))


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
