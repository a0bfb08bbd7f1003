import math
import threading
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldproof.events import (
    ActionRecord,
    Event,
    NavigateToPose,
    NavigateToPoseEvent,
    Over,
    Worker,
    begin,
)
from fieldproof.events._navigate import in_map
from fieldproof.model import Pose, validated

from .plugins import Announce, AnnounceEvent, QuitterEvent


class Goal:
    def __init__(self, status_at):
        self.status_at = status_at
        self.polls = 0
        self.cancelled = False

    def result(self):
        self.polls += 1
        return self.status_at.get(self.polls)

    def cancel(self):
        self.cancelled = True


class Context:
    """A context with a clock that moves when it is told to, or when somebody holds."""

    tearing_down = False

    def __init__(self, goal=None, holds=math.inf):
        self.goal = goal
        self.holds = holds
        self.t = 2.0
        self.lines = []
        self.sent = None

    def vehicle(self, name):
        return SimpleNamespace(name=name, namespace=name, spawn=Pose(0.0, 0.0))

    def navigate(self, vehicle, goal, *, timeout_s):
        self.sent = (vehicle.name, goal, timeout_s)
        return self.goal

    def log(self, event, message, **fields):
        self.lines.append((event, message, fields))

    def clock(self):
        return self.t

    def hold(self, seconds):
        self.t += seconds
        return self.t < self.holds

    def background(self, call, *, name):
        return Worker(call, name=name)


DRIVE = {"name": "drive", "action": "navigate_to_pose", "vehicle": "ugv1", "goal": {"x": 1, "y": 2}}
GOAL = {"goal": {"frame_id": "map", "x": 1.0, "y": 2.0, "yaw": 0.0}, "limit_s": 1.0}


def record(action="navigate_to_pose"):
    return ActionRecord("drive", action, "ugv1")


def wait_for(running):
    while not running.poll():
        pass


@pytest.mark.parametrize(
    ("status", "expected"),
    [("SUCCEEDED", "ok"), ("ABORTED", "failed"), ("CANCELED", "failed"), ("REJECTED", "failed")],
)
def test_a_drive_ends_as_its_goal_does(status, expected):
    context, outcome = Context(Goal({3: status})), record()
    running = begin(NavigateToPoseEvent(), DRIVE, GOAL, context, outcome)
    assert [running.poll() for _ in range(4)] == [False, False, True, True]
    assert (outcome.status, outcome.detail) == (expected, f"goal {status}")
    assert context.sent == ("ugv1", GOAL["goal"], 1.0)
    assert [line[0] for line in context.lines] == ["action.goal"]


def test_a_drive_without_a_result_times_out_at_its_limit_and_cancels_the_goal():
    goal = Goal({})
    context, outcome = Context(goal), record()
    running = begin(NavigateToPoseEvent(), DRIVE, GOAL, context, outcome)
    context.t = 2.95
    assert not running.poll()
    context.t = 3.0
    assert running.poll()
    assert outcome.status == "timeout"
    assert goal.cancelled


def test_a_result_that_arrives_at_the_limit_counts():
    context, outcome = Context(Goal({1: "SUCCEEDED"})), record()
    running = begin(NavigateToPoseEvent(), DRIVE, GOAL, context, outcome)
    context.t = 3.0
    assert running.poll()
    assert outcome.status == "ok"


def test_cancelling_a_drive_cancels_its_goal():
    goal = Goal({})
    running = begin(NavigateToPoseEvent(), DRIVE, GOAL, Context(goal), record())
    running.cancel()
    assert goal.cancelled


def test_a_polled_event_can_also_be_applied_in_one_call():
    entry = validated(NavigateToPose, DRIVE)
    outcome = record()
    NavigateToPoseEvent().apply(entry, GOAL, Context(Goal({4: "SUCCEEDED"})), outcome)
    assert outcome.status == "ok"
    goal, outcome = Goal({}), record()
    NavigateToPoseEvent().apply(entry, GOAL, Context(goal, holds=2.2), outcome)
    assert (outcome.status, goal.cancelled) == ("cancelled", True)


def test_a_blocking_event_runs_on_a_worker_and_is_polled():
    seen = []

    class Slow(AnnounceEvent):
        def apply(self, entry, resolved, context, record):
            release.wait()
            seen.append(threading.current_thread().name)

    release = threading.Event()
    outcome = ActionRecord("hello#2", "example.announce")
    running = begin(Slow(), {"action": "example.announce"}, {}, Context(), outcome)
    assert not running.poll()
    assert outcome.status == "running"
    release.set()
    wait_for(running)
    assert outcome.status == "ok"
    assert seen == ["hello#2"]


