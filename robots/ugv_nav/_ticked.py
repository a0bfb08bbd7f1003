"""A node that is driven by the clock topic.

The node does nothing on its own time. For each new time on `/clock` it takes what has arrived,
acts if its period is due, waits until its peers have what it published, and says `tick_done`.
Between the ticks an executor serves services, parameters, actions and lifecycle transitions.

So that equal inputs give equal outputs whatever the processes' speeds, a message of a peer node
counts from the tick after its stamp: at the tick of its stamp it may or may not have arrived.
Sensor messages are published before the clock that they belong to, and count at once.
"""

from __future__ import annotations

import enum
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rclpy.callback_groups import CallbackGroup
from rclpy.clock import ROSClock
from rclpy.duration import Duration
from rclpy.event_handler import EventHandler
from rclpy.executors import SingleThreadedExecutor, TimeoutException
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.logging import get_logger
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerGuardCondition
from rclpy.time import Time
from rclpy.waitable import NumberOfEntities
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Header

from ugv_nav._messages import stamp_of, to_stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rclpy.node import Node

_DELIVERY = Duration(seconds=2.0)
_LOOK_UP_NS = 500_000_000
_COMPLAIN_AFTER_S = 5.0

RELIABLE = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
LATEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
LATCHED = QoSProfile(
    depth=100,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)


class Origin(enum.Enum):
    """Who publishes a topic, which decides when its messages count."""

    SENSOR = "sensor"
    """Published before the clock that it belongs to: what is there counts."""

    PEER = "peer"
    """Published during ticks: a message counts from the tick after its stamp."""


class _Held(CallbackGroup):
    """Keeps the executor away from subscriptions that the ticks drain."""

    def can_execute(self, entity: Any) -> bool:  # noqa: ARG002
        return False

    def beginning_execution(self, entity: Any) -> bool:  # noqa: ARG002
        return False

    def ending_execution(self, entity: Any) -> None:
        raise NotImplementedError(f"{entity} is never executed")


class _Server(SingleThreadedExecutor):
    """Serves what is waiting, without waiting for more."""

    def serve(self) -> None:
        """Run handlers until none of them finishes anything."""
        is_finishing = True
        while is_finishing:
            is_finishing = False
            while True:
                try:
                    handler, _, _ = self.wait_for_ready_callbacks(timeout_sec=0)
                except TimeoutException:
                    break
                handler()
                if not handler.done():
                    continue  # a coroutine that waits for a tick
                is_finishing = True
                try:
                    handler.result()
                except rclpy_implementation.RCLError as error:
                    # A request that the node's state does not allow, or a client that is gone.
                    get_logger("ugv_nav").warning("a request was not served: " + str(error))


@dataclass(slots=True)
class _Inlet:
    topic: str
    subscription: Any
    origin: Origin
    publishers: int
    kept: list[Any]


class Outlet:
    """A publisher whose messages are delivered before the tick is acknowledged."""

    def __init__(self, publisher: Any, subscribers: int) -> None:
        self._publisher = publisher
        self._is_pending = False
        self.subscribers = subscribers

    @property
    def topic(self) -> str:
        """The resolved topic name."""
        return str(self._publisher.topic_name)

    def publish(self, message: Any) -> None:
        """Send a message."""
        self._publisher.publish(message)
        self._is_pending = True

    def count_subscribers(self) -> int:
        """Return how many subscriptions are matched."""
        return int(self._publisher.get_subscription_count())

    def settle(self) -> bool:
        """Wait, at most 2 s of wall time, until all reliable subscriptions have everything."""
        if not self._is_pending:
            return True
        self._is_pending = False
        return bool(self._publisher.wait_for_all_acked(_DELIVERY))


class Inbox:
    """What a tick may use, by topic as it was named to `Ticked.subscribe`."""

    def __init__(self, messages: dict[str, list[Any]]) -> None:
        self._messages = messages

    def all(self, topic: str) -> list[Any]:
        """Return the topic's new messages, oldest first."""
        return self._messages.get(topic, [])

    def newest(self, topic: str) -> Any | None:
        """Return the topic's newest new message, or None."""
        messages = self._messages.get(topic)
        return messages[-1] if messages else None


