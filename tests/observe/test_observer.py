import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldproof.observe import _observer
from fieldproof.observe._config import ObserverConfig
from fieldproof.observe._message import Message
from fieldproof.observe._observer import Observer
from fieldproof.recording import OfferedQos
from fieldproof.samples import Sample, format_sample
from fieldproof_sim import Frame

from .messages import TYPES, point, text

MS = 1_000_000
S = 1000 * MS
TICK = 50 * MS
STRING, POINT = "std_msgs/msg/String", "geometry_msgs/msg/PointStamped"
LATCHED = "/map"


class Arrivals:
    """Hands out messages as given."""

    def __init__(self):
        self.waiting = []

    def take(self):
        taken, self.waiting = self.waiting, []
        return taken

    def latched(self, topic):
        return topic == LATCHED

    def offered(self, topic):
        return (OfferedQos(reliability="reliable", durability="volatile"),)


class Recorder:
    """Keeps what a recording would."""

    def __init__(self):
        self.messages, self.events = [], []

    def add_topic(self, topic, type_name, *, qos):
        pass

    def write(self, topic, data, *, log_time_ns):
        self.messages.append((topic, data, log_time_ns))

    def write_json(self, topic, value, *, log_time_ns):
        self.events.append((topic, json.loads(json.dumps(value)), log_time_ns))


class Clock:
    def __init__(self):
        self.now_ns = 1_700_000_000 * S

    def __call__(self):
        return self.now_ns


def observing(mode="lockstep", *, wall_ns=None, recorder=None, **observe):
    config = ObserverConfig(
        control="",
        sim_control="",
        sim_publish="",
        mode=mode,
        target_rtf=None if mode == "lockstep" else 0.5,
        vehicles=("ugv1",),
        observe=observe,
        record={"enabled": recorder is not None, "topics": []},
        gates=(),
        handshake=(),
        recording=None,
    )
    arrivals = Arrivals()
    wall_ns = wall_ns or (lambda: pytest.fail("the wall clock was read"))
    return Observer(config, arrivals, TYPES, recorder, wall_ns=wall_ns), arrivals


def tick(observer, now_ns, states=None, acks=0):
    observer.take_messages(now_ns)
    observer.take_states(states or {})
    observer.pass_time(acks=acks)
    return observer.collect([])


def pose_frame(time_ns, *names, seq=1):
    pose = dict.fromkeys(("x", "y", "z", "qx", "qy", "qz"), 0.0) | {"qw": 1.0}
    models = [{"name": name, **pose} for name in names]
    return Frame("pose", seq, time_ns, {"time_ns": time_ns, "models": models})


def clock_frame(time_ns, **data):
    return Frame("clock", 1, time_ns, {"time_ns": time_ns, **data})


def kinds(samples):
    return [sample["kind"] for sample in samples]


VALUES = [
    {"topic": "/a", "field": "point.x", "message_type": None},
    {"topic": "/b", "field": "data", "message_type": None},
    {"topic": LATCHED, "field": "data", "message_type": None},
]


# --- order ---


def lines_of_a_run(shuffle):
    """The lines of one run, its messages arriving in the order that `shuffle` gives them."""
    observer, arrivals = observing(
        values=VALUES,
        rates=[{"topic": topic, "window_ns": S, "message_type": None} for topic in ("/b", "/a")],
        latencies=[{"topic": "/a", "window_ns": S, "message_type": None}],
        lifecycles=[{"node": "/n"}],
    )
    # two publishers of one topic that number alike, and a latched topic before the first tick
    arrivals.waiting = [Message(LATCHED, STRING, text(word), n) for n, word in ((1, "x"), (1, "w"))]
    shuffle(arrivals.waiting)
    observer.take_messages(0)
    observer.release()
    lines = []
    for step in range(1, 45):
        now_ns = step * TICK
        arrivals.waiting = [
            Message("/a", POINT, point(now_ns - step * MS, x=float(step)), 2 * step),
            Message("/a", POINT, point(now_ns, x=-1.0), 2 * step + 1),
            Message("/b", STRING, text(f"left {step}"), step),
            Message("/b", STRING, text(f"right {step}"), step),
        ]
        shuffle(arrivals.waiting)
        observer.take_frames([pose_frame(now_ns, "ugv1"), clock_frame(now_ns)])
        lines += [
            format_sample(Sample.from_data(sample))
            for sample in tick(observer, now_ns, {"/n": "active" if step > 20 else "inactive"})
        ]
    return lines


