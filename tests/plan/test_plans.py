import json

import pytest

from fieldproof.model import NS_PER_S, ScenarioError, canonical_document
from fieldproof.plan import PlannedAssertion, Watch, observation, write_bundle

from .kinds import Holds, Reach


def test_assertions_that_one_waits_for_go_into_the_execution_with_it(workspace):
    waits = "  - { name: both, type: signals, vehicle: ugv1, before: arrives, on_fail: abort,\n"
    workspace.spoil("s.yaml", "  - name: both\n    type: signals\n    vehicle: ugv1\n    signals:\n"
                    "      speed: { topic: odom, field: twist.twist.linear.x }\n"
                    "      time: { metric: sim_time }\n      x: { metric: x, vehicle: ugv2 }\n",
                    waits + "      signals: { time: { metric: sim_time } } }\n")  # fmt: skip
    aborting = workspace.plan().execution["abort_assertions"]
    assert [one["name"] for one in aborting] == ["arrives", "slow", "both"]


def test_the_execution_plan_holds_all_that_can_change_a_run(workspace):
    plan = workspace.plan().execution
    assert plan["schema_version"] == 1
    assert plan["scenario"] == {"name": "example"}
    assert plan["world"] == {
        "name": "yard",
        "sdf": "worlds/yard/world.sdf",
        "frames": {
            "gate": {"x": 1.0, "y": 2.0, "z": 0.0, "yaw": 0.5},
            "start": {"x": 5.0, "y": 6.0, "z": 0.0, "yaw": 0.0},
        },
        "origin": {"latitude_deg": 53.5, "longitude_deg": 10.0, "altitude_m": 0.0},
        "physics": {"step_ns": 2_000_000},
    }
    assert plan["time"] == {"mode": "lockstep", "tick_ns": 50_000_000, "rtf": None, "seed": 7}
    assert plan["record"] == {
        "enabled": True,
        "topics": ["/clock", "/fleet/two/scan", "/ugv1/scan"],
    }
    assert plan["budget"] == {"timeout_ns": 600 * NS_PER_S}


def test_vehicles_carry_their_manifest_and_stand_where_the_world_says(workspace):
    first, second = workspace.plan().execution["vehicles"]
    assert (first["name"], first["namespace"], first["robot"]) == ("ugv1", "ugv1", "rover")
    assert first["urdf"] == "robots/rover/rover.urdf"
    assert first["spawn"] == {"x": 5.0, "y": 6.0, "z": 0.0, "yaw": 0.0}
    assert (second["name"], second["namespace"]) == ("ugv2", "fleet/two")
    assert second["spawn"] == {"x": -5.0, "y": 6.0, "z": 1.0, "yaw": 3.0}
    manifest = second["manifest"]
    assert manifest["drive"]["odometry"]["ros_type"] == "nav_msgs/msg/Odometry"
    assert manifest["readiness"]["timeout_s"] == 30
    assert manifest["stack"]["processes"][0]["parameters"] == {"gain": 1.5, "mode": "fast"}
    assert "description" not in manifest


def test_entries_carry_their_trigger_in_nanoseconds_and_what_their_event_resolved(workspace):
    first, second, third = workspace.plan().execution["timeline"]
    assert first == {
        "label": "first",
        "action": "drive",
        "vehicle": "ugv1",
        "trigger": {
            "at_ns": 0,
            "after": [],
            "when": None,
            "within_ns": None,
            "every_ns": None,
            "count": None,
            "until_ns": None,
        },
        "params": {"goal": {"frame": "gate"}, "timeout_s": 30},
        "resolved": {
            "goal": {"x": 1.0, "y": 2.0, "z": 0.0, "yaw": 0.5},
            "from": {"x": 5.0, "y": 6.0, "z": 0.0, "yaw": 0.0},
            "lockstep": True,
        },
        "limit_ns": 30 * NS_PER_S,
    }
    assert second["trigger"]["within_ns"] == 240 * NS_PER_S
    assert second["trigger"]["when"] == {
        "metric": "distance_to",
        "model": "ugv2",
        "target": {"x": 1.0, "y": 2.0, "z": 0.0, "yaw": 0.5},
        "condition": "value < 1",
    }
    assert second["limit_ns"] is None
    assert third["label"] == "say@1.5s"
    assert third["trigger"] | {"when": 0} == {
        "at_ns": 1_500_000_000,
        "after": ["first"],
        "when": 0,
        "within_ns": None,
        "every_ns": 2 * NS_PER_S,
        "count": 3,
        "until_ns": None,
    }


