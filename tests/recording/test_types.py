import os
import sys
from pathlib import Path

import numpy as np
import pytest
from mcap.records import Schema
from mcap_ros2.decoder import DecoderFactory

from fieldproof.recording import (
    MessageField,
    MessageTypes,
    UndecodableMessageError,
    UnknownTypeError,
    UnsupportedTypeError,
    share_folders,
)

ACTION = """\
# the goal
geometry_msgs/PoseStamped pose
string behavior_tree
---
uint16 NONE=0
uint16 error_code
---
Waypoint next
float32 distance_remaining
"""


@pytest.fixture
def share(tmp_path):
    folder = tmp_path / "share" / "demo_msgs"
    (folder / "msg").mkdir(parents=True)
    (folder / "action").mkdir()
    (folder / "msg" / "Waypoint.msg").write_text("std_msgs/Header header\nfloat64[] xy # metres\n")
    (folder / "msg" / "Wide.msg").write_text("wstring text\n")
    (folder / "msg" / "Orphan.msg").write_text("nowhere_msgs/Thing thing\n")
    (folder / "action" / "Visit.action").write_text(ACTION)
    return tmp_path / "share"


def test_a_standard_type_needs_no_installed_package():
    definition = MessageTypes().definition("sensor_msgs/msg/LaserScan")
    assert definition.text.startswith("std_msgs/Header header\nfloat32 angle_min\n")
    assert "MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n" in definition.text


def test_the_type_hash_is_the_one_that_ros_computes():
    # from share/std_msgs/msg/String.json of ROS 2 Jazzy
    assert MessageTypes().definition("std_msgs/msg/String").type_hash == (
        "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"
    )


def test_an_installed_package_defines_its_types_and_may_use_standard_ones(share):
    types = MessageTypes([share])
    definition = types.definition("demo_msgs/msg/Waypoint")
    assert definition.text.splitlines()[:2] == ["std_msgs/Header header", "float64[] xy"]
    assert "MSG: std_msgs/Header" in definition.text


def test_an_installed_definition_wins_over_the_standard_one(share):
    folder = share / "std_msgs" / "msg"
    folder.mkdir(parents=True)
    (folder / "String.msg").write_text("string data\nuint8 extra\n")
    assert MessageTypes([share]).definition("std_msgs/msg/String").text == (
        "string data\nuint8 extra\n"
    )


@pytest.mark.parametrize(
    ("part", "first_lines"),
    [
        ("Goal", ["geometry_msgs/PoseStamped pose", "string behavior_tree"]),
        ("Result", ["uint16 NONE=0", "uint16 error_code"]),
        ("Feedback", ["demo_msgs/Waypoint next", "float32 distance_remaining"]),
        (
            "FeedbackMessage",
            ["unique_identifier_msgs/UUID goal_id", "demo_msgs/Visit_Feedback feedback"],
        ),
    ],
)
def test_the_parts_of_an_action_are_types(share, part, first_lines):
    definition = MessageTypes([share]).definition(f"demo_msgs/action/Visit_{part}")
    assert definition.text.splitlines()[:2] == first_lines


def test_a_feedback_message_survives_a_round_trip_through_its_recorded_definition(share):
    name = "demo_msgs/action/Visit_FeedbackMessage"
    types = MessageTypes([share])
    text = types.definition(name).text
    recorded = MessageTypes(definitions={name: text})
    make = types.message_class
    header = make("std_msgs/msg/Header")(make("builtin_interfaces/msg/Time")(1, 2), "map")
    waypoint = make("demo_msgs/msg/Waypoint")(header, np.array([1.0, 2.0]))
    message = make(name)(
        make("unique_identifier_msgs/msg/UUID")(np.arange(16, dtype=np.uint8)),
        make("demo_msgs/msg/Visit_Feedback")(waypoint, 0.5),
    )
    data = types.encode(name, message)
    assert recorded.definition(name).text == text
    assert recorded.canonical(name, data) == data


@pytest.mark.parametrize(
    "name",
    [
        "std_msgs/msg/Empty",
        "rcl_interfaces/msg/Log",
        "tf2_msgs/msg/TFMessage",
        "sensor_msgs/msg/BatteryState",
        "lifecycle_msgs/msg/TransitionEvent",
    ],
)
def test_other_readers_understand_the_definition_text(name):
    text = MessageTypes().definition(name).text
    schema = Schema(id=1, name=name, encoding="ros2msg", data=text.encode())
    assert DecoderFactory().decoder_for("cdr", schema) is not None


