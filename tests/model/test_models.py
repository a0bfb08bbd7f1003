import pathlib

import pytest
from pydantic import ValidationError

from fieldproof.model import (
    Placement,
    Pose,
    Problem,
    ScenarioError,
    Signal,
    SourceMap,
    VehicleManifest,
    World,
    canonical_document,
    canonical_json,
    counted,
    digest_of,
    legible,
    nearest,
    path_text,
    printable,
    read_yaml_file,
    shown,
    validate_document,
    validated,
)
from fieldproof.model._source import Node

from .kinds import Drive, Holds, Within

ROOT = pathlib.Path(__file__).parents[2]


def test_a_problem_reads_as_file_line_column_path_and_sentence():
    problem = Problem("must be positive (got -3)", ("assertions", 0, "within_s"))
    placed = problem.placed(file="file.yaml", line=12, column=7)
    assert str(placed) == "file.yaml:12:7: assertions[0].within_s: must be positive (got -3)"


def test_a_problem_cannot_bring_control_characters_to_the_terminal():
    problem = Problem("is \x1b[31mred\n", ("a\nb",), "see \x00", "f", 1, 1)
    assert str(problem) == r"f:1:1: ['a\nb']: is red\x0a (see \x00)"


@pytest.mark.parametrize(
    "text",
    [
        "a\x1b[31mred\x1b[0m rose",
        "a\x9b1mred\x1b[38;5;1m rose",
        "a\x1b]0;a window's title\x07red rose",
        "a\x1b]8;;http://x\x1b\\red\x1b]8;;\x1b\\ rose",
        "\x1b(Ba\x1bcred rose",
    ],
    ids=["colour", "one_byte", "title", "link", "others"],
)
def test_escape_sequences_of_a_terminal_are_dropped_whole(text):
    assert printable(text) == legible(text) == "ared rose"
    assert printable("\x1b") == r"\x1b"


def test_what_a_program_says_is_cut_short_with_its_length():
    assert legible("x" * 500) == "x" * 500
    assert legible("x" * 5000) == "x" * 500 + "… (5000 characters)"
    assert legible("two\nlines", most=5) == "two\nl… (9 characters)"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("a", "b", 0, 1, "c"), "a.b[0][1].c"),
        (("a b",), "['a b']"),
        (("gps.deny", "x"), "gps.deny.x"),
    ],
)
def test_a_path_reads_like_code(path, text):
    assert path_text(path) == text


def test_an_error_carries_every_problem_and_shows_one_a_line():
    error = ScenarioError([Problem("one"), Problem("two", hint="three")])
    assert str(error) == "one\ntwo (three)"
    assert ScenarioError("what", path=("a",)).problems == (Problem("what", ("a",)),)


def test_long_values_are_cut_in_messages():
    assert len(shown("x" * 500)) == 60
    assert shown(None) == "nothing"
    assert shown({}) == "a mapping"


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("drve", ["drive", "say"], "nearest: drive"),
        ("zzz", ["drive", "say"], "known: drive, say"),
        ("zzz", [], ""),
        ("zzz", [str(i) for i in range(20)], "known: 0, 1, 10, 11, 12, 13, 14, 15 and 12 more"),
    ],
)
def test_the_nearest_names_are_offered_or_the_first_known(name, known, hint):
    assert nearest(name, known) == hint


def test_canonical_json_is_one_text_for_one_value():
    assert canonical_json({"b": [1, 2.0, "é"], "a": None}) == '{"a":null,"b":[1,2.0,"é"]}'
    assert canonical_document({}) == "{}\n"
    assert digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1})


@pytest.mark.parametrize("value", [float("nan"), {"a": float("inf")}])
def test_canonical_json_has_no_numbers_that_json_lacks(value):
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(value)


@pytest.mark.parametrize("value", [{1: "a"}, {"a": [{None: 1}]}, {"a": {1, 2}}])
def test_canonical_json_coerces_nothing(value):
    with pytest.raises(TypeError):
        canonical_json(value)


def test_a_placement_is_a_frame_or_a_pose():
    assert Placement(frame="gate").pose() is None
    assert Placement(x=1, y=2).pose() == Pose(1.0, 2.0, 0.0, 0.0)
    assert Pose.from_data(Pose(1, 2, 3, 4).to_data()) == Pose(1, 2, 3, 4)


