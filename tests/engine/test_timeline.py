"""The driver with real events and workers; the run around it is a clock and a note-book."""

import threading
from typing import Literal

import pytest

from fieldproof.engine._log import EngineLog
from fieldproof.engine._timeline import TimelineDriver
from fieldproof.engine._workers import Workers
from fieldproof.events import FAILED, Event, Refused
from fieldproof.model import TimelineBase
from fieldproof.samples import Sample

NS = 1_000_000_000
TICK = NS // 20


class Act(TimelineBase):
    action: Literal["act"]


class Blocking(Event):
    """An event of a plugin, whose `apply` is the test's."""

    action = "act"
    Entry = Act
    summary = "Does what the test says."

    def __init__(self, apply):
        self._apply = apply

    def apply(self, entry, resolved, context, record):
        self._apply(context, record)


class Context:
    def __init__(self, workers, now_ns):
        self.workers = workers
        self.now_ns = now_ns
        self.asked = []

    def of(self, _occurrence):
        return self

    def clock(self):
        return self.now_ns() / NS

    def sim_s(self):
        return self.now_ns() / NS + 3.0

    def hold(self, seconds):
        return self.workers.hold(seconds)

    def background(self, call, *, name):
        return self.workers.start(call, name=name)

    def ask(self, what):
        self.workers.ask(lambda: self.asked.append((round(self.clock(), 3), what)))


class Run:
    """Drives a timeline to its end, tick by tick."""

    def __init__(self, tmp_path, timeline, apply, *, patience_s=20.0):
        self.workers = Workers(wait=True, check=lambda: None, patience_s=patience_s)
        self.samples = []
        self.log = EngineLog(
            tmp_path / "engine.log",
            wall_ns=lambda: 0,
            listener=lambda *line: self.lines.append(line),
        )
        self.lines = []
        self.context = None
        self.driver = TimelineDriver(
            {"timeline": timeline},
            self._make_context,
            self.workers,
            self.log,
            emit=self.samples.append,
            wall_ns=lambda: 0,
            events={"act": Blocking(apply)},
        )

    def _make_context(self, now_ns):
        self.context = Context(self.workers, now_ns)
        return self.context

    def to_end(self, ticks=400):
        for tick in range(ticks):
            self.driver.advance(tick * TICK)
            if self.driver.finished:
                self.driver.settle(tick * TICK)
                return self.driver.record()
        raise AssertionError("the timeline never ended")


def entry(label, **trigger):
    return {"label": label, "action": "act", "trigger": trigger, "params": {}, "resolved": {}}


def test_an_entry_that_waits_for_an_unreadable_field_is_recorded_as_failed(tmp_path):
    when = {"topic": "/a", "field": "data", "condition": "value > 1"}
    run = Run(tmp_path, [entry("w", when=when), entry("n", after=["w"])], lambda *_: None)
    run.driver.advance(0)
    run.driver.on_sample(
        Sample.of("field_error", sim=0.0, topic="/a", field="data", message="no field"), 0
    )
    rows = run.to_end()
    assert [(row["name"], row["status"], row["detail"], row["t_s"]) for row in rows] == [
        ("w", "failed", "/a data cannot be read: no field", None),
        ("n", "skipped", "w ended failed", None),
    ]
    assert run.driver.failure == "w failed: /a data cannot be read: no field"
    assert [(one["label"], one["event"], one["status"]) for one in run.samples] == [
        ("w", "finished", "failed"),
        ("n", "finished", "skipped"),
    ]
    assert "action.failed" in [line[0] for line in run.lines]


def test_what_a_blocking_event_does_falls_on_ticks(tmp_path):
    def apply(context, record):
        for step in range(3):
            context.ask(step)
            context.hold(0.1)

    run = Run(tmp_path, [entry("a"), entry("b", at_ns=TICK)], apply)
    rows = run.to_end()
    assert run.context.asked == [(0.0, 0), (0.05, 0), (0.1, 1), (0.15, 1), (0.2, 2), (0.25, 2)]
    assert [(row["name"], row["status"], row["duration_s"]) for row in rows] == [
        ("a", "ok", pytest.approx(0.3)),
        ("b", "ok", pytest.approx(0.3)),
    ]


def test_equal_timelines_of_blocking_events_leave_equal_records(tmp_path):
    def ran(folder):
        def apply(context, record):
            context.ask(record.name)
            context.hold(0.15)
            context.ask(record.name)

        timeline = [entry(f"e{n}", at_ns=(n % 3) * TICK) for n in range(9)]
        run = Run(tmp_path / folder, timeline, apply)
        return run.to_end(), run.context.asked, run.samples, run.lines

    assert ran("one") == ran("two")


