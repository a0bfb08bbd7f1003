import pathlib
import tomllib
from importlib.metadata import EntryPoint

import pytest

from fieldproof.assertions import AssertionType, Evaluator, assertion_registry, assertion_types
from fieldproof.assertions._registry import BUILT_IN
from fieldproof.events import event_types
from fieldproof.model import ScenarioError
from fieldproof.plan import Registries, build_plan

from . import plugins
from .cases import CASES
from .streams import end, evaluator, pose, start

ROOT = pathlib.Path(__file__).parents[2]
MODULE = plugins.__name__
SCENARIO = """\
apiVersion: fieldproof.dev/v0alpha1
kind: Scenario
name: it
world: dock_yard
time: {{ mode: lockstep, seed: 1 }}
vehicles:
  - {{ name: ugv1, manifest: ugv_ref, spawn: {{ frame: spawn_dock }} }}
timeline:
  - name: drive_ahead
    vehicle: ugv1
    action: navigate_to_pose
    goal: {{ x: 10.0, y: -1.0 }}
assertions:
  - name: it
    {assertion}
budget: {{ timeout_s: 3m }}
"""


def point(name, value):
    return EntryPoint(name, value, "fieldproof.assertions")


@pytest.fixture
def plan(tmp_path):
    """Plans one assertion, written as YAML, against the reference vehicle and world."""

    def build(assertion, types=None):
        file = tmp_path / "it.yaml"
        file.write_text(SCENARIO.format(assertion=assertion.replace("\n", "\n    ")), "utf-8")
        return build_plan(
            file,
            worlds_dir=ROOT / "worlds",
            robots_dir=ROOT / "robots",
            registries=Registries(event_types(), types or assertion_types()),
        )[1]

    return build


@pytest.mark.parametrize(
    ("assertion", "topic", "watched"),
    [
        (
            "type: reach_pose\nvehicle: ugv1\ntarget: { frame: spawn_dock }",
            None,
            ("models", "ugv1"),
        ),
        ("type: within_time\naction: drive_ahead\nmax_s: 1m", None, None),
        (
            "type: topic_rate\ntopic: scan\nvehicle: ugv1\nmin_hz: 8\nwindow_s: 2s",
            "/ugv1/scan",
            (
                "rates",
                {
                    "topic": "/ugv1/scan",
                    "window_ns": 2_000_000_000,
                    "message_type": "sensor_msgs/msg/LaserScan",
                },
            ),
        ),
        ("type: no_collision\nvehicle: ugv1", None, ("contacts", {"vehicle": "ugv1"})),
        (
            "type: no_collision\nvehicle: ugv1\ntopic: contacts",
            None,
            ("contacts", {"vehicle": "ugv1"}),
        ),
        (
            "type: topic_value\ntopic: /ugv1/odom\nfield: twist.twist.linear.x\ncondition: value < 2",
            "/ugv1/odom",
            (
                "values",
                {
                    "topic": "/ugv1/odom",
                    "field": "twist.twist.linear.x",
                    "message_type": "nav_msgs/msg/Odometry",
                },
            ),
        ),
        ("type: geofence\nvehicle: ugv1\nregion: { circle: { x: 1, y: 2, radius_m: 3 } }", None,
         ("models", "ugv1")),
        ("type: min_distance\nvehicle: ugv1\nto: { model: crate }\nmin_m: 0.5", None,
         ("models", "crate")),
        ("type: path_efficiency\nvehicle: ugv1\naction: drive_ahead\ntarget: { frame: yard_goal }",
         None, ("models", "ugv1")),
        ("type: mission_time\nmax_s: 1m\nstart: drive_ahead", None, None),
        (
            "type: message_latency\ntopic: odom\nvehicle: ugv1\nmax_ms: 250",
            "/ugv1/odom",
            (
                "latencies",
                {
                    "topic": "/ugv1/odom",
                    "window_ns": 2_000_000_000,
                    "message_type": "nav_msgs/msg/Odometry",
                },
            ),
        ),
        (
            "type: sequence\nvehicle: ugv1\nsteps: [{ topic: cmd_vel, field: linear.x, condition: value > 0 }]",
            None,
            (
                "values",
                {
                    "topic": "/ugv1/cmd_vel",
                    "field": "linear.x",
                    "message_type": "geometry_msgs/msg/Twist",
                },
            ),
        ),
        ("type: resource_usage\nvehicle: ugv1\nmax_cpu_pct: 200", None, None),
        (
            "type: lifecycle_state\nvehicle: ugv1\nnode: bt_navigator\nstate: active",
            None,
            ("lifecycles", {"node": "/ugv1/bt_navigator"}),
        ),
        (
            "type: never\nvehicle: ugv1\nsignals: { v: { topic: odom, field: twist.twist.linear.x }, x: { metric: x } }\ncondition: v > x",
            None,
            (
                "values",
                {
                    "topic": "/ugv1/odom",
                    "field": "twist.twist.linear.x",
                    "message_type": "nav_msgs/msg/Odometry",
                },
            ),
        ),
    ],
)  # fmt: skip
def test_a_type_resolves_its_names_and_says_what_to_watch(plan, assertion, topic, watched):
    built = plan(assertion)
    (one,) = built.evaluation["assertions"]
    assert one["topic"] == topic
    if watched:
        kind, what = watched
        assert what in built.execution["observe"][kind]
    assert Evaluator(built.evaluation, "lockstep").results()[0].status == "pending"