IN_ORDER = lines_of_a_run(lambda messages: None)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32))
def test_in_lockstep_the_order_of_arrival_leaves_no_trace(seed):
    assert lines_of_a_run(random.Random(seed).shuffle) == IN_ORDER


def test_samples_of_one_tick_come_in_the_stated_order():
    observer, arrivals = observing(
        values=VALUES,
        rates=[{"topic": "/a", "window_ns": S, "message_type": None}],
        latencies=[{"topic": "/a", "window_ns": S, "message_type": None}],
    )
    observer.release()
    arrivals.waiting = [Message("/b", STRING, text("x"), 1), Message("/a", POINT, point(S), 1)]
    observer.take_frames([pose_frame(S, "ugv1")])
    samples = tick(observer, S, {"/n": "active"})
    assert kinds(samples) == ["pose", "value", "value", "lifecycle", "rate", "latency", "clock"]
    assert [s["topic"] for s in samples[1:3]] == ["/a", "/b"]
    assert {s["sim"] for s in samples} == {1.0}


def test_in_lockstep_no_sample_carries_the_wall_clock():
    observer, _ = observing()  # reading it would fail the test
    observer.release()
    assert [s["wall"] for s in tick(observer, S)] == [None]


def test_otherwise_every_sample_carries_both_clocks():
    clock = Clock()
    observer, arrivals = observing("sim", wall_ns=clock, values=VALUES)
    observer.release()
    observer.take_frames([clock_frame(3 * S)])
    arrivals.waiting = [Message("/b", STRING, text("x"), 1)]
    [value, *_] = tick(observer, 0)
    assert (value["wall"], value["sim"]) == (1_700_000_000.0, 3.0)


# --- before the first tick ---


def test_before_the_first_tick_only_what_is_latched_counts():
    recorder = Recorder()
    observer, arrivals = observing(recorder=recorder, values=VALUES)
    arrivals.waiting = [
        Message("/b", STRING, text("talk"), 1),
        Message(LATCHED, STRING, text("old"), 1),
        Message(LATCHED, STRING, text("new"), 2),
    ]
    assert tick(observer, 0) == []
    observer.release()
    samples = observer.collect([])
    assert [(s["value"], s["latched"], s["sim"]) for s in samples] == [
        ("old", True, 0.0),
        ("new", True, 0.0),
    ]
    observer.write_out()
    assert [topic for topic, *_ in recorder.messages] == [LATCHED, LATCHED]
    assert observer.seen == {LATCHED}
    assert observer.taken == {LATCHED: 2}


# --- ground truth ---


def test_poses_of_watched_models_and_of_vehicles_are_samples_and_a_model_may_come_later():
    observer, _ = observing(models=["crate"])
    observer.release()
    observer.take_frames([pose_frame(100 * MS, "ugv1", "wall")])
    assert [s["model"] for s in tick(observer, 100 * MS) if s["kind"] == "pose"] == ["ugv1"]
    observer.take_frames([pose_frame(200 * MS, "ugv1", "wall", "crate")])
    assert [s["model"] for s in tick(observer, 200 * MS)] == ["ugv1", "crate"]


def test_that_a_model_is_gone_comes_before_the_poses_of_that_instant():
    observer, _ = observing(models=["crate"])
    observer.release()
    observer.take_frames([pose_frame(100 * MS, "ugv1", "crate"), pose_frame(200 * MS, "ugv1")])
    told = [(s["kind"], s.get("model")) for s in tick(observer, 200 * MS) if s["sim"] == 0.2]
    assert told[:2] == [("gone", "crate"), ("pose", "ugv1")]


def test_contacts_of_unwatched_vehicles_are_no_samples():
    pairs = [{"collision1": "a::l::c", "collision2": "w::l::c", "count": 1}]
    frames = [
        Frame(f"contact/{name}", 1, S, {"time_ns": S, "contacts": pairs}) for name in ("a", "b")
    ]
    observer, _ = observing(contacts=[{"vehicle": "b"}])
    observer.release()
    observer.take_frames(frames)
    assert [s["vehicle"] for s in tick(observer, S) if s["kind"] == "contact"] == ["b"]


# --- arrival ---


