"""Fields that a scenario names are looked for in the message types, before anything is run."""

import pytest

from fieldproof.model import ScenarioError
from fieldproof.plan import build_plan
from fieldproof.recording import MessageTypes, RecordingError

from .kinds import KNOWN

_TYPES = MessageTypes()


def fields_of(message_type):
    try:
        return _TYPES.fields(message_type)
    except RecordingError:
        return None


def problems(workspace):
    try:
        build_plan(
            workspace.root / "s.yaml",
            worlds_dir=workspace.root / "worlds",
            robots_dir=workspace.root / "robots",
            registries=KNOWN,
            fields=fields_of,
            file="s.yaml",
        )
    except ScenarioError as error:
        return [str(one) for one in error.problems]
    return []


WHEN = "{ vehicle: ugv2, metric: distance_to, target: { frame: gate }, condition: value < 1 }"


def with_condition(workspace, field, topic="odom", message_type=None):
    given = f", message_type: {message_type}" if message_type else ""
    signal = f'{{ vehicle: ugv2, topic: {topic}, field: "{field}"{given}, condition: value < 1 }}'
    workspace.spoil("s.yaml", WHEN, signal)


LEAVES = "name a field of it: header.stamp.sec, header.stamp.nanosec, header.frame_id"

REFUSED = {
    "no_such_field": "no field 'no_such_field' in nav_msgs/msg/Odometry (known: child_frame_id, ",
    "header": f"header is a whole std_msgs/msg/Header ({LEAVES})",
    "twist.linear.x": "no field 'linear' in twist (geometry_msgs/msg/TwistWithCovariance) (nearest: twist.twist.linear.x, ",
    "pose.pose.position.w": "no field 'w' in pose.pose.position (geometry_msgs/msg/Point) (nearest: pose.pose.position.",
    "child_frame_id[0]": "child_frame_id is no list",
    "child_frame_id.data": "no field 'data' in child_frame_id (string) (nearest: child_frame_id)",
    "pose.covariance[36]": "pose.covariance has 36 elements (the last is pose.covariance[35])",
    "pose.covariance.x": "pose.covariance is a list (name an element: pose.covariance[0])",
}


@pytest.mark.parametrize(("field", "what"), REFUSED.items(), ids=REFUSED)
def test_a_condition_on_a_field_without_a_value_is_refused_where_it_stands(workspace, field, what):
    with_condition(workspace, field)
    [problem] = problems(workspace)
    assert problem.startswith(f"s.yaml:16:48: timeline[1].when.field: {what}")


@pytest.mark.parametrize(
    ("field", "what"),
    [
        ("transforms", "is a list of geometry_msgs/msg/TransformStamped"),
        ("transforms[0]", "is a whole geometry_msgs/msg/TransformStamped"),
    ],
)
def test_a_list_of_messages_is_no_value(workspace, field, what):
    with_condition(workspace, field, topic="tf")
    [problem] = problems(workspace)
    assert f"{field} {what}" in problem
    assert "transforms[0].header.stamp.sec" in problem


@pytest.mark.parametrize(
    ("topic", "field"),
    [
        ("odom", "twist.twist.linear.x"),
        ("odom", "pose.covariance[35]"),
        ("scan", "ranges[5000]"),
        ("scan", "ranges"),
        ("tf", "transforms[3].transform.translation.x"),
    ],
)
def test_a_field_with_a_value_is_taken(workspace, topic, field):
    with_condition(workspace, field, topic=topic)
    assert problems(workspace) == []


def test_a_type_that_is_not_installed_leaves_its_fields_to_the_run(workspace):
    with_condition(workspace, "anything", topic="elsewhere", message_type="acme_msgs/msg/State")
    assert problems(workspace) == []


def test_a_topic_of_no_known_type_leaves_its_fields_to_the_run(workspace):
    with_condition(workspace, "anything", topic="/diagnostics")
    assert problems(workspace) == []


def test_a_type_that_the_scenario_gives_is_looked_into(workspace):
    with_condition(workspace, "dat", topic="/elsewhere", message_type="std_msgs/msg/Bool")
    [problem] = problems(workspace)
    assert "timeline[1].when.field: no field 'dat' in std_msgs/msg/Bool (nearest: data)" in problem


def test_the_fields_of_assertions_and_of_named_signals_are_looked_for_too(workspace):
    workspace.spoil("s.yaml", "field: twist.twist.linear.x\n", "field: twist.twist.linear.v\n")
    workspace.spoil("s.yaml", "field: twist.twist.linear.x }", "field: pose }")
    places = [one.split(": ")[:2] for one in problems(workspace)]
    assert places == [
        ["s.yaml:35:12", "assertions[1].field"],
        ["s.yaml:42:36", "assertions[2].signals.speed.field"],
    ]
