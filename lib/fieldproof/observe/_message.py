"""What is taken from the topics, and whence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from fieldproof.recording import OfferedQos


@dataclass(frozen=True, slots=True)
class Message:
    """One message as it came off the wire.

    Attributes:
        topic: absolute name.
        type_name: such as `sensor_msgs/msg/LaserScan`.
        cdr: the serialised message with its encapsulation header.
        number: the publication number that its publisher gave it, from 1.
        received_ns: when it came in, in nanoseconds of the epoch; 0 when that is not known.
    """

    topic: str
    type_name: str
    cdr: bytes
    number: int
    received_ns: int = 0


class Topics(Protocol):
    """The subscriptions that messages are taken from."""

    def take(self) -> Iterable[Message]:
        """What has arrived since the last call."""
        ...

    def latched(self, topic: str) -> bool:
        """Whether late subscribers get the topic's last messages (transient local)."""
        ...

    def offered(self, topic: str) -> tuple[OfferedQos, ...]:
        """What each publisher of the topic offers."""
        ...