@pytest.mark.parametrize(
    ("assertion", "what"),
    [
        ("type: reach_pose\nvehicle: ugv2\ntarget: { x: 1, y: 1 }", "ugv2"),
        ("type: reach_pose\nvehicle: ugv1\ntarget: { frame: spawn_dok }", "spawn_dock"),
        ("type: reach_pose\nvehicle: ugv1\ntarget: { x: 1, y: 1 }\ntolerance_m: 0", "tolerance_m"),
        ("type: reach_pose\nvehicle: ugv1\ntarget: { x: 1, y: 1 }\nwithin_s: -3", "positive"),
        ("type: within_time\naction: drive_ahed\nmax_s: 1s", "drive_ahead"),
        ("type: within_time\naction: drive_ahead", "max_s: is missing"),
        ("type: topic_rate\ntopic: scan\nvehicle: ugv1\nmin_hz: 8\nmax_hz: 2", "below min_hz"),
        ("type: topic_rate\ntopic: scan\nmin_hz: 8", "relative"),
        ("type: topic_rate\ntopic: scn\nvehicle: ugv1\nmin_hz: 8", "scan"),
        ("type: no_collision\nvehicle: ugv1\nignore: [ugv1]", "ignores every contact"),
        ("type: no_collision\nvehicle: ugv1\ntopic: bumper", "known: /ugv1/contacts"),
        (
            "type: topic_value\ntopic: /a\nfield: a\ncondition: value < 1\nafter_s: 5s\nwithin_s: 5s",
            "later than after_s",
        ),
        (
            "type: topic_value\ntopic: odom\nvehicle: ugv1\nfield: a\ncondition: value <",
            "condition",
        ),
        (
            "type: topic_value\ntopic: odom\nvehicle: ugv1\nfield: a\ncondition: x < 1",
            "unknown name",
        ),
        (
            "type: topic_value\ntopic: odom\nvehicle: ugv1\nfield: a\ncondition: value < 1\nmode: never",
            "eventually",
        ),
        ("type: no_collision\nvehicle: ugv1\ncolour: red", "unknown key"),
        ("type: geofence\nvehicle: ugv1\nregion: { radius_m: 1 }", "region.radius_m: unknown key"),
        ("type: geofence\nvehicle: ugv1", "region: is missing"),
        ("type: geofence\nvehicle: ugv1\nregion: {}\nmode: in", "one of inside, outside"),
        ("type: min_distance\nvehicle: ugv1\nto: { vehicle: ugv1 }\nmin_m: 1", "to itself"),
        ("type: min_distance\nvehicle: ugv1\nto: { vehicle: ugv2 }\nmin_m: 1", "unknown vehicle"),
        ("type: min_distance\nvehicle: ugv1\nto: { model: a }\nmin_m: 0", "min_m: must be positive"),
        ("type: path_efficiency\nvehicle: ugv1\nmin_ratio: 1.1", "min_ratio: must be at most 1"),
        ("type: path_efficiency\nvehicle: ugv1\naction: drive_ahead\nwithin_s: 3s",
         "within_s: does not go with action"),
        ("type: path_efficiency\nvehicle: ugv1\naction: drve_ahead", "nearest: drive_ahead"),
        ("type: mission_time\nmax_s: 3s\nmin_s: 4s", "min_s: must not be above max_s (3s)"),
        ("type: mission_time\nmax_s: 3s\nend: drve_ahead", "end: unknown timeline entry"),
        ("type: message_latency\ntopic: odom\nvehicle: ugv1\nmax_ms: 1\nstatistic: p96",
         "must be one of p95, max, mean"),
        ("type: message_latency\ntopic: odom\nvehicle: ugv1\nmax_ms: 1\nafter_s: 3s\nwithin_s: 3s",
         "later than after_s"),
        ("type: sequence\nsteps: []", "steps: must have at least 1 item"),
        ("type: sequence\nsteps: [{ name: nothing }]", "must have an action, an assertion, or a"),
        ("type: sequence\nsteps: [{ action: drive_ahead, assertion: it }]",
         "steps[0].assertion: does not go with action"),
        ("type: sequence\nsteps: [{ action: drive_ahead, condition: value > 1 }]",
         "steps[0].condition: does not go with action"),
        ("type: sequence\nsteps: [{ action: drive_ahed }]",
         "steps[0].action: unknown timeline entry"),
        ("type: sequence\nsteps: [{ action: drive_ahead, event: ended }]",
         "must be one of started, finished"),
        ("type: sequence\nsteps: [{ metric: x, event: started, condition: value > 1 }]",
         "event: only goes with action"),
        ("type: sequence\nsteps: [{ metric: x, condition: value > 1 }]", "needs a vehicle"),
        ("type: sequence\nsteps: [{ topic: /a, field: b }]", "steps[0].condition: is missing"),
        ("type: sequence\nsteps: [{ topic: /a, condition: value > 1 }]",
         "steps[0].field: is missing"),
        ("type: sequence\nsteps: [{ metric: distance_to, condition: value > 1 }]",
         "steps[0].target: is missing"),
        ("type: sequence\nsteps: [{ assertion: it }]", "steps[0].assertion: unknown assertion"),
        ("type: sequence\nvehicle: ugv1\nsteps: [{ metric: x, vehicle: ugv9, condition: value > 1 }]",
         "steps[0].vehicle: unknown vehicle"),
        ("type: resource_usage\nvehicle: ugv1", "must have max_cpu_pct, max_memory_mb or both"),
        ("type: resource_usage\nvehicle: ugv1\nmax_cpu_pct: 9\ncontainer: stack", "container: must"),
        ("type: lifecycle_state\nvehicle: ugv1\nnode: a\nstate: running", "must be one of unconf"),
        ("type: always\nsignals: {}\ncondition: x", "signals: must have at least 1 item"),
        ("type: always\nsignals: { x: { metric: sim_time } }\ncondition: y > 1",
         "condition: unknown name y (known: x)"),
        ("type: always\nsignals: { x: { metric: sim_time }, y: { metric: rtf } }\ncondition: x > 1",
         "signals.y: is not read by the condition"),
        ("type: always\nsignals: { abs: { metric: rtf } }\ncondition: abs(1) > 1",
         "signals.abs: abs already means something"),
        ("type: always\nsignals: { 1x: { metric: rtf } }\ncondition: 1 > 2",
         "must be an identifier"),
        ("type: always\nsignals: { x: { metric: x } }\ncondition: x > 1", "signals.x: needs a vehicle"),
        ("type: always\nvehicle: ugv1\nsignals: { x: { topic: scn, field: a } }\ncondition: x > 1",
         "signals.x.topic: unknown topic 'scn'"),
        ("type: always\nsignals: { x: { metric: x, vehicle: ugv7 } }\ncondition: x > 1",
         "signals.x.vehicle: unknown vehicle"),
        ("type: always\nsignals: { x: { metric: rtf } }\ncondition: x > 1\nfor_s: 1s", "unknown key"),
        ("type: eventually\nsignals: { x: { metric: rtf } }\ncondition: x > 1\nfor_s: 0s",
         "for_s: must be positive"),
    ],
)  # fmt: skip
def test_what_a_type_cannot_check_is_refused_at_its_place(plan, assertion, what):
    with pytest.raises(ScenarioError) as refusal:
        plan(assertion)
    assert what in str(refusal.value)
    assert "it.yaml:" in str(refusal.value)
    assert "assertions[0]" in str(refusal.value)