def test_messages_count_when_they_came_in_however_late_they_are_taken():
    """Two seconds of a 10 Hz topic that were taken in one go are two windows of 10 Hz."""
    wall = Clock()
    observer, arrivals = observing(
        mode="sim",
        wall_ns=wall,
        rates=[{"topic": "/a", "window_ns": S, "message_type": None}],
        latencies=[{"topic": "/a", "window_ns": S, "message_type": None}],
    )
    observer.release()
    told_ns = wall.now_ns
    observer.take_frames(
        clock_frame(step * 10 * MS, wall_ns=told_ns + step * MS, rtf=None, paused=False)
        for step in range(1, 206)
    )
    arrivals.waiting = [
        Message("/a", POINT, point(step * 100 * MS), step, told_ns + step * 10 * MS)
        for step in range(1, 21)
    ]
    samples = tick(observer, 2050 * MS)
    assert [(s["sim"], s["hz"]) for s in samples if s["kind"] == "rate"] == [(1, 10), (2, 10)]
    assert [s["max_ms"] for s in samples if s["kind"] == "latency"] == [0, 0]


# --- once a second ---


def test_in_lockstep_a_second_is_one_of_simulation_time():
    observer, _ = observing()
    observer.release()
    ticks = [n for n in range(1, 61) if "clock" in kinds(tick(observer, n * TICK))]
    assert ticks == [1, 20, 40, 60]


def test_otherwise_a_second_is_one_of_the_wall_clock_and_comes_while_the_world_stands():
    clock = Clock()
    observer, _ = observing("sim", wall_ns=clock)
    observer.release()
    observer.take_frames([clock_frame(7 * S)])
    told = []
    for n in range(25):
        clock.now_ns += 100 * MS
        told += [(n, s["sim"], s["rtf"]) for s in tick(observer, 0) if s["kind"] == "clock"]
    assert told == [(0, 7.0, None), (9, 7.0, 0.0), (19, 7.0, 0.0)]


def test_the_metrics_of_a_free_run_are_complete():
    clock, recorder = Clock(), Recorder()
    observer, _ = observing(
        "sim",
        wall_ns=clock,
        recorder=recorder,
        models=["crate"],
        rates=[{"topic": "/a", "window_ns": S, "message_type": None}],
    )
    observer.release()
    tick(observer, 0, {"/n": "inactive"})
    clock.now_ns += 2 * S
    observer.take_frames(
        [pose_frame(S, "ugv1", "crate"), clock_frame(3 * S, paused=False, rtf=0.75)]
    )
    tick(observer, 0, {"/n": "active"})
    observer.write_out()
    assert recorder.events[-1] == (
        "/fieldproof/metrics",
        {
            "wall": 1_700_000_002.0,
            "sim": 3.0,
            "rtf": 1.5,
            "drift_s": 2.0,
            "mode": "sim",
            "target_rtf": 0.5,
            "paused": False,
            "gz_rtf": 0.75,
            "rates_hz": {"/a": 0.0},
            "poses": {"ugv1": {"x": 0.0, "y": 0.0, "z": 0.0, "yaw": 0.0}},
            "lifecycle": {"/n": "active"},
            "recording": True,
        },
        clock.now_ns,
    )


def test_the_metrics_of_lockstep_hold_nothing_of_the_host():
    recorder = Recorder()
    observer, _ = observing(recorder=recorder)
    observer.release()
    for n in range(1, 21):
        observer.take_frames([clock_frame(n * TICK, paused=True, rtf=3.14)])
        tick(observer, n * TICK, acks=4)
    observer.write_out()
    topic, line, time_ns = recorder.events[-1]
    assert (topic, time_ns) == ("/fieldproof/metrics", S)
    assert line["lockstep"] == {"step": 20, "acknowledgements": 4}
    own = ("wall", "rtf", "drift_s", "target_rtf", "paused", "gz_rtf")
    assert {key: line[key] for key in own} == dict.fromkeys(own)


def test_side_channels_are_recorded_with_the_time_of_their_collection():
    recorder = Recorder()
    observer, _ = observing(recorder=recorder)
    observer.take_messages(3 * S)
    observer.collect([{"topic": "/fieldproof/events", "value": {"event": "a"}}])
    observer.write_out()
    assert recorder.events == [("/fieldproof/events", {"event": "a"}, 3 * S)]


# --- load ---


def test_an_observer_that_nobody_collects_from_takes_no_more(monkeypatch):
    monkeypatch.setattr(_observer, "_MOST_SAMPLES", 10)
    observer, arrivals = observing("sim", wall_ns=Clock(), values=VALUES)
    observer.release()
    arrivals.waiting = [Message("/b", STRING, text("x"), n) for n in range(1, 12)]
    observer.take_messages(0)
    assert observer.full
    assert len(observer.collect([])) == 11
    assert not observer.full
