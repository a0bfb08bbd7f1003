import json
import math
import os
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldproof.model import ScenarioError, read_workspace_file, read_yaml, read_yaml_file

SCALARS = [
    ("on", "on"),
    ("no", "no"),
    ("yes", "yes"),
    ("y", "y"),
    ("1:30", "1:30"),
    ("1_000", "1_000"),
    ("0b1", "0b1"),
    ("2024-01-01", "2024-01-01"),
    ("1e3", 1000.0),
    ("5e-6", 5e-6),
    ("+.5", 0.5),
    ("-1.", -1.0),
    ("010", 10),
    ("0o17", 15),
    ("0xff", 255),
    ("-0x1", "-0x1"),
    ("+12", 12),
    ("'5'", "5"),
    ('"true"', "true"),
    ("'~'", "~"),
    ("~", None),
    ("", None),
    ("Null", None),
    ("nULL", "nULL"),
    ("True", True),
    ("tRue", "tRue"),
    ("FALSE", False),
    (".", "."),
    ("1.2.3", "1.2.3"),
    ("e5", "e5"),
    ("!!str 5", "5"),
    ("! 5", "5"),
    ("!!float 5", 5.0),
    ("!!int 5", 5),
    ("=", "="),
]


def refusals(text):
    with pytest.raises(ScenarioError) as caught:
        read_yaml(text, file="f")
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_a_scalar_means_what_the_core_schema_of_yaml_1_2_says(text, value):
    read = read_yaml(f"a: {text}\n", file="f").value["a"]
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("text", "value"), [(".inf", math.inf), ("-.INF", -math.inf), ("+.Inf", math.inf)]
)
def test_infinities_are_numbers(text, value):
    assert read_yaml(f"a: {text}", file="f").value["a"] == value


def test_nan_is_a_number():
    assert math.isnan(read_yaml("a: .NaN", file="f").value["a"])


@pytest.mark.parametrize("key", ["on", "no", "y", "1:30", "2024-01-01"])
def test_a_word_that_was_a_flag_before_yaml_1_2_is_a_key(key):
    assert read_yaml(f"{key}: x", file="f").value == {key: "x"}


@pytest.mark.parametrize("key", ["1", "true", "~", ".5"])
def test_a_key_that_is_not_text_is_refused(key):
    assert refusals(f"{key}: x") == [f"f:1:1: a key must be text (got '{key}') (quote it)"]


def test_a_key_given_twice_is_refused_at_the_second_and_names_the_first():
    assert refusals("a: 1\nb: {c: 1, c: 2}\na: 3\n") == [
        "f:2:11: b: the key 'c' is given twice (first at 2:5)",
        "f:3:1: the key 'a' is given twice (first at 1:1)",
    ]


def test_a_merge_key_is_refused():
    assert "f:2:6: b: merges another mapping" in refusals("a: &a {x: 1}\nb: { <<: *a }\n")[0]


def test_a_quoted_merge_key_is_an_ordinary_key():
    assert read_yaml('"<<": 1', file="f").value == {"<<": 1}


def test_an_alias_stands_where_it_is_used_and_its_parts_where_they_are_written():
    document = read_yaml("a: &a { x: 1 }\nb: *a\n", file="f")
    assert document.value["b"] == {"x": 1}
    assert document.source.locate(("b",)) == (2, 4)
    assert document.source.locate(("b", "x")) == (1, 12)


def test_an_unknown_anchor_is_refused_with_the_nearest():
    assert refusals("a: &start 1\nb: *strat\n") == [
        "f:2:4: b: unknown anchor 'strat' (nearest: start)"
    ]


def test_an_anchor_that_contains_itself_is_refused():
    assert refusals("a: &a [*a]") == ["f:1:8: a[0]: the anchor a contains itself"]


def test_aliases_cannot_expand_a_document_without_bound():
    lines = ["a0: &a0 [" + ",".join(["lol"] * 10) + "]"]
    lines += [f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    (problem,) = refusals("\n".join(lines))
    assert problem.endswith("aliases expand the document beyond 4 MiB")


def test_aliases_cannot_nest_a_document_without_bound():
    lines = ["a0: &a0 [x]"] + [f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, 80)]
    (problem,) = refusals("\n".join(lines))
    assert problem.endswith("is nested deeper than 64")


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_nesting_is_bounded(opening):
    (problem,) = refusals(opening * 70)
    assert problem.endswith("is nested deeper than 64")


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "&a ", "!!str "])
def test_no_depth_of_nesting_ends_the_reader(opening):
    assert refusals(opening * 50_000)


def test_size_is_bounded():
    assert refusals("a: " + "x" * (1 << 20)) == ["f:1:1: is larger than 1 MiB"]


