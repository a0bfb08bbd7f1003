"""How fast a stream of samples is judged by the thirteen assertions of the example."""

from __future__ import annotations

import importlib.util
import math
import time
from collections.abc import Iterator
from typing import Any

from fieldproof.assertions import Evaluator
from fieldproof.engine.resolve import resolve
from fieldproof.samples import Sample
from tests.bench.checkout import ROOT

_SCENARIO = ROOT / "scenarios" / "ugv_nav_to_goal.yaml"
_VALUES = (
    ("/ugv1/odom", "twist.twist.linear.x", 50),
    ("/ugv1/cmd_vel", "linear.x", 20),
)


def mixed_stream(seconds: int) -> Iterator[Sample]:
    """What an observer streams of a drive that never ends: values, poses, and what is once a second.

    The vehicle goes back and forth between the dock and 1 m before its goal, so that nothing is
    decided early but what the first sample decides.
    """
    yield Sample.of("timeline", sim=0.0, event="start", status="running")
    drive = {"label": "drive_ahead", "action": "navigate_to_pose"}
    yield Sample.of("action", sim=0.0, event="started", status="running", **drive)
    for second in range(seconds):
        for part in range(50):
            t = second + (part + 1) / 50
            speed = 0.5 + 0.4 * math.sin(t)
            for topic, field, rate_hz in _VALUES:
                if part % (50 // rate_hz) == 0:
                    yield Sample.of("value", sim=t, topic=topic, field=field, value=speed)
            if part % 5 == 0:
                turn = {"qx": 0.0, "qy": 0.0, "qz": 0.0, "qw": 1.0}
                y = 1.5 + 1.5 * math.cos(t / 7)
                yield Sample.of("pose", sim=t, model="ugv1", x=10.0, y=y, z=0.1, yaw=0.0, **turn)
        t = second + 1.0
        yield Sample.of("clock", sim=t, rtf=None)
        rate = {"hz": 10.0, "window_s": 5.0, "messages": 50}
        yield Sample.of("rate", sim=t, topic="/ugv1/scan", **rate)
        age = {"mean_ms": 20.0, "max_ms": 40.0, "min_ms": 0.0, "p95_ms": 40.0}
        for topic, count in (("/ugv1/odom", 100), ("/ugv1/scan", 20)):
            yield Sample.of("latency", sim=t, topic=topic, window_s=2.0, count=count, **age)
        yield Sample.of("lifecycle", sim=t, node="/ugv1/bt_navigator", state="active")
        taken = {"cpu_pct": 40.0, "memory_mb": 180.0, "memory_limit_mb": None, "pids": 40}
        yield Sample.of(
            "resource", sim=t, container="ugv1", role="vehicle", vehicle="ugv1", **taken
        )


def measure_evaluation(seconds: int = 1500) -> float:
    """Samples a second of one core, over a stream that is made before.

    Args:
        seconds: of the stream.
    """
    resolved = resolve(_SCENARIO, ROOT / "worlds", ROOT / "robots")
    samples = list(mixed_stream(seconds))
    evaluator = Evaluator(resolved.evaluation, "lockstep")
    feed = evaluator.feed
    started = time.process_time()
    for sample in samples:
        feed(sample)
    took = time.process_time() - started
    assert len(evaluator.results()) == 13, "the example has thirteen assertions"
    return len(samples) / took


def measure_against_rtamt(updates: int = 5000) -> float | None:
    """How many times as many updates a second as rtamt's, of one that must hold for ten seconds.

    Both follow samples with their times, ten a second, as they come: `eventually` with `for_s`
    here, `once(historically[0:10](...))` in rtamt's dense time.

    Args:
        updates: how many samples of both signals.

    Returns:
        The ratio, None where rtamt is not installed.
    """
    if importlib.util.find_spec("rtamt") is None:
        return None
    import rtamt  # noqa: PLC0415 - optional

    monitor = rtamt.StlDenseTimeOnlineSpecification()
    for name in ("a", "b"):
        monitor.declare_var(name, "float")
    monitor.spec = "once(historically[0:10](a >= b + 0.5))"
    monitor.parse()
    started = time.process_time()
    for number in range(updates):
        t = number / 10
        monitor.update(["a", [[t, 1.0]]], ["b", [[t, 2.0]]])
    theirs = time.process_time() - started
    evaluator = Evaluator({"assertions": [_held()]}, "lockstep")
    turn = dict.fromkeys(("z", "yaw", "qx", "qy", "qz", "qw"), 0.0)
    samples = [
        Sample.of("pose", sim=number / 10, model="ugv1", x=1.0, y=2.0, **turn)
        for number in range(updates)
    ]
    evaluator.feed(Sample.of("timeline", sim=0.0, event="start", status="running"))
    started = time.process_time()
    for sample in samples:
        evaluator.feed(sample)
    return theirs / (time.process_time() - started)


def _held() -> dict[str, Any]:
    signals = {name: {"metric": metric} for name, metric in (("a", "x"), ("b", "y"))}
    read = {name: {**signal, "model": "ugv1"} for name, signal in signals.items()}
    spec = {"signals": signals, "condition": "a >= b + 0.5", "for_s": 10, "vehicle": "ugv1"}
    head = {"name": "held", "type": "eventually"}
    empty = {"topic": None, "model": None, "target": None}
    return {**head, "spec": {**head, **spec}, **empty, "resolved": {"signals": read}}