def test_an_empty_message_keeps_the_byte_that_ros_gives_it():
    types = MessageTypes(definitions={"std_msgs/msg/Empty": ""})
    assert types.canonical("std_msgs/msg/Empty", b"\x00\x01\x00\x00\x00") == b"\x00\x01\x00\x00\x00"


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("demo_msgs/msg/Nothing", UnknownTypeError),
        ("demo_msgs/msg/Orphan", UnknownTypeError),
        ("demo_msgs/msg/Wide", UnsupportedTypeError),
        ("no slash", UnknownTypeError),
        ("../../etc/passwd", UnknownTypeError),
    ],
)
def test_a_type_without_a_usable_definition_is_named(share, name, error):
    with pytest.raises(error) as caught:
        MessageTypes([share]).definition(name)
    assert caught.value.type_name in {name, "nowhere_msgs/msg/Thing"}


@pytest.mark.parametrize(
    "data",
    [b"", b"\x00\x01\x00\x00", b"\x00\x01\x00\x00\xff\xff\xff\x7f", b"garbage!"],
    ids=["empty", "no body", "length past the end", "no encapsulation"],
)
def test_bytes_of_another_type_are_refused(data):
    with pytest.raises(UndecodableMessageError, match="std_msgs/msg/String"):
        MessageTypes().decode("std_msgs/msg/String", data)


def test_big_endian_and_little_endian_have_one_canonical_form():
    types = MessageTypes()
    little = types.canonical("std_msgs/msg/UInt32", b"\x00\x01\x00\x00\x01\x02\x03\x04")
    big = types.canonical("std_msgs/msg/UInt32", b"\x00\x00\x00\x00\x04\x03\x02\x01")
    assert little == big


def test_share_folders_are_the_existing_ones_of_the_ament_prefixes_and_the_interpreter(tmp_path):
    for name in ("a", "b", "python"):
        (tmp_path / name / "share").mkdir(parents=True)
    environment = {"AMENT_PREFIX_PATH": f"{tmp_path}/b:{tmp_path}/missing::{tmp_path}/a"}
    assert share_folders(environment, tmp_path / "python") == (
        tmp_path / "b" / "share",
        tmp_path / "a" / "share",
        tmp_path / "python" / "share",
    )
    assert share_folders({}, Path("/nonexistent")) == ()


def test_every_message_installed_in_this_environment_has_a_readable_definition():
    folders = share_folders(os.environ, Path(sys.prefix))
    types = MessageTypes(folders)
    names = sorted(
        f"{path.parts[-3]}/msg/{path.stem}"
        for folder in folders
        for path in folder.glob("*/msg/*.msg")
    )
    actions = sorted(
        f"{path.parts[-3]}/action/{path.stem}_FeedbackMessage"
        for folder in folders
        for path in folder.glob("*/action/*.action")
    )
    if not names:
        pytest.skip("no ROS interface package is installed: their definitions were not read")
    for name in (*names, *actions):
        definition = types.definition(name)
        again = MessageTypes(definitions={name: definition.text}).definition(name)
        assert again.text == definition.text


def test_the_fields_of_a_type_say_what_they_are_of():
    types = MessageTypes()
    odometry = types.fields("nav_msgs/msg/Odometry")
    assert list(odometry) == ["header", "child_frame_id", "pose", "twist"]
    assert odometry["header"] == MessageField("std_msgs/msg/Header")
    assert odometry["child_frame_id"] == MessageField("string")
    pose = types.fields("geometry_msgs/msg/PoseWithCovariance")
    assert pose["covariance"] == MessageField("float64", is_list=True, length=36)
    scan = types.fields("sensor_msgs/msg/LaserScan")
    assert scan["ranges"] == MessageField("float32", is_list=True)
    transforms = types.fields("tf2_msgs/msg/TFMessage")["transforms"]
    assert transforms == MessageField("geometry_msgs/msg/TransformStamped", is_list=True)
    assert types.fields("std_msgs/msg/Empty") == {}