def test_models_are_frozen():
    with pytest.raises(ValidationError):
        Placement(x=1, y=2).x = 3


@pytest.mark.parametrize(
    ("signal", "needs"),
    [
        ({"topic": "odom", "field": "x"}, True),
        ({"topic": "/clock", "field": "x"}, False),
        ({"metric": "sim_time"}, False),
        ({"metric": "yaw"}, True),
    ],
)
def test_a_signal_needs_a_vehicle_unless_it_is_absolute_or_of_the_run(signal, needs):
    assert validated(Signal, signal).needs_vehicle is needs


def test_an_entry_is_called_by_its_name_or_by_action_and_offset():
    data = {"action": "drive", "vehicle": "ugv1", "goal": {"x": 1, "y": 2}}
    assert validated(Drive, data).label == "drive@0s"
    assert validated(Drive, data | {"at": "1500ms"}).label == "drive@1.5s"
    assert validated(Drive, data | {"name": "go"}).label == "go"
    label = validated(Drive, data | {"at": "250ms"}).label
    assert validated(Within, {"name": "a", "type": "within", "action": label, "max_s": 1})


def test_lists_are_taken_for_tuples_when_data_is_validated():
    data = {
        "name": "a",
        "type": "holds",
        "topic": "odom",
        "condition": "value > 1",
        "corner": [1, 2],
    }
    assert validated(Holds, data).corner == (1.0, 2.0)
    with pytest.raises(ScenarioError) as caught:
        validated(Holds, data | {"corner": [1, "2"], "foo": 1})
    assert [str(one) for one in caught.value.problems] == [
        "corner[1]: must be a number (got '2') (write it without quotes)",
        "foo: unknown key (known: condition, corner, mode, name, on_fail, topic, type, vehicle)",
    ]


def test_what_a_model_dumps_it_reads_again():
    data = {
        "action": "drive",
        "vehicle": "ugv1",
        "goal": {"x": 1, "y": 2},
        "after": ["a", "b"],
        "at": 0.25,
    }
    entry = validated(Drive, data)
    assert validated(Drive, entry.model_dump(mode="json", exclude_none=True)) == entry


def test_a_problem_in_a_text_that_is_not_written_out_points_to_its_start():
    source = SourceMap("f", Node("a\nb", 3, 5))
    problem = source.place(Problem("x"), offset=2)
    assert (problem.line, problem.column) == (3, 5)


def test_the_reference_manifest_and_world_are_sound():
    manifest = validate_document(
        VehicleManifest, read_yaml_file(ROOT / "robots/ugv_ref/robot.yaml")
    )
    assert {"scan", "odom", "cmd_vel", "link_state"} <= set(manifest.topics())
    assert {"lidar", "imu", "gps", "odometry", "command", "battery"} <= set(manifest.routes())
    assert "chassis_contact" not in manifest.routes()
    again = validated(VehicleManifest, manifest.to_data())
    assert again == manifest
    world = validate_document(World, read_yaml_file(ROOT / "worlds/dock_yard/world.yaml"))
    assert world.frames["spawn_dock"].pose().x == 10.0


@pytest.mark.parametrize("yaw", [-1.5708, 6.2831, -6.2831, 0])
def test_an_angle_of_at_most_a_turn_is_one(yaw):
    assert validated(Placement, {"x": 1, "y": 2, "yaw": yaw}).yaw == yaw


@pytest.mark.parametrize(
    ("yaw", "radians"),
    [(-90, "-90 degrees are -1.5708"), (180, "180 degrees are 3.1416"), (360, "0"), (7, "0.12217")],
)
def test_an_angle_of_more_than_a_turn_was_meant_in_degrees(yaw, radians):
    with pytest.raises(ScenarioError, match=r"between -2 pi and 2 pi, in radians") as refused:
        validated(Placement, {"x": 1, "y": 2, "yaw": yaw})
    assert radians in str(refused.value)


@pytest.mark.parametrize(("count", "text"), [(0, "0 windows"), (1, "1 window"), (2, "2 windows")])
def test_one_of_something_is_no_plural(count, text):
    assert counted(count, "window") == text
