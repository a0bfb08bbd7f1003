import io
import os

import pytest

from fieldproof.cli._progress import Progress
from fieldproof.cli._terminal import Terminal

from .screen import Screen


class Shown(Terminal):
    """A terminal of a size that the test chooses."""

    size_now = os.terminal_size((60, 24))

    def size(self):
        return Shown.size_now


class Stream(io.StringIO):
    def __init__(self, screen):
        super().__init__()
        self.screen = screen
        self.writes = []

    def write(self, text):
        self.writes.append(text)
        self.screen.write(text)
        return len(text)


@pytest.fixture
def screen(monkeypatch):
    monkeypatch.setattr(Shown, "size_now", os.terminal_size((60, 24)))
    return Screen(60)


@pytest.fixture
def resize(screen, monkeypatch):
    def resize(columns):
        monkeypatch.setattr(Shown, "size_now", os.terminal_size((columns, 24)))
        screen.resize(columns)

    return resize


def progress_on(screen, *, colour=False, cursor=True, clock=lambda: 0.0):
    return Progress(Shown(Stream(screen), colour=colour, cursor=cursor), monotonic=clock)


def status(progress, *, running=("drive_ahead",), waiting=("stop_stack",), sim_s=1.0):
    progress(
        "run.status",
        "",
        {
            "t_s": sim_s,
            "sim_s": sim_s,
            "running": [
                {"label": label, "action": "navigate_to_pose", "for_s": sim_s} for label in running
            ],
            "waiting": [{"label": label, "for": "the end of drive_ahead"} for label in waiting],
            "assertions": {"passed": 0, "failed": 0, "pending": 2},
        },
    )


BLOCK = """\
  runs   drive_ahead  navigate_to_pose, 1.0 s
  waits  stop_stack   for the end of drive_ahead
  1.0 s simulated; 0 passed, 0 failed, 2 pending"""


def test_lines_stay_and_the_block_stands_below_them(screen):
    progress = progress_on(screen)
    progress("phase.start", "timeline", {"phase": "timeline"})
    progress("action.start", "drive_ahead (navigate_to_pose)", {"status": "running"})
    status(progress)
    assert screen.text() == (
        "   0.0 s  timeline ...\n   0.0 s    drive_ahead (navigate_to_pose)\n" + BLOCK
    )
    progress("fault.injected", "ugv1 gps fix denied", {})
    assert screen.text().splitlines()[2:] == [
        "   0.0 s    ugv1 gps fix denied",
        *BLOCK.splitlines(),
    ]


def test_the_block_is_drawn_anew_in_place_in_one_write(screen):
    progress = progress_on(screen)
    status(progress, running=["a", "b", "c"])
    before = len(progress._terminal.stream.writes)
    status(progress)
    assert len(progress._terminal.stream.writes) == before + 1
    assert screen.text() == BLOCK


def test_a_log_line_of_any_length_stays_whole_above_the_block(screen):
    progress = progress_on(screen)
    status(progress)
    progress("action.end", "x" * 50, {"status": "ok"})
    progress("action.end", "y" * 48, {"status": "ok"})  # ends in the terminal's last cell
    progress("action.end", "z" * 200, {"status": "ok"})
    status(progress)
    text = screen.text().replace("\n", "")
    assert text.count("x") == 50
    assert text.count("y") == 48
    assert text.count("z") == 200
    assert screen.text().endswith(BLOCK)


def test_the_block_goes_with_the_timeline_and_at_the_end_only_lines_are_left(screen):
    progress = progress_on(screen)
    with progress:
        progress("phase.start", "timeline", {})
        status(progress)
        progress("phase.end", "timeline: ok", {"status": "ok"})
        progress("phase.start", "teardown", {})
        assert screen.text() == "   0.0 s  timeline ...\n   0.0 s  teardown ..."
    assert screen.text() == "   0.0 s  timeline ...\n   0.0 s  teardown ..."
    assert screen.column == 0


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_whatever_ends_the_run_the_block_is_taken_away(screen, error):
    def watched():
        with progress_on(screen) as progress:
            progress("phase.start", "timeline", {})
            status(progress)
            screen.write("^C")  # what a terminal echoes
            raise error

    with pytest.raises(error):
        watched()
    assert screen.text() == "   0.0 s  timeline ..."
    assert (screen.row, screen.column) == (1, 0)


