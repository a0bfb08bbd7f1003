"""Messages that an operator sends: published once, and delivered before anybody goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from rclpy.duration import Duration
from rclpy.exceptions import NameValidationException
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

from fieldproof.observe._fill import FillError, filled
from fieldproof.observe._topics import message_type

_DEPTH = 100
_POLL_S = 0.002


class TalkError(Exception):
    """A message could not be published; the text names the topic and says why."""


class Talker:
    """Publishes single messages on topics of its own choosing.

    Args:
        node: the node that publishes.
        heard: connects whoever listens on our side to a topic; whether it is connected.
    """

    def __init__(self, node: Node, heard: Callable[[str], bool]) -> None:
        self._node = node
        self._heard = heard
        self._publishers: dict[str, tuple[str, Any]] = {}

    def publish(
        self, topic: str, type_name: str, fields: Mapping[str, Any], *, timeout_s: float
    ) -> None:
        """Publish a message and wait until every reliable subscription has it.

        Args:
            topic: its absolute name.
            type_name: such as `std_msgs/msg/String`.
            fields: the message's fields by name, nested as the message is.
            timeout_s: how long connecting and delivery may take together.

        Raises:
            TopicError: the type is not installed.
            TalkError: a field does not fit, the topic carries another type or has no name that a
                topic may have, or the message was not delivered in time.
        """
        try:
            message = filled(message_type(type_name, topic)(), fields)
        except (FillError, AssertionError, OverflowError) as error:  # the class asserts the rest
            raise TalkError(f"{topic} ({type_name}): {error}") from error
        deadline = time.monotonic() + timeout_s
        publisher = self._publisher(topic, type_name, type(message))
        while not (self._heard(topic) and self._is_matched(topic, publisher)):
            if time.monotonic() > deadline:
                raise TalkError(
                    f"{topic}: not connected with every subscription in {timeout_s:g} s"
                )
            time.sleep(_POLL_S)  # the graph has no event that rclpy can wait for here
        publisher.publish(message)
        left_s = max(deadline - time.monotonic(), 0.0)
        if not publisher.wait_for_all_acked(Duration(nanoseconds=round(left_s * 1e9))):
            raise TalkError(f"{topic}: not delivered within {timeout_s:g} s")

    def _publisher(self, topic: str, type_name: str, message_class: type) -> Any:
        if not topic.startswith("/"):
            raise TalkError(f"{topic}: the name of a topic must be absolute, such as /{topic}")
        known = self._publishers.get(topic)
        carried = self._carried(topic) if known is None else {known[0]}
        if carried and carried != {type_name}:
            # a publisher of another type would reach nobody, and make the topic ambiguous
            raise TalkError(f"{topic} carries {' and '.join(sorted(carried))}, not {type_name}")
        if known is not None:
            return known[1]
        qos = QoSProfile(depth=_DEPTH, reliability=ReliabilityPolicy.RELIABLE)
        try:
            publisher = self._node.create_publisher(message_class, topic, qos)
        except (NameValidationException, RuntimeError) as error:
            # where a publisher comes at this very moment, rcl is who knows its type
            why = " ".join(str(error).split())
            raise TalkError(f"{topic} ({type_name}) cannot be published on: {why}") from error
        self._publishers[topic] = (type_name, publisher)
        return publisher

    def _carried(self, topic: str) -> set[str]:
        """The types of a topic, as far as anybody publishes it or subscribes to it."""
        return set(dict(self._node.get_topic_names_and_types()).get(topic, ()))

    def _is_matched(self, topic: str, publisher: Any) -> bool:
        return bool(publisher.get_subscription_count() >= self._node.count_subscribers(topic))
