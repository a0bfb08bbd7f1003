"""Raw subscriptions to the topics of a run, with every loss counted."""

from __future__ import annotations

import importlib
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rclpy.node import Node
from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    QoSProfile,
    ReliabilityPolicy,
)

from fieldproof.observe._sequence import SequenceCheck
from fieldproof.recording import OfferedQos

# What one collection may have to hold: the fastest topic over the longest pause between two.
_DEPTH = 2000
_ARRIVAL_S = 0.0005


class TopicError(Exception):
    """A topic cannot be observed; the text names it and says why."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message as it came off the wire.

    Attributes:
        topic: absolute name.
        type_name: such as `sensor_msgs/msg/LaserScan`.
        cdr: the serialised message with its encapsulation header.
        number: the publication number that its publisher gave it, from 1.
    """

    topic: str
    type_name: str
    cdr: bytes
    number: int


@dataclass(slots=True)
class _Subscription:
    topic: str
    type_name: str
    latched: bool
    offered: tuple[OfferedQos, ...]
    message_class: type
    handle: Any
    check: SequenceCheck


class TopicObserver:
    """Subscribes to topics as they appear and takes what has arrived, in a fixed order."""

    def __init__(self, node: Node, wanted: Callable[[str], bool]) -> None:
        self._node = node
        self._wanted = wanted
        self._subscriptions: dict[str, _Subscription] = {}
        self._early: list[Message] = []  # taken while others were awaited

    def discover(self) -> list[str]:
        """Subscribe to every wanted topic that has a publisher; return the new ones' names.

        Raises:
            TopicError: a topic has publishers of different types, or its type is not installed.
        """
        new: list[str] = []
        for topic, types in sorted(self._node.get_topic_names_and_types()):
            if topic in self._subscriptions or not self._wanted(topic):
                continue
            if self._node.count_publishers(topic) == 0:
                continue
            if len(types) != 1:
                raise TopicError(f"{topic} is published with different types: {', '.join(types)}")
            self._subscriptions[topic] = self._subscribe(topic, types[0])
            new.append(topic)
        return new

    def _subscribe(self, topic: str, type_name: str) -> _Subscription:
        message_class = message_type(type_name, topic)
        offered = [info.qos_profile for info in self._node.get_publishers_info_by_topic(topic)]
        reliable = all(_is_reliable(qos) for qos in offered)
        latched = all(_is_latched(qos) for qos in offered)
        qos = QoSProfile(
            history=HistoryPolicy.KEEP_LAST,
            depth=_DEPTH,
            reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
            durability=(DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE),
        )
        handle = self._node.create_subscription(
            message_class, topic, lambda _message: None, qos, raw=True
        )
        # messages are taken by `take`, never by an executor
        offers = tuple(
            OfferedQos(
                reliability="reliable" if _is_reliable(each) else "best_effort",
                durability="transient_local" if _is_latched(each) else "volatile",
            )
            for each in offered
        )
        return _Subscription(
            topic, type_name, latched, offers, message_class, handle, SequenceCheck()
        )

    def topics(self) -> dict[str, str]:
        """Type name of each subscribed topic."""
        return {topic: item.type_name for topic, item in sorted(self._subscriptions.items())}

    def latched(self, topic: str) -> bool:
        """Whether late subscribers get the topic's last messages (transient local)."""
        return self._subscriptions[topic].latched

    def latched_topics(self) -> list[str]:
        """The subscribed topics that are latched."""
        return [topic for topic, item in sorted(self._subscriptions.items()) if item.latched]

    def offered(self, topic: str) -> tuple[OfferedQos, ...]:
        """What each publisher of the topic offers."""
        return self._subscriptions[topic].offered

    def connected(self, topic: str) -> bool:
        """Whether a subscribed topic is connected with every publisher that it has."""
        item = self._subscriptions[topic]
        return bool(item.handle.get_publisher_count() >= self._node.count_publishers(topic) > 0)

    def unmatched(self) -> list[str]:
        """Topics with a publisher in the graph that is not connected to us yet."""
        return [
            topic
            for topic, item in sorted(self._subscriptions.items())
            if item.handle.get_publisher_count() < self._node.count_publishers(topic)
        ]

    def unheard(self, topics: Iterable[str]) -> list[str]:
        """Those of the topics on which not every publisher has been heard yet."""
        heard = {
            topic: item.check.series >= self._node.count_publishers(topic) > 0
            for topic, item in self._subscriptions.items()
        }
        return sorted(topic for topic in topics if not heard.get(topic, False))

    def forgive(self) -> None:
        """Begin the account of lost messages here; what came before was bring-up."""
        for item in self._subscriptions.values():
            item.check.forgive()

    def await_arrivals(self, wanted: Mapping[str, int], timeout_s: float) -> None:
        """Wait until so many messages have come in on each of the subscribed topics.

        Raises:
            TopicError: at the end of the time; names what is missing.
        """
        wanted = {topic: n for topic, n in wanted.items() if topic in self._subscriptions}
        deadline = time.monotonic() + timeout_s
        here: Counter[str] = Counter()
        while True:
            for message in list(self._take()):
                here[message.topic] += 1
                self._early.append(message)
            missing = {topic: n for topic, n in wanted.items() if here[topic] < n}
            if not missing:
                return
            if time.monotonic() > deadline:
                rows = ", ".join(f"{topic}: {here[topic]} of {n}" for topic, n in missing.items())
                raise TopicError(f"messages did not arrive within {timeout_s:g} s: {rows}")
            time.sleep(_ARRIVAL_S)  # topics have no common event that rclpy can wait for

    def take(self) -> Iterator[Message]:
        """Everything that has arrived, topic by topic in order of name."""
        early, self._early = self._early, []
        yield from early
        yield from self._take()

    def _take(self) -> Iterator[Message]:
        for topic, item in sorted(self._subscriptions.items()):
            while True:
                with item.handle.handle:
                    taken = item.handle.handle.take_message(item.message_class, True)
                if taken is None:
                    break
                cdr, info = taken
                number = info["publication_sequence_number"]
                item.check.add(number)
                yield Message(topic, item.type_name, bytes(cdr), number)

    def lost(self) -> dict[str, int]:
        """Messages known to be missing, for each subscribed topic."""
        return {topic: item.check.lost for topic, item in sorted(self._subscriptions.items())}


def message_type(type_name: str, topic: str) -> type:
    """The class of a message type; raises TopicError where its package is not installed."""
    package, kind, name = type_name.split("/")
    try:
        if kind == "action":  # the one part of an action that is a topic's
            action = getattr(importlib.import_module(f"{package}.action"), name.split("_")[0])
            return action.Impl.FeedbackMessage
        # the module of this one message: a package's face would import all of its messages
        module = importlib.import_module(f"{package}.msg._{_module_name(name)}")
        return getattr(module, name)
    except (ImportError, AttributeError, ValueError) as error:
        raise TopicError(f"{topic}: message type {type_name} is not installed here") from error


def _module_name(message: str) -> str:
    """The name that the interface generator gives a message's module: `LaserScan`, `laser_scan`."""
    words = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", message)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", words).lower()


def _is_reliable(qos: QoSProfile) -> bool:
    return bool(qos.reliability == ReliabilityPolicy.RELIABLE)


def _is_latched(qos: QoSProfile) -> bool:
    return bool(qos.durability == DurabilityPolicy.TRANSIENT_LOCAL)
