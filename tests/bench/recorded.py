"""How long a long recording of many topics takes to be judged, from the disk."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from fieldproof.engine.evaluate import evaluate_recording
from fieldproof.engine.resolve import resolve
from fieldproof.model import PoseSource, RecordingMap
from fieldproof.recording import MessageTypes, RecordingWriter
from tests.bench.checkout import ROOT

_NS = 1_000_000_000
_TOPICS = 100
_RATE_HZ = 10
_ODOMETRY = "nav_msgs/msg/Odometry"
_TEXT = "std_msgs/msg/String"
_SCENARIO = """\
apiVersion: fieldproof.dev/v0alpha1
kind: Scenario
name: recorded
world: dock_yard
vehicles: [{ name: ugv1, manifest: ugv_ref, spawn: { frame: spawn_dock } }]
assertions:
  - { name: near, type: geofence, vehicle: ugv1, region: { circle: { x: 10, y: 3, radius_m: 50 } } }
  - { name: alive, type: topic_rate, topic: odom, vehicle: ugv1, min_hz: 9 }
  - { name: fresh, type: message_latency, topic: odom, vehicle: ugv1, max_ms: 100 }
  - { name: slow, type: topic_value, topic: odom, vehicle: ugv1, field: twist.twist.linear.x,
      condition: value < 2 }
"""


def write_recording(folder: Path, seconds: int) -> Path:
    """Write a recording of odometry and 99 topics of text, each at 10 Hz; returns its folder."""
    types = MessageTypes()
    text = types.encode(_TEXT, types.message_class(_TEXT)("x" * 100))
    bag = folder / "bag"
    with RecordingWriter(bag, types) as writer:
        writer.add_topic("/odom", _ODOMETRY)
        others = [f"/topic_{number}" for number in range(_TOPICS - 1)]
        for topic in others:
            writer.add_topic(topic, _TEXT)
        for tick in range(seconds * _RATE_HZ):
            time_ns = tick * _NS // _RATE_HZ
            writer.write("/odom", _odometry(types, time_ns), log_time_ns=time_ns)
            for topic in others:
                writer.write(topic, text, log_time_ns=time_ns)
    return bag


def measure_recording(folder: Path, seconds: int = 360) -> float:
    """Seconds that an hour of recording takes, judged by four assertions.

    A tenth of an hour is written and judged; the time grows with the length and nothing else.
    """
    bag = write_recording(folder, seconds)
    path = folder / "recorded.yaml"
    path.write_text(_SCENARIO, encoding="utf-8")
    resolved = resolve(path, ROOT / "worlds", ROOT / "robots")
    names = RecordingMap(
        apiVersion="fieldproof.dev/v0alpha1",
        kind="RecordingMap",
        topics={"/ugv1/odom": "/odom"},
        poses={"ugv1": PoseSource(topic="/odom", x=10.0, y=3.0)},
    )
    started = time.perf_counter()
    found = evaluate_recording(bag, names, resolved)
    took = time.perf_counter() - started
    assert found.verdict.status.value == "passed", found.verdict.reason
    return took * 3600 / seconds


def _odometry(types: MessageTypes, time_ns: int) -> bytes:
    types.require(_ODOMETRY)

    def make(name: str, *values: object) -> object:
        return types.message_class(name)(*values)

    stamp = make("builtin_interfaces/msg/Time", time_ns // _NS, time_ns % _NS)
    pose = make(
        "geometry_msgs/msg/Pose",
        make("geometry_msgs/msg/Point", time_ns / 1e12, 0.0, 0.0),
        make("geometry_msgs/msg/Quaternion", 0.0, 0.0, 0.0, 1.0),
    )
    still = make("geometry_msgs/msg/Vector3", 0.0, 0.0, 0.0)
    twist = make("geometry_msgs/msg/Twist", make("geometry_msgs/msg/Vector3", 1.0, 0.0, 0.0), still)
    covariance = np.zeros(36)
    return types.encode(
        _ODOMETRY,
        make(
            _ODOMETRY,
            make("std_msgs/msg/Header", stamp, "odom"),
            "base_link",
            make("geometry_msgs/msg/PoseWithCovariance", pose, covariance),
            make("geometry_msgs/msg/TwistWithCovariance", twist, covariance),
        ),
    )