def test_a_changed_limit_leaves_what_is_observed_alone(plan):
    tight = plan("type: topic_rate\ntopic: scan\nvehicle: ugv1\nmin_hz: 9")
    loose = plan("type: topic_rate\ntopic: scan\nvehicle: ugv1\nmin_hz: 2\nafter_s: 3s")
    assert tight.execution == loose.execution
    assert tight.evaluation != loose.evaluation


def test_the_sixteen_built_in_types_are_known_without_any_plugin():
    registry = assertion_registry([])
    assert set(registry.kinds) == {
        "reach_pose", "within_time", "topic_rate", "no_collision", "topic_value", "geofence",
        "min_distance", "path_efficiency", "mission_time", "message_latency", "sequence",
        "resource_usage", "lifecycle_state", "always", "never", "eventually",
    }  # fmt: skip
    assert registry.problems == ()


def test_the_entry_points_of_the_distribution_name_the_built_in_types_and_are_no_plugins():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    points = project["entry-points"]["fieldproof.assertions"]
    assert points == {kind.type: f"{kind.__module__}:{kind.__name__}" for kind in BUILT_IN}
    registry = assertion_registry([point(name, value) for name, value in points.items()])
    assert registry.problems == ()
    assert registry.distributions == dict.fromkeys(points, "fieldproof")


