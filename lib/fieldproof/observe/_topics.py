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

from fieldproof.observe._message import Message
from fieldproof.observe._sequence import SequenceCheck
from fieldproof.recording import OfferedQos

# What one collection may have to hold: the fastest topic over the longest pause between two. Of
# messages of a megabyte or more it is less: what is held must not be the machine's memory.
_DEPTH = 2000
_HEAVY_DEPTH = 40
_HEAVY = frozenset(
    ("Image", "CompressedImage", "PointCloud", "PointCloud2", "OccupancyGrid", "Costmap")
)
_ARRIVAL_S = 0.0005


class TopicError(Exception):
    """A topic cannot be observed; the text names it and says why."""


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
        for topic, _ in sorted(self._node.get_topic_names_and_types()):
            known = self._subscriptions.get(topic)
            if known is not None:
                self._keep_compatible(known)
            elif self._wanted(topic) and (publishers := self._publishers(topic)):
                self._subscriptions[topic] = self._subscribe(topic, publishers)
                new.append(topic)
        return new

    def _subscribe(self, topic: str, publishers: list[Any]) -> _Subscription:
        type_name: str = publishers[0].topic_type
        message_class, offered = message_type(type_name, topic), _offered(publishers)
        handle = self._connect(topic, message_class, _asked(type_name, offered))
        latched = _are_latched(offered)
        return _Subscription(
            topic, type_name, latched, offered, message_class, handle, SequenceCheck()
        )

    def _keep_compatible(self, item: _Subscription) -> None:
        """Ask for less where a publisher has come that offers less than we ask for.

        What is published while the new subscription connects is missed, and counted as lost.
        """
        if item.handle.get_publisher_count() >= self._node.count_publishers(item.topic):
            return
        offered = (*item.offered, *_offered(self._publishers(item.topic, item.type_name)))
        asked = _asked(item.type_name, offered)
        if asked == _asked(item.type_name, item.offered):
            return  # compatible, and about to be connected
        self._early += self._taken_from(item)
        self._node.destroy_subscription(item.handle)
        item.offered, item.latched = offered, _are_latched(offered)
        item.handle = self._connect(item.topic, item.message_class, asked)

    def _connect(self, topic: str, message_class: type, asked: QoSProfile) -> Any:
        # messages are taken by `take`, never by an executor
        return self._node.create_subscription(
            message_class, topic, lambda _message: None, asked, raw=True
        )

    def _publishers(self, topic: str, *types: str) -> list[Any]:
        """The publishers of a topic, which must be of one type, that of `types` included."""
        publishers: list[Any] = self._node.get_publishers_info_by_topic(topic)
        found = sorted({*types, *(info.topic_type for info in publishers)})
        if len(found) > 1:
            raise TopicError(f"{topic} is published with different types: {', '.join(found)}")
        return publishers

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

    def behind(self, known: Mapping[str, int]) -> list[str]:
        """Wanted topics of which others know more publishers than are in our graph yet.

        Args:
            known: how many publishers others know of, by topic.
        """
        return [
            topic
            for topic, count in sorted(known.items())
            if self._wanted(topic) and self._node.count_publishers(topic) < count
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
        """What has arrived, topic by topic in order of name.

        Of each topic no more is taken than its subscription can hold, so that a publisher that is
        faster than we are cannot keep us here.
        """
        early, self._early = self._early, []
        yield from early
        yield from self._take()

    def _take(self) -> Iterator[Message]:
        for _, item in sorted(self._subscriptions.items()):
            yield from self._taken_from(item)

    def _taken_from(self, item: _Subscription) -> Iterator[Message]:
        for _ in range(_DEPTH):
            with item.handle.handle:
                taken = item.handle.handle.take_message(item.message_class, True)
            if taken is None:
                return
            cdr, info = taken
            number = info["publication_sequence_number"]
            item.check.add(number)
            received_ns = info["received_timestamp"]
            yield Message(item.topic, item.type_name, bytes(cdr), number, received_ns)

    def lost(self) -> dict[str, int]:
        """Messages known to be missing, for each subscribed topic."""
        return {topic: item.check.lost for topic, item in sorted(self._subscriptions.items())}


def message_type(type_name: str, topic: str) -> type:
    """The class of a message type; raises TopicError where its package is not installed."""
    try:
        package, kind, name = type_name.split("/")
        if kind == "action":  # the one part of an action that is a topic's
            action = getattr(importlib.import_module(f"{package}.action"), name.split("_")[0])
            return action.Impl.FeedbackMessage
        # the module of this one message: a package's face would import all of its messages
        module = importlib.import_module(f"{package}.{kind}._{_module_name(name)}")
        return getattr(module, name)
    except (ImportError, AttributeError, ValueError) as error:
        raise TopicError(f"{topic}: message type {type_name} is not installed here") from error


def _offered(publishers: Iterable[Any]) -> tuple[OfferedQos, ...]:
    return tuple(
        OfferedQos(
            reliability="reliable" if _is_reliable(info.qos_profile) else "best_effort",
            durability="transient_local" if _is_latched(info.qos_profile) else "volatile",
        )
        for info in publishers
    )


def _asked(type_name: str, offered: Iterable[OfferedQos]) -> QoSProfile:
    """The most that every publisher of a topic can give."""
    offers = tuple(offered)
    reliable = all(each.reliability == "reliable" for each in offers)
    latched = _are_latched(offers)
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=_HEAVY_DEPTH if type_name.rpartition("/")[2] in _HEAVY else _DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


def _are_latched(offered: Iterable[OfferedQos]) -> bool:
    return all(each.durability == "transient_local" for each in offered)


def _module_name(message: str) -> str:
    """The name that the interface generator gives a message's module: `LaserScan`, `laser_scan`."""
    words = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", message)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", words).lower()


def _is_reliable(qos: QoSProfile) -> bool:
    return bool(qos.reliability == ReliabilityPolicy.RELIABLE)


def _is_latched(qos: QoSProfile) -> bool:
    return bool(qos.durability == DurabilityPolicy.TRANSIENT_LOCAL)