def test_size_is_bounded_before_a_file_is_read_in_full(tmp_path):
    path = tmp_path / "large.yaml"
    with path.open("wb") as stream:
        stream.truncate(1 << 32)
    with pytest.raises(ScenarioError, match="larger than 1 MiB"):
        read_yaml_file(path, file="large.yaml")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:\n  b: x\x00y\n", "f:2:7: holds the character U+0000"),
        ("a: x\x1b[31m", "f:1:5: holds the character U+001B"),
        ("a: x\u2028y", "f:1:5: holds the character U+2028"),
        ("a: x\ud800y", "f:1:5: holds the character U+D800"),
        ('a: "x\\0y"', "f:1:4: a: holds the character U+0000"),
        ('a: "x\\e[31m"', "f:1:4: a: holds the character U+001B"),
    ],
)
def test_a_character_that_is_not_text_is_refused(text, expected):
    assert refusals(text)[0].startswith(expected)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"a: \xff\n", "f.yaml:1:4: is not UTF-8 (byte 0xff)"),
        ("é: 1\nb: ".encode() + b"\xc3(", "f.yaml:2:4: is not UTF-8 (byte 0xc3)"),
        ("a: 1".encode("utf-16"), "f.yaml:1:1: is not UTF-8 (byte 0xff)"),
    ],
)
def test_a_file_that_is_not_utf_8_is_refused(tmp_path, raw, expected):
    path = tmp_path / "f.yaml"
    path.write_bytes(raw)
    with pytest.raises(ScenarioError) as caught:
        read_yaml_file(path, file="f.yaml")
    assert str(caught.value) == expected


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    path = tmp_path / "f.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read_yaml_file(path).value == {"a": 1}


def test_a_file_that_does_not_exist_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_yaml_file(tmp_path / "none.yaml")


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
def test_a_document_that_holds_nothing_is_refused(text):
    assert refusals(text) == ["f:1:1: holds nothing"]


def test_positions_count_characters_and_survive_windows_line_ends():
    document = read_yaml("ä: { ö: 1,\r\n  b: 2 }\r\nc: 3\r\n", file="f")
    assert document.source.locate(("ä", "ö")) == (1, 9)
    assert document.source.locate(("ä", "b")) == (2, 6)
    assert document.source.locate(("c",)) == (3, 4)


def test_a_path_that_does_not_exist_is_located_at_what_exists_of_it():
    document = read_yaml("a:\n  - b: 1\n", file="f")
    assert document.source.locate(("a", 0, "c", 5)) == (2, 5)
    assert document.source.locate(("a", 7)) == (2, 3)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(min_codepoint=32, max_codepoint=126)),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(string.ascii_letters, min_size=1), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(VALUES)
@settings(max_examples=200, deadline=None)
def test_json_data_is_read_back_as_it_is(value):
    text = json.dumps({"root": value}, indent=1)
    assert read_yaml(text, file="f").value == {"root": value}


PIECES = st.sampled_from(
    [
        "a",
        "b: ",
        "- ",
        "? ",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "\n",
        "  ",
        "\t",
        "&x ",
        "*x",
        "<<: *x",
        "'",
        '"',
        "|\n",
        ">-\n",
        "!!int ",
        "!t ",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "#",
        "1e9",
        "~",
        "\\",
        "é",
        "\x00",
    ]
)


@given(st.text() | st.lists(PIECES, max_size=40).map("".join))
@settings(max_examples=600, deadline=None)
def test_any_text_is_read_or_refused_with_a_position(text):
    problems = ()
    try:
        json.dumps(read_yaml(text, file="f").value)
    except ScenarioError as error:
        problems = error.problems
        assert problems, "a refusal says why"
    lines = text.count("\n") + text.count("\r") + 2
    assert all(1 <= one.line <= lines and one.column >= 1 for one in problems)


@pytest.mark.parametrize(
    "read", [read_yaml_file, read_workspace_file], ids=["yaml", "workspace_file"]
)
@pytest.mark.parametrize(
    ("make", "what"),
    [(os.mkfifo, "is no plain file"), (os.mkdir, "is a folder")],
    ids=["pipe", "folder"],
)
def test_what_is_no_plain_file_is_refused_before_it_is_opened(tmp_path, read, make, what):
    path = tmp_path / "odd"
    make(path)
    link = tmp_path / "link"
    link.symlink_to(path)
    for named in (path, link):
        with pytest.raises(ScenarioError) as caught:
            read(named)
        assert str(caught.value) == f"{named}: {what}"


@pytest.mark.parametrize("read", [read_yaml_file, read_workspace_file])
def test_a_file_is_read_through_a_link_and_refused_when_it_is_too_large(tmp_path, read):
    path, link = tmp_path / "large", tmp_path / "link"
    path.write_bytes(b"#" * ((1 << 20) + 1))
    link.symlink_to(path)
    with pytest.raises(ScenarioError, match="is larger than 1 MiB"):
        read(link)
