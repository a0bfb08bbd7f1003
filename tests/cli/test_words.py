import pytest

from fieldproof.cli._words import (
    joined,
    place_words,
    seconds,
    signal_words,
    table,
    trigger_words,
    value_words,
)

S = 1_000_000_000
DISTANCE = {
    "metric": "distance_to",
    "model": "ugv1",
    "target": {"x": 10.0, "y": 3.0, "z": 0.0, "yaw": -1.57},
    "condition": "value > 0.5",
}
DISTANCE_WORDS = "value > 0.5 (ugv1's distance_to x 10 m, y 3 m in the world)"


def trigger(**given):
    nothing = dict.fromkeys(("when", "within_ns", "every_ns", "count", "until_ns"))
    return {"at_ns": 0, "after": [], **nothing, **given}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "at 0 s"),
        ({"at_ns": 1_250_000_000}, "at 1.25 s"),
        ({"after": ["a"]}, "once a has ended ok"),
        ({"after": ["a", "b"], "at_ns": 5 * S}, "5 s after a and b have ended ok"),
        ({"when": DISTANCE}, f"once {DISTANCE_WORDS}"),
        (
            {"when": DISTANCE, "at_ns": S, "within_ns": 60 * S},
            f"1 s after {DISTANCE_WORDS}, by 60 s or never",
        ),
        (
            {"when": {"topic": "/ugv1/odom", "field": "twist.x", "condition": "value < 1"}},
            "once value < 1 (/ugv1/odom twist.x)",
        ),
        ({"when": {"metric": "sim_time", "condition": "value > 9"}}, "once value > 9 (sim_time)"),
        ({"at_ns": S, "every_ns": 3 * S, "count": 3}, "at 1 s, then every 3 s, 3 times"),
        ({"every_ns": 3 * S, "count": 1}, "at 0 s, then every 3 s, once"),
        ({"every_ns": 3 * S, "until_ns": 9 * S}, "at 0 s, then every 3 s, until 9 s"),
        ({"when": {"metric": "rtf", "condition": "value\n  > 9"}}, "once value > 9 (rtf)"),
        ({"every_ns": S}, "at 0 s, then every 1 s, as long as the timeline lasts"),
        (
            {"after": ["a"], "every_ns": S, "count": 2, "until_ns": 9 * S},
            "once a has ended ok, then every 1 s, 2 times, until 9 s",
        ),
    ],
)
def test_every_trigger_has_words(given, words):
    assert trigger_words(trigger(**given)) == words


@pytest.mark.parametrize(
    ("ns", "words"),
    [(0, "0 s"), (S, "1 s"), (1, "0.000000001 s"), (300 * S + 500_000_000, "300.5 s")],
)
def test_times_keep_every_digit(ns, words):
    assert seconds(ns) == words


@pytest.mark.parametrize(
    ("pose", "words"),
    [
        (
            {"x": 10.0, "y": -1.5, "z": 0.0, "yaw": -1.5707963},
            "x 10 m, y -1.5 m, yaw -1.5708 rad in the world",
        ),
        (
            {"x": 4.0, "y": -1e-9, "yaw": -3.7e-06, "frame_id": "map"},
            "x 4 m, y 0 m, yaw 0 rad in map",
        ),
        ({"x": 123456.789, "y": 0.0, "z": 2.0}, "x 123456.789 m, y 0 m, z 2 m in the world"),
    ],
)
def test_a_place_is_said_with_its_frame(pose, words):
    assert place_words(pose) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("/ugv1/scan", "/ugv1/scan"),
        ("größer", "größer"),
        ("two\nlines", '"two\\nlines"'),
        (True, "true"),
        (None, "null"),
        (3, "3"),
        (0.5, "0.5"),
        ([0.6, 0.6, 0.5], "[0.6, 0.6, 0.5]"),
        ({"type": "box", "size": [1.0, 2.0]}, "type box, size [1, 2]"),
        ({"x": 1.0, "y": 2.0}, "x 1 m, y 2 m in the world"),
        ({"x": "left", "y": 2.0}, "x left, y 2"),
        ({"topic": "/a", "field": "b"}, "/a b"),
        ({"topic": "/a", "type": "T"}, "topic /a, type T"),
        ([{"x": 1.0, "y": 2.0}], "[x 1 m, y 2 m in the world]"),
        ({"kind": "action", "name": None}, "kind action"),
        ({}, ""),
    ],
)
def test_values_of_any_kind_have_words(value, words):
    assert value_words(value) == words


def test_a_metric_of_nobody_stands_alone():
    assert signal_words({"metric": "rtf"}) == "rtf"
    assert signal_words({"metric": "yaw", "model": "ugv2"}) == "ugv2's yaw"


@pytest.mark.parametrize(
    ("names", "words"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_names_are_listed_as_in_a_sentence(names, words):
    assert joined(names) == words


def test_columns_of_a_table_are_aligned_and_the_last_is_not_padded():
    assert table([("a", "bb", "c"), ("aaa", "b", ""), ("", "", "x y")]) == [
        "  a    bb  c",
        "  aaa  b",
        "           x y",
    ]
    assert table([]) == []


def test_a_long_last_cell_goes_on_below_its_beginning():
    assert table([("key", "one two three four five six seven")], width=30) == [
        "  key  one two three four",
        "       five six seven",
    ]
    assert table([("key", "one two three")], width=12) == ["  key  one two three"]