class Ticked:
    """Drives one node from the clock topic.

    Usage: create the node, hand it over, declare topics with `subscribe` and `advertise`, then
    `run(act)`. `act(now_ns, inbox)` is called once for each period of simulation time.
    """

    def __init__(self, node: Node, *, period_ns: int) -> None:
        """Take a node over.

        Args:
            node: the node; nothing else may spin it.
            period_ns: simulation time from an act to the next, positive; acts fall on the first
                tick in each period counted from time 0.
        """
        self._node = node
        self._period_ns = period_ns
        clock = node.get_clock()
        if not isinstance(clock, ROSClock):
            raise TypeError(f"{node.get_name()} must have a ROS clock")
        self._time = clock
        # The ticks set the node's time; a second, best-effort reader of the clock only costs.
        node._time_source.detach_node()  # noqa: SLF001 - the node has no name for it
        self._held = _Held()
        self._inlets: list[_Inlet] = []
        self._outlets: list[Outlet] = []
        self._now_ns = -1
        self._next_period = 1
        self._unmatched_since: float | None = None
        self._server = _Server(context=node.context)
        self._server.add_node(node)
        self._clock = node.create_subscription(
            Clock, "/clock", _never_called, RELIABLE, callback_group=self._held
        )
        self._done = node.create_publisher(Header, "tick_done", RELIABLE)
        self._signal = SignalHandlerGuardCondition(node.context)
        self._services: list[Any] = []
        self._action_servers: list[Any] = []
        self._wait_set: Any = None

    @property
    def now_ns(self) -> int:
        """The time of the tick in progress or of the last one; -1 before the first."""
        return self._now_ns

    def subscribe(
        self,
        topic: str,
        message_type: Any,
        *,
        origin: Origin,
        publishers: int = 1,
        qos: QoSProfile = RELIABLE,
    ) -> None:
        """Declare a topic that `act` receives.

        Args:
            topic: its name, relative to the node's namespace.
            message_type: the type; of a PEER's topic it must be stamped.
            origin: when messages count. The depth of a PEER's topic must hold what the peer
                publishes from one act to the next.
            publishers: how many there must be before time 0 is acknowledged.
            qos: quality of service.
        """
        subscription = self._node.create_subscription(
            message_type, topic, _never_called, qos, callback_group=self._held
        )
        self._inlets.append(_Inlet(topic, subscription, origin, publishers, []))
        self._inlets.sort(key=lambda inlet: inlet.topic)

    def advertise(
        self, topic: str, message_type: Any, *, subscribers: int = 0, qos: QoSProfile = RELIABLE
    ) -> Outlet:
        """Declare a topic that the node publishes; see `subscribe` for the arguments."""
        outlet = Outlet(self._node.create_publisher(message_type, topic, qos), subscribers)
        self._outlets.append(outlet)
        return outlet

    def serve(self) -> None:
        """Serve pending requests and finish what `act` has decided, before the tick ends."""
        self._server.serve()

    def run(self, act: Callable[[int, Inbox], None]) -> None:
        """Follow the clock until the context is shut down (SIGINT, SIGTERM)."""
        while self._node.context.ok():
            has_clock, has_requests = self._wait()
            if has_requests:
                self._server.serve()
                self._wait_set = None
            if has_clock:
                for now_ns in self._take_times():
                    self._tick(now_ns, act)

    def _wait(self) -> tuple[bool, bool]:
        """Block until the clock or a request is there; data topics wake nobody."""
        if self._wait_set is None:
            self._prepare_to_wait()
        wait_set = self._wait_set
        wait_set.clear_entities()
        wait_set.add_subscription(self._clock.handle)
        wait_set.add_guard_condition(self._signal.handle)
        for handle in self._services:
            wait_set.add_service(handle)
        for action_server in self._action_servers:
            action_server.add_to_wait_set(wait_set)
        wait_set.wait(_LOOK_UP_NS)
        if not self._node.context.ok():
            return False, False
        has_clock = bool(wait_set.get_ready_entities("subscription"))
        has_requests = bool(wait_set.get_ready_entities("service")) or bool(
            wait_set.get_ready_entities("timer")
        )
        return has_clock, has_requests

    def _prepare_to_wait(self) -> None:
        """Find out what can be requested; only requests change it."""
        self._services = [service.handle for service in self._node.services]
        self._action_servers = [
            waitable for waitable in self._node.waitables if not isinstance(waitable, EventHandler)
        ]
        size = NumberOfEntities(1, 1, 0, 0, len(self._services), 0)
        for action_server in self._action_servers:
            size += action_server.get_num_entities()
        self._wait_set = rclpy_implementation.WaitSet(
            size.num_subscriptions,
            size.num_guard_conditions,
            size.num_timers,
            size.num_clients,
            size.num_services,
            size.num_events,
            self._node.context.handle,
        )

    def _take_times(self) -> Iterable[int]:
        """Return the newest time of those that have arrived: a late node skips, never queues."""
        times = [
            message.clock.sec * 1_000_000_000 + message.clock.nanosec
            for message in _drain(self._clock)
        ]
        return times[-1:]

    def _tick(self, now_ns: int, act: Callable[[int, Inbox], None]) -> None:
        if now_ns == 0:
            if self._is_matched():
                self._begin(now_ns)
                self._finish(now_ns)
            return
        if now_ns <= self._now_ns:
            if now_ns == self._now_ns:
                return
            self._node.get_logger().warning("the clock went back: starting over")
            for inlet in self._inlets:
                inlet.kept.clear()
            self._next_period = 1
        self._begin(now_ns)
        if now_ns >= self._next_period * self._period_ns:
            self._next_period = now_ns // self._period_ns + 1
            act(now_ns, self._collect(now_ns))
        self._finish(now_ns)

    def _finish(self, now_ns: int) -> None:
        """Acknowledge the tick once everything is delivered, if anybody waits for that."""
        if not self._done.get_subscription_count():
            return
        for outlet in self._outlets:
            if not outlet.settle():
                self._node.get_logger().warning(
                    f"{outlet.topic} was not delivered within 2 s (tick {now_ns} ns)"
                )
        header = Header(frame_id=self._node.get_name())
        header.stamp = to_stamp(now_ns)
        self._done.publish(header)

    def _begin(self, now_ns: int) -> None:
        self._now_ns = now_ns
        self._time.set_ros_time_override(Time(nanoseconds=now_ns))

    def _collect(self, now_ns: int) -> Inbox:
        messages: dict[str, list[Any]] = {}
        for inlet in self._inlets:
            taken = _drain(inlet.subscription)
            if inlet.origin is Origin.PEER:
                known = sorted(inlet.kept + taken, key=stamp_of)
                taken = [message for message in known if stamp_of(message) < now_ns]
                inlet.kept = known[len(taken) :]
            messages[inlet.topic] = taken
        return Inbox(messages)

    def _is_matched(self) -> bool:
        """Return whether all declared peers are connected; say so when it takes long."""
        missing = [
            f"{inlet.topic} (publishers: {count} of {inlet.publishers})"
            for inlet in self._inlets
            if (count := inlet.subscription.get_publisher_count()) < inlet.publishers
        ]
        missing += [
            f"{outlet.topic} (subscribers: {count} of {outlet.subscribers})"
            for outlet in self._outlets
            if (count := outlet.count_subscribers()) < outlet.subscribers
        ]
        if not missing:
            self._unmatched_since = None
            return True
        now = time.monotonic()
        if self._unmatched_since is None:
            self._unmatched_since = now
        elif now - self._unmatched_since > _COMPLAIN_AFTER_S:
            self._unmatched_since = now
            self._node.get_logger().warning(f"waiting for {', '.join(missing)}")
        return False


def _never_called(message: Any) -> None:
    raise NotImplementedError(f"{type(message).__name__} is taken by the ticks")


def _drain(subscription: Any) -> list[Any]:
    """Take everything that has arrived, oldest first."""
    messages: list[Any] = []
    with subscription.handle:
        while True:
            taken = subscription.handle.take_message(subscription.msg_type, False)
            if taken is None:
                return messages
            messages.append(taken[0])
