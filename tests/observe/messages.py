"""Serialised messages for tests that need no ROS."""

from typing import Any

from rosbags.typesys import Stores, get_typestore

from fieldproof.recording import MessageTypes

STORE = get_typestore(Stores.ROS2_JAZZY)
TYPES = MessageTypes()


def stamp(time_ns: int) -> Any:
    sec, nanosec = divmod(time_ns, 1_000_000_000)
    return STORE.types["builtin_interfaces/msg/Time"](sec, nanosec)


def header(time_ns: int, frame_id: str = "map") -> Any:
    return STORE.types["std_msgs/msg/Header"](stamp(time_ns), frame_id)


def cdr(type_name: str, *fields: Any, little_endian: bool = True) -> bytes:
    message = STORE.types[type_name](*fields)
    return bytes(STORE.serialize_cdr(message, type_name, little_endian=little_endian))


def text(data: str) -> bytes:
    return cdr("std_msgs/msg/String", data)


def point(time_ns: int, x: float = 0.0) -> bytes:
    where = STORE.types["geometry_msgs/msg/Point"](x, 0.0, 0.0)
    return cdr("geometry_msgs/msg/PointStamped", header(time_ns), where)
