import math
from importlib.metadata import entry_points

import pytest
from fieldproof_example_assertions import VisitsWaypointsType

from fieldproof.assertions import Evaluator, assertion_registry
from fieldproof.assertions.conformance import Case, check_conformance, facts, planned
from fieldproof.model import Pose, ScenarioError
from fieldproof.plan import PlannedAssertion, Watch
from fieldproof.samples import Sample

SCENARIO = facts(vehicles=("ugv1", "ugv2"), frames={"gate": Pose(4.0, 0.0), "dock": Pose(0.0, 4.0)})
PLACES = [{"frame": "gate"}, {"x": 8.0, "y": 0.0, "z": 2.0}, {"frame": "dock"}]
GATE, CORNER, DOCK = (4.0, 0.0), (8.0, 0.0), (0.0, 4.0)
ORIGIN_S = 3.5


def assertion(**spec):
    spec = {"vehicle": "ugv1", "waypoints": PLACES, **spec}
    return planned(VisitsWaypointsType, spec, SCENARIO)


def pose(t, x, y=0.0, model="ugv1", z=0.0):
    rest = {"yaw": 0.0, "qx": 0.0, "qy": 0.0, "qz": 0.0, "qw": 1.0}
    return Sample.of("pose", sim=ORIGIN_S + t, model=model, x=x, y=y, z=z, **rest)


def stream(*poses, end=9.0):
    """A timeline with one pose a second, the first after one second."""
    return [
        Sample.of("timeline", event="start", sim=ORIGIN_S),
        *(pose(t, *place) for t, place in enumerate(poses, 1)),
        Sample.of("timeline", event="end", status="completed", sim=ORIGIN_S + end),
    ]


def verdict(samples, **spec):
    types = {VisitsWaypointsType.type: VisitsWaypointsType()}
    judge = Evaluator({"assertions": [assertion(**spec)]}, "lockstep", types=types)
    (result,) = [result for sample in samples for result in judge.feed(sample)]
    return result


def test_the_type_conforms():
    start, *poses, end = stream((0.0, 0.0), GATE, CORNER, GATE, DOCK, GATE)
    around = [start, *poses, end]
    check_conformance(
        VisitsWaypointsType,
        [
            Case("visits all", assertion(), around, "passed"),
            Case("in time", assertion(after_s=1, within_s=5), around, "passed"),
            Case("too late", assertion(within_s=4.5), around, "failed"),
            Case("turns back", assertion(), [start, *poses[:3], end], "failed"),
            Case("is not there", assertion(), [start, end], "failed"),
        ],
    )


@pytest.mark.parametrize(
    "order",
    [(GATE, CORNER, DOCK), (DOCK, GATE, CORNER), (CORNER, CORNER, DOCK, (1.0, 1.0), GATE)],
    ids=["as listed", "otherwise", "with detours"],
)
def test_it_passes_at_the_last_visit_in_whatever_order(order):
    result = verdict(stream(*order, (20.0, 20.0)))
    last = float(len(order))
    assert (result.status, result.t_s, result.sim_s) == ("passed", last, ORIGIN_S + last)
    what = f"ugv1 visited 3 of 3 waypoints (tolerance 0.5 m), the last at {last:g} s"
    assert result.reason == what
    names = {GATE: "gate", CORNER: "(8, 0)", DOCK: "dock"}
    assert [one["waypoint"] for one in result.evidence["visited"]] == list(
        dict.fromkeys(names[one] for one in order if one in names)
    )
    assert result.evidence["missing"] == []
    assert result.metrics == {"visited": 3, "last_visit_s": last}


def test_one_pose_visits_every_waypoint_in_reach():
    places = [{"x": 1.0, "y": 0.0}, {"x": 1.5, "y": 0.0}, {"x": 1.0, "y": 0.0}]
    result = verdict(stream((1.25, 0.0)), waypoints=places)
    assert (result.status, result.t_s, result.metrics["visited"]) == ("passed", 1.0, 3)


@pytest.mark.parametrize(
    ("place", "status"),
    [((3.5, 0.0), "passed"), ((4.0, 0.5), "passed"), ((4.0, 0.501), "failed"),
     ((4.4, 0.4), "failed"), ((4.0, 0.0, "ugv1", 7.0), "passed"), ((4.0, 0.0, "ugv2"), "failed")],
    ids=["at the tolerance", "beside", "just outside", "diagonal", "height is not measured",
         "another vehicle"],
)  # fmt: skip
def test_a_visit_is_a_pose_of_the_vehicle_within_the_tolerance(place, status):
    assert verdict(stream(place), waypoints=[{"frame": "gate"}]).status == status