def test_what_is_observed_follows_from_conditions_and_assertions(workspace):
    value = {
        "field": "twist.twist.linear.x",
        "message_type": "nav_msgs/msg/Odometry",
    }
    assert workspace.plan().execution["observe"] == {
        "models": ["ugv1", "ugv2"],
        "contacts": [],
        "rates": [],
        "values": [{"topic": "/fleet/two/odom", **value}, {"topic": "/ugv1/odom", **value}],
        "latencies": [],
        "lifecycles": [],
        "resources": [],
    }


def test_the_evaluation_plan_holds_every_assertion_and_collector(workspace):
    plan = workspace.plan().evaluation
    assert [one["source"] for one in plan["assertions"]] == [f"assertions[{i}]" for i in range(3)]
    assert plan["assertions"][0] == {
        "name": "arrives",
        "type": "reach",
        "on_fail": "continue",
        "spec": {
            "name": "arrives",
            "type": "reach",
            "on_fail": "continue",
            "vehicle": "ugv1",
            "target": {"frame": "gate"},
            "tolerance_m": 0.5,
        },
        "topic": None,
        "model": "ugv1",
        "target": {"x": 1.0, "y": 2.0, "z": 0.0, "yaw": 0.5},
        "resolved": {},
        "source": "assertions[0]",
    }
    assert plan["assertions"][2]["resolved"]["signals"]["x"] == {"metric": "x", "model": "ugv2"}
    assert plan["kpis"] == [
        {
            "name": "mission",
            "type": "span",
            "spec": {"name": "mission", "type": "span", "start": "first"},
            "topic": None,
            "model": None,
            "target": None,
            "resolved": {"start": "first"},
            "source": "kpis[0]",
        }
    ]


def test_an_assertion_that_may_end_the_timeline_is_part_of_what_happens(workspace):
    (aborting,) = workspace.plan().execution["abort_assertions"]
    assert (aborting["name"], aborting["topic"]) == ("slow", "/fleet/two/odom")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: example", "name:   example  # a comment"),
        ("    vehicle: ugv1\n    action: drive\n", "    action: drive\n    vehicle: ugv1\n"),
        ("within_s: 4m", "within_s: 240"),
        ("{ record: true, topics: [scan, /clock] }", "{ topics: [/clock, scan], record: True }"),
        ("yaw: 3 }", "yaw: 3.0 }"),
        ("world: yard", "description: Other words.\nworld: yard"),
    ],
)
def test_a_change_of_form_leaves_both_plans_as_they_are(workspace, old, new):
    before = workspace.plan()
    workspace.spoil("s.yaml", old, new)
    after = workspace.plan()
    assert canonical_document(after.execution) == canonical_document(before.execution)
    assert canonical_document(after.evaluation) == canonical_document(before.evaluation)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    target: { frame: gate }\n", "    target: { frame: gate }\n    tolerance_m: 0.1\n"),
        ("target: { frame: gate }\n  - name: slow", "target: { x: 9, y: 9 }\n  - name: slow"),
        ("start: first }", "start: second }"),
        ("name: both", "name: renamed"),
        (
            "  - name: slow",
            "  - { name: more, type: reach, vehicle: ugv2, target: { frame: gate } }\n  - name: slow",
        ),
    ],
)
def test_a_changed_limit_changes_the_evaluation_alone(workspace, old, new):
    before = workspace.plan()
    workspace.spoil("s.yaml", old, new)
    after = workspace.plan()
    assert canonical_document(after.execution) == canonical_document(before.execution)
    assert canonical_document(after.evaluation) != canonical_document(before.evaluation)


