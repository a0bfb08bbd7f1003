import io
import os

import pytest

from fieldproof.cli._terminal import Terminal, cells, colour_choice, cut


class Tty(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("environment", "given", "expected"),
    [
        pytest.param({}, None, None, id="nothing said"),
        pytest.param({"NO_COLOR": "1"}, None, False, id="NO_COLOR"),
        pytest.param({"NO_COLOR": "0"}, None, False, id="NO_COLOR of any content"),
        pytest.param({"NO_COLOR": ""}, None, None, id="empty NO_COLOR says nothing"),
        pytest.param({"FORCE_COLOR": "1"}, None, True, id="FORCE_COLOR"),
        pytest.param({"FORCE_COLOR": "0"}, None, False, id="FORCE_COLOR of 0"),
        pytest.param({"FORCE_COLOR": ""}, None, None, id="empty FORCE_COLOR says nothing"),
        pytest.param({"NO_COLOR": "1", "FORCE_COLOR": "1"}, None, False, id="NO before FORCE"),
        pytest.param({"TERM": "dumb"}, None, False, id="dumb terminal"),
        pytest.param({"TERM": "dumb", "FORCE_COLOR": "1"}, None, True, id="FORCE before dumb"),
        pytest.param({"NO_COLOR": "1"}, True, True, id="--color before NO_COLOR"),
        pytest.param({"FORCE_COLOR": "1"}, False, False, id="--no-color before FORCE_COLOR"),
    ],
)
def test_the_first_that_says_anything_about_colour_counts(environment, given, expected):
    assert colour_choice(environment, given=given) is expected


@pytest.mark.parametrize(
    ("stream", "term", "choice", "colour", "cursor"),
    [
        pytest.param(Tty(), "xterm", None, True, True, id="terminal"),
        pytest.param(Tty(), "xterm", False, False, True, id="no colour still moves the cursor"),
        pytest.param(Tty(), "dumb", None, False, False, id="dumb terminal"),
        pytest.param(Tty(), None, None, False, False, id="terminal without TERM"),
        pytest.param(io.StringIO(), "xterm", None, False, False, id="file"),
        pytest.param(io.StringIO(), "xterm", True, True, False, id="forced colour into a file"),
    ],
)
def test_a_stream_can_show_what_its_terminal_can(stream, term, choice, colour, cursor):
    environment = {} if term is None else {"TERM": term}
    terminal = Terminal.of(stream, environment, choice=choice)
    assert (terminal.colour, terminal.cursor) == (colour, cursor)


def test_a_stream_without_a_size_is_taken_to_be_of_the_usual_one():
    assert Terminal.of(Tty(), {"TERM": "xterm"}, choice=None).size() == os.terminal_size((80, 24))


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("drive_ahead", 20, "drive_ahead"),
        ("drive_ahead", 11, "drive_ahead"),
        ("drive_ahead", 10, "drive_a..."),
        ("drive_ahead", 3, "..."),
        ("drive_ahead", 2, ".."),
        ("drive_ahead", 0, ""),
        ("ロボット", 8, "ロボット"),
        ("ロボット", 7, "ロボ..."),
        ("ロボット", 6, "ロ..."),
        ("e\u0301tape", 5, "e\u0301tape"),
    ],
)
def test_a_text_is_cut_to_cells_and_not_to_characters(text, width, expected):
    assert cut(text, width) == expected
    assert cells(expected) <= width