def test_an_event_that_raises_fails_with_its_text():
    class Raises(AnnounceEvent):
        def apply(self, entry, resolved, context, record):
            raise KeyError("text")

    outcome = record("example.announce")
    wait_for(begin(Raises(), {"action": "example.announce"}, {}, Context(), outcome))
    assert (outcome.status, outcome.detail) == ("failed", "KeyError: 'text'")


@pytest.mark.parametrize("where", ["start", "poll"])
def test_exceptions_that_end_the_run_pass_through(where):
    class Broken:
        def poll(self):
            raise ConnectionError

        def cancel(self):
            raise AssertionError

    class Lost(Event):
        action, Entry, summary = "example.announce", Announce, "Loses the simulator."

        def start(self, entry, resolved, context, record):
            if where == "start":
                raise ConnectionError
            return Broken()

    def go(passing):
        outcome = record()
        running = begin(
            Lost(), {"action": "example.announce"}, {}, Context(), outcome, passing=passing
        )
        wait_for(running)
        return outcome.status

    assert go(()) == "failed"
    with pytest.raises(ConnectionError):
        go((OSError,))


@pytest.mark.parametrize(
    ("status", "detail", "expected"),
    [
        ("splendid", "", ("failed", "example.announce reported the status 'splendid'")),
        ("ok", None, ("ok", "None")),
        (None, "", ("failed", "example.announce reported the status None")),
    ],
)
def test_nonsense_in_the_record_is_a_failure_and_never_stays(status, detail, expected):
    class Odd(Event):
        action, Entry, summary = "example.announce", Announce, "Reports nonsense."

        def start(self, entry, resolved, context, record):
            record.status, record.detail = status, detail
            return Over()

    outcome = record()
    assert begin(Odd(), {"action": "example.announce"}, {}, Context(), outcome).poll()
    assert (outcome.status, outcome.detail) == expected


def test_an_entry_that_cannot_be_read_fails_the_occurrence():
    outcome = record()
    assert begin(
        AnnounceEvent(), {"action": "example.announce", "txt": 1}, {}, Context(), outcome
    ).poll()
    assert outcome.status == "failed"
    assert "txt" in outcome.detail


angles = st.floats(-7.0, 7.0)
metres = st.floats(-100.0, 100.0)


places = st.builds(Pose, metres, metres, st.just(0.0), angles)


@given(places, places)
def test_the_map_frame_starts_at_the_spawn_pose(world, spawn):
    goal = in_map(world, spawn)
    heading = complex(math.cos(spawn.yaw), math.sin(spawn.yaw))
    back = complex(spawn.x, spawn.y) + complex(goal["x"], goal["y"]) * heading
    assert abs(back - complex(world.x, world.y)) < 1e-6
    assert math.isclose(math.cos(goal["yaw"] + spawn.yaw - world.yaw), 1.0, abs_tol=1e-9)
    assert -math.pi - 1e-9 <= goal["yaw"] <= math.pi + 1e-9


def test_the_example_goal_lies_straight_ahead_of_its_spawn():
    half = math.pi / 2
    goal = in_map(Pose(10.0, -1.0, 0.0, -half), Pose(10.0, 3.0, 0.0, -half))
    assert goal == {"frame_id": "map", "x": 4.0, "y": 0.0, "yaw": 0.0}


def test_a_record_is_json_data_without_wall_clock_times():
    data = record().to_data()
    assert data["status"] == "running"
    assert set(data) == {
        "name", "action", "vehicle", "at_s", "trigger", "occurrence", "status", "detail", "params",
        "t_s", "sim_s", "duration_s",
    }  # fmt: skip


def test_an_event_that_would_end_the_engine_fails_instead():
    outcome = record("example.announce")
    running = begin(QuitterEvent(), {"text": "a"}, {}, Context(), outcome)
    assert running.poll()
    assert (outcome.status, outcome.detail) == ("failed", "SystemExit: 3")


class OwnError(BaseException):
    """What no rule about exceptions foresees."""


class RaisingEvent(AnnounceEvent):
    def __init__(self, error):
        self.error = error

    def start(self, entry, resolved, context, record):
        raise self.error


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (GeneratorExit("over"), "GeneratorExit: over"),
        (OwnError("mine"), "OwnError: mine"),
        (ValueError("\x1b[31mred\x1b[0m"), "ValueError: red"),
        (ValueError("x" * 5000), "ValueError: " + "x" * 488 + "… (5012 characters)"),
    ],
    ids=["interrupt", "exit", "own", "colour", "long"],
)
def test_whatever_an_event_raises_is_a_detail_that_can_be_read(error, detail):
    outcome = record("example.announce")
    running = begin(RaisingEvent(error), {"text": "a"}, {}, Context(), outcome)
    assert running.poll()
    assert (outcome.status, outcome.detail) == ("failed", detail)