@pytest.mark.parametrize(
    ("old", "new"),
    [("seed: 7", "seed: 8"), ("text: hello", "text: bye"), ("abs(value) < 1", "value < 1")],
)
def test_a_change_of_what_happens_changes_the_execution(workspace, old, new):
    before = workspace.plan()
    workspace.spoil("s.yaml", old, new)
    assert workspace.plan().execution != before.execution


def test_a_bundle_holds_the_plans_and_copies_of_the_files_they_name(workspace, tmp_path):
    out = tmp_path / "out"
    plan = workspace.plan()
    write_bundle(plan, out)
    found = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    assert found == [
        "evaluation/evaluation.json",
        "execution/execution.json",
        "execution/robots/rover/robot.yaml",
        "execution/robots/rover/rover.urdf",
        "execution/robots/rover_stack/__init__.py",
        "execution/robots/rover_stack/driver.py",
        "execution/worlds/yard/world.sdf",
        "execution/worlds/yard/world.yaml",
    ]
    text = (out / "execution/execution.json").read_text("utf-8")
    assert text == canonical_document(plan.execution)
    assert json.loads(text) == plan.execution
    assert (out / plan.execution["world"]["sdf"].replace("worlds", "execution/worlds")).is_file()


def test_a_description_brings_the_files_it_refers_to(workspace):
    workspace.write("robots/rover/rover.urdf", "<robot><mesh filename='meshes/body.stl'/></robot>")
    workspace.write("robots/rover/meshes/body.stl", "solid")
    assert "robots/rover/meshes/body.stl" in workspace.plan().files


@pytest.mark.parametrize("reference", ["meshes/none.stl", "../../s.yaml"])
def test_a_file_outside_the_folder_or_absent_is_refused(workspace, reference):
    workspace.write("robots/rover/rover.urdf", f"<robot><mesh filename='{reference}'/></robot>")
    with pytest.raises(ScenarioError, match="is not a file in its folder"):
        workspace.plan()


def test_a_planned_assertion_survives_the_way_through_json(workspace):
    data = json.loads(canonical_document(workspace.plan().evaluation))["assertions"][1]
    spec = Holds.model_validate(data["spec"])
    assert PlannedAssertion.from_data(data, spec).to_data() == data


def test_a_collector_has_no_reaction():
    planned = PlannedAssertion(
        Reach.model_validate(
            {"name": "a", "type": "reach", "vehicle": "v", "target": {"x": 1, "y": 2}}
        )
    )
    assert planned.to_data()["on_fail"] == "continue"


def test_each_thing_is_observed_once_whatever_the_order():
    watches = [
        Watch("rate", "/b", window_ns=5, message_type=None),
        Watch("rate", "/a", window_ns=5),
        Watch("rate", "/b", window_ns=5, message_type="x/msg/Y"),
        Watch("rate", "/b", window_ns=9),
        Watch("value", "/b", field="data"),
        Watch("lifecycle", node="/ugv1/driver"),
        Watch("contact", vehicle="ugv1"),
        Watch("latency", "/a", window_ns=2),
        Watch("model", model="crate"),
        Watch("model", model="crate"),
    ]
    expected = {
        "models": ["crate"],
        "contacts": [{"vehicle": "ugv1"}],
        "rates": [
            {"topic": "/a", "window_ns": 5, "message_type": None},
            {"topic": "/b", "window_ns": 5, "message_type": "x/msg/Y"},
            {"topic": "/b", "window_ns": 9, "message_type": "x/msg/Y"},
        ],
        "values": [{"topic": "/b", "field": "data", "message_type": "x/msg/Y"}],
        "latencies": [{"topic": "/a", "window_ns": 2, "message_type": None}],
        "lifecycles": [{"node": "/ugv1/driver"}],
        "resources": [],
    }
    assert observation(watches) == expected
    assert observation(reversed(watches)) == expected