def test_a_missed_waypoint_fails_at_the_end_of_the_timeline_and_is_named():
    result = verdict(stream(DOCK, (6.0, 0.0), GATE, (6.0, 0.0), (0.0, 0.0)))
    assert (result.status, result.t_s) == ("failed", 9.0)
    assert result.reason == (
        "ugv1 visited 2 of 3 waypoints (tolerance 0.5 m) before the timeline ended; "
        "missed (8, 0), closest 2 m away"
    )
    missing = [{"waypoint": "(8, 0)", "x": 8.0, "y": 0.0, "closest_m": 2.0}]
    assert result.evidence["missing"] == missing
    assert [one["waypoint"] for one in result.evidence["visited"]] == ["dock", "gate"]
    assert result.metrics == {"visited": 2, "last_visit_s": 3.0}
    excerpt = [(one["x"], one["nearest"], one["distance_m"]) for one in result.evidence["excerpt"]]
    assert excerpt[2:4] == [(4.0, "gate", 0.0), (6.0, "(8, 0)", 2.0)]


def test_a_reason_names_three_missed_waypoints_and_counts_the_rest():
    places = [{"x": float(x), "y": 0.0} for x in range(5, 10)]
    result = verdict(stream((5.0, 3.0)), waypoints=places)
    assert "missed (5, 0), closest 3 m away; (6, 0)" in result.reason
    assert result.reason.endswith("; and 2 more")
    assert len(result.evidence["missing"]) == 5


@pytest.mark.parametrize(
    ("window", "status", "t"),
    [({"within_s": 3}, "passed", 3.0), ({"within_s": 2.75}, "failed", 2.75),
     ({"after_s": 1}, "passed", 3.0), ({"after_s": 1.25}, "failed", 9.0)],
    ids=["ends at the last visit", "ends before it", "begins at the first", "begins after it"],
)  # fmt: skip
def test_a_visit_counts_in_the_window_both_ends_included(window, status, t):
    result = verdict(stream(GATE, CORNER, DOCK), **window)
    assert (result.status, result.t_s) == (status, t)


def test_the_end_of_the_window_is_named():
    result = verdict(stream(GATE, CORNER, DOCK), within_s=2.75)
    assert "within 2.75 s; missed dock, closest 5.657 m away" in result.reason


@pytest.mark.parametrize(
    ("poses", "seen"),
    [((), "no pose"), (((math.nan, 0.0),), "no pose with finite numbers")],
    ids=["none", "none of finite numbers"],
)
def test_without_a_pose_it_fails_and_says_so(poses, seen):
    result = verdict(stream(*poses))
    assert (result.status, result.t_s) == ("failed", 9.0)
    assert result.reason == f"{seen} of ugv1 was seen before the timeline ended"
    assert [one["closest_m"] for one in result.evidence["missing"]] == [None, None, None]


@pytest.mark.parametrize("none", [math.nan, math.inf, -math.inf])
def test_a_pose_whose_coordinates_are_no_finite_numbers_visits_nothing(none):
    result = verdict(stream((4.0, none), (none, 0.0), (6.0, 0.0)), waypoints=[{"frame": "gate"}])
    assert (result.status, result.evidence["poses"]) == ("failed", 3)
    assert result.reason.endswith("missed gate, closest 2 m away")


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ({"vehicle": "ugv3"}, "vehicle: unknown vehicle 'ugv3'"),
        ({"waypoints": [*PLACES, {"frame": "gte"}]}, "waypoints[3].frame: unknown frame 'gte'"),
        ({"waypoints": []}, "waypoints: must have at least 1 item"),
        ({"waypoints": [{"x": 1.0}]}, "waypoints[0].y: is missing"),
        ({"tolerance_m": 0}, "tolerance_m: must be positive"),
        ({"after_s": 3, "within_s": 3}, "within_s: must be later than after_s"),
        ({"order": "any"}, "order: unknown key"),
    ],
)
def test_what_cannot_be_checked_is_refused_at_its_place(spec, what):
    with pytest.raises(ScenarioError) as refusal:
        assertion(**spec)
    assert what in str(refusal.value)


def test_the_vehicles_ground_truth_is_watched():
    data = assertion()
    spec = VisitsWaypointsType.Spec.model_validate(data["spec"])
    watches = VisitsWaypointsType().watches(PlannedAssertion.from_data(data, spec))
    assert list(watches) == [Watch("model", model="ugv1")]


def test_the_installed_plugin_is_known_by_its_type_and_distribution():
    registry = assertion_registry(entry_points(group="fieldproof.assertions"))
    assert isinstance(registry.kinds["example.visits_waypoints"], VisitsWaypointsType)
    distribution = registry.distributions["example.visits_waypoints"]
    assert distribution == "fieldproof-example-assertions"
    assert registry.problems == ()
