from dataclasses import dataclass
from pathlib import Path

import pytest

from fieldproof.recording import MessageTypes, RecordingWriter

TWIST = "geometry_msgs/msg/TwistStamped"
TEXT = "std_msgs/msg/String"
BATTERY = "sensor_msgs/msg/BatteryState"


@dataclass(frozen=True)
class Made:
    """A message to be written: (log time, topic, type, bytes, sequence)."""

    log_time_ns: int
    topic: str
    type_name: str
    data: bytes
    sequence: int
    publish_time_ns: int


@pytest.fixture(scope="session")
def types():
    return MessageTypes()


def twist(types: MessageTypes, stamp_ns: int, speed: float, frame: str = "odom") -> bytes:
    make = types.message_class
    header = make("std_msgs/msg/Header")(
        make("builtin_interfaces/msg/Time")(stamp_ns // 10**9, stamp_ns % 10**9), frame
    )
    types.require(TWIST)
    vector = make("geometry_msgs/msg/Vector3")
    inner = make("geometry_msgs/msg/Twist")(vector(speed, 0.0, 0.0), vector(0.0, 0.0, 0.1))
    return types.encode(TWIST, make(TWIST)(header, inner))


def text(types: MessageTypes, value: str) -> bytes:
    return types.encode(TEXT, types.message_class(TEXT)(value))


def write(directory: Path, types: MessageTypes, messages, **options) -> Path:
    with RecordingWriter(directory, types, **options) as writer:
        for each in messages:
            writer.add_topic(each.topic, each.type_name)
            writer.write(
                each.topic,
                each.data,
                log_time_ns=each.log_time_ns,
                publish_time_ns=each.publish_time_ns,
                sequence=each.sequence,
            )
    return writer.path


@pytest.fixture
def drive(types):
    """Forty messages on two topics, 50 ms apart."""
    made = []
    for n in range(20):
        t = n * 50_000_000
        made.append(Made(t, "/ugv1/odom", TWIST, twist(types, t, n / 10), n + 1, t))
        made.append(Made(t, "/ugv1/note", TEXT, text(types, f"tick {n}"), n + 1, t))
    return made