@pytest.mark.parametrize("kind", BUILT_IN, ids=lambda kind: kind.type)
def test_a_built_in_type_states_its_rules_and_its_metrics(kind):
    for rule in ("Passes", "Fails", "No data", "NaN", "End of the timeline"):
        assert rule.lower() in kind.__doc__.lower(), rule
    checker = evaluator(CASES[kind.type][0].assertion, *CASES[kind.type][0].others)._checkers[0]
    assert set(checker.metrics()) == set(kind.metrics)


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (f"{MODULE}:VisitsWaypoints", "not a class that derives"),
        (f"{MODULE}:BadName", "type must be a name"),
        (f"{MODULE}:NoSpec", "does not derive from AssertionBase"),
        (f"{MODULE}:OtherLiteral", 'must be Literal["example.other"]'),
        (f"{MODULE}:NoSummary", "no summary"),
        (f"{MODULE}:NoPlan", "does not override plan"),
        (f"{MODULE}:NoChecker", "does not override checker"),
        (f"{MODULE}:Missing", "cannot be loaded"),
    ],
)
def test_a_malformed_plugin_is_left_out_and_reported(value, what):
    registry = assertion_registry([point("example.bad", value)])
    assert len(registry.kinds) == len(BUILT_IN)
    assert what in registry.problems[0].what


def test_the_second_type_of_a_name_is_left_out():
    points = [point(name, f"{MODULE}:{name}") for name in ("VisitsWaypointsType", "Taken")]
    registry = assertion_registry(points)
    assert type(registry.kinds["example.visits_waypoints"]) is plugins.Taken
    assert "already registered" in registry.problems[0].what


def test_a_plugin_written_as_documented_plans_and_judges(plan):
    types: dict[str, AssertionType] = dict(
        assertion_registry([point("example", f"{MODULE}:VisitsWaypointsType")]).kinds
    )
    built = plan(
        "type: example.visits_waypoints\nvehicle: ugv1\n"
        "waypoints: [{ x: 1.0, y: 0.0 }, { frame: spawn_dock }]",
        types,
    )
    assert built.execution["observe"]["models"] == ["ugv1"]
    judge = Evaluator(built.evaluation, "lockstep", types=types)
    samples = [start(), pose(1, 10.0, 3.0), pose(2, 5.0), pose(3, 1.0), end(4)]
    (result,) = [result for sample in samples for result in judge.feed(sample)]
    assert (result.status, result.t_s, result.evidence["visited"]) == ("passed", 3.0, 2)
    assert [one["x"] for one in result.evidence["excerpt"]] == [10.0, 1.0]