@pytest.mark.parametrize("columns", [100, 45, 30, 24, 15])
def test_the_block_survives_that_the_terminal_becomes_wider_or_narrower(screen, resize, columns):
    progress = progress_on(screen)
    progress("phase.start", "timeline", {})
    status(progress)
    resize(columns)
    status(progress, sim_s=2.0)
    lines = screen.text().splitlines()
    assert lines[0].startswith("   0.0 s  timel"[:columns])
    drawn = [line for line in lines if "2.0 s" in line]
    assert drawn
    assert not [line for line in lines if "1.0 s" in line]


def test_a_block_at_the_lower_end_of_the_terminal_leaves_what_scrolls_away(screen):
    screen.rows = 6
    progress = progress_on(screen)
    for number in range(20):
        progress("action.end", f"entry {number}", {"status": "ok"})
        status(progress)
    lines = screen.text().splitlines()
    assert [line.split()[-1] for line in lines[:20]] == [str(number) for number in range(20)]
    assert lines[20:] == BLOCK.splitlines()


def test_where_the_cursor_cannot_be_moved_there_are_lines_alone(screen):
    progress = progress_on(screen, cursor=False)
    with progress:
        progress("phase.start", "timeline", {})
        status(progress)
        progress("assertion.passed", "arrived passed: there", {"status": "passed"})
        status(progress)
    assert screen.text() == "   0.0 s  timeline ...\n   0.0 s    arrived passed: there"
    assert not any("\x1b" in text for text in progress._terminal.stream.writes)


def test_colour_and_cursor_are_apart(screen):
    progress = progress_on(screen, colour=False)
    progress("assertion.failed", "arrived failed: late", {"status": "failed"})
    status(progress)
    assert screen.colours == set()
    progress = progress_on(screen, colour=True, cursor=False)
    progress("assertion.failed", "arrived failed: late", {"status": "failed"})
    assert "31" in screen.colours


@pytest.mark.parametrize(
    ("event", "message", "fields", "shown"),
    [
        ("phase.start", "settle", {}, "settle ..."),
        ("phase.end", "settle: ok", {"status": "ok"}, None),
        ("phase.end", "settle: failed", {"status": "failed"}, "settle: failed"),
        ("phase.end", "timeline: interrupted", {"status": "interrupted"}, "timeline: interrupted"),
        ("container.paused", "ugv1 paused", {}, "  ugv1 paused"),
        ("world.changed", "spawned model crate", {}, "  spawned model crate"),
        ("acme.noticed", "what a plugin says", {}, "  what a plugin says"),
        ("simulator.warning", "a visual is missing", {}, "  a visual is missing"),
        ("engine.scheduling", "round robin", {}, None),
        ("action.output", "data: 1", {}, None),
        ("recorder.ready", "every topic has a publisher", {"missing": []}, None),
        ("recorder.ready", "nobody publishes /x", {"missing": ["/x"]}, "  nobody publishes /x"),
    ],
)
def test_what_matters_to_a_person_is_a_line(screen, event, message, fields, shown):
    progress_on(screen)(event, message, fields)
    assert screen.text() == ("" if shown is None else f"   0.0 s  {shown}")


def test_control_characters_of_a_message_do_not_reach_the_terminal(screen):
    progress_on(screen)("acme.noticed", "evil \x1b[2J\x07\nsecond line", {})
    assert screen.text() == ("   0.0 s    evil \\x07\n   0.0 s    second line")


def test_lines_carry_the_seconds_since_the_first_event(screen):
    moments = iter([100.0, 101.5])
    progress = progress_on(screen, clock=lambda: next(moments))
    progress("phase.start", "start simulator", {})
    progress("phase.start", "start bridges", {})
    assert screen.text() == "   0.0 s  start simulator ...\n   1.5 s  start bridges ..."


def test_a_terminal_that_is_gone_does_not_end_the_run(tmp_path):
    with (tmp_path / "gone").open("w") as stream:
        reader, writer = os.pipe()
        os.close(reader)
        os.dup2(writer, stream.fileno())
        os.close(writer)
        progress = Progress(Terminal(stream, colour=False, cursor=True))
        progress("phase.start", "timeline", {})
        status(progress)
        progress("phase.start", "teardown", {})