@pytest.mark.parametrize(
    ("apply", "detail"),
    [
        (lambda _context, _record: 1 // 0, "ZeroDivisionError: integer division or modulo by zero"),
        (lambda context, _record: refuse(), "the door is shut"),
        (lambda _context, record: setattr(record, "status", "fine"), "act reported the status"),
        (lambda _context, record: setattr(record, "detail", 7), "7"),
    ],
    ids=["raises", "is_refused", "reports_nonsense", "details_nonsense"],
)
def test_an_event_that_goes_wrong_ends_as_the_specification_says(tmp_path, apply, detail):
    run = Run(tmp_path, [entry("bad"), entry("next", after=["bad"])], apply)
    first, *_ = run.to_end()
    assert detail in first["detail"]
    assert first["status"] == ("ok" if detail == "7" else FAILED)


def refuse():
    raise Refused("the door is shut")


def test_a_failure_ends_the_timeline_at_once_and_skips_the_rest(tmp_path):
    def apply(context, record):
        if record.name == "bad":
            context.hold(0.2)
            raise RuntimeError("broke")
        context.hold(100.0)

    run = Run(tmp_path, [entry("bad"), entry("long"), entry("late", at_ns=NS)], apply)
    rows = {row["name"]: row for row in run.to_end()}
    assert {name: row["status"] for name, row in rows.items()} == {
        "bad": "failed",
        "long": "cancelled",
        "late": "skipped",
    }
    assert run.driver.failure == "bad failed: RuntimeError: broke"
    assert rows["long"]["duration_s"] == pytest.approx(0.2)


def test_an_event_that_hangs_fails_and_the_run_goes_on_to_its_end(tmp_path):
    never = threading.Event()
    run = Run(tmp_path, [entry("stuck")], lambda *_: never.wait(), patience_s=0.1)
    [row] = run.to_end()
    never.set()
    assert row["status"] == FAILED
    assert "gave no sign of life" in row["detail"]


def test_every_occurrence_is_on_record_as_a_log_line_and_as_a_sample(tmp_path):
    def apply(context, record):
        context.hold(0.1)

    run = Run(
        tmp_path,
        [entry("say", at_ns=TICK, every_ns=4 * TICK, count=2), entry("then", after=["say_"])][:1],
        apply,
    )
    rows = run.to_end()
    assert [row["name"] for row in rows] == ["say", "say#2"]
    starts = [fields for event, _, fields in run.lines if event == "action.start"]
    ends = [fields for event, _, fields in run.lines if event == "action.end"]
    for row, start, end in zip(rows, starts, ends, strict=True):
        for fields in (start, end):
            assert fields["action"] == row["name"]
            assert fields["event_action"] == row["action"]
            for key in ("vehicle", "occurrence", "t_s", "sim_s", "trigger", "params"):
                assert fields[key] == row[key], key
        assert (start["status"], end["status"]) == ("running", "ok")
        assert row["sim_s"] == row["t_s"] + 3.0
    told = [(s["label"], s["event"], s["status"]) for s in run.samples]
    assert told == [
        ("say", "started", "running"),
        ("say", "finished", "ok"),
        ("say#2", "started", "running"),
        ("say#2", "finished", "ok"),
    ]


def test_who_watches_is_told_what_runs_and_what_waits(tmp_path):
    when = {
        "metric": "distance_to",
        "model": "ugv1",
        "target": {"x": 1, "y": 2},
        "condition": "value > 1",
    }
    run = Run(
        tmp_path,
        [
            entry("now"),
            entry("soon", at_ns=2 * NS),
            entry("near", when=when, within_ns=5 * NS),
            entry("last", after=["now", "soon"]),
        ],
        lambda context, record: context.hold(1.0),
    )
    run.driver.advance(0)
    run.driver.advance(TICK)
    assert run.driver.status() == {
        "running": [{"label": "now", "action": "act", "for_s": 0.05}],
        "waiting": [
            {"label": "soon", "for": "2 s"},
            {"label": "near", "for": "value > 1 (distance_to of ugv1)"},
            {"label": "last", "for": "the end of now, soon"},
        ],
    }
    run.driver.settle(2 * TICK)


def test_what_triggers_an_entry_is_logged_before_the_entry_starts(tmp_path):
    run = Run(tmp_path, [entry("a"), entry("b", after=["a"])], lambda *_: None)
    run.to_end()
    told = [(event, fields["action"]) for event, _, fields in run.lines]
    assert told.index(("action.triggered", "b")) < told.index(("action.start", "b"))
