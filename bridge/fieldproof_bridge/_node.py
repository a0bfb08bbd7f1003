from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from fieldproof_msgs.msg import InjectorState
from rclpy.duration import Duration
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Header, String
from tf2_msgs.msg import TFMessage

from fieldproof_bridge._contract import Endpoint, offered
from fieldproof_bridge._errors import BridgeError
from fieldproof_bridge._manifest import Qos
from fieldproof_bridge._messages import (
    MESSAGE_TYPES,
    set_stamp,
    set_velocity,
    static_transforms,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rclpy.context import Context
    from rclpy.publisher import Publisher
    from rclpy.subscription import Subscription
    from rclpy.topic_endpoint_info import TopicEndpointInfo

    from fieldproof_bridge._config import BridgeConfig
    from fieldproof_bridge._contract import Contract, ContractTopic
    from fieldproof_bridge._readings import VelocityCommand
    from fieldproof_bridge._urdf import RobotDescription

NODE_NAME: Final = "bridge"
# Long waits are cut into pieces so that a signal is served in between.
_SLICE_NS: Final = 100_000_000
_ACK_DEPTH: Final = 1000
_PATIENCE: Final = 1000
_UNNAMED: Final = "_NODE_NAME_UNKNOWN_"
_LATCHED: Final = Qos(durability="transient_local", depth=50)
FAULTS_TOPIC: Final = "_bridge/faults"
DRIVE_TOPIC: Final = "_bridge/cmd_vel"
OBSERVERS: Final = "/fieldproof/"  # the namespace of who watches a run, always there to answer


def qos_profile(qos: Qos) -> QoSProfile:
    """A manifest's quality of service as rclpy's."""
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=qos.depth,
        reliability=ReliabilityPolicy[qos.reliability.upper()],
        durability=DurabilityPolicy[qos.durability.upper()],
    )


class Outlet:
    """A publisher that knows whether it has sent something that is not yet confirmed."""

    def __init__(self, publisher: Publisher, topic: str) -> None:
        self.topic = topic
        self.count = 0
        self._publisher = publisher
        self._pending = False

    def publish(self, message: Any) -> None:
        """Hand a message to the middleware."""
        self._publisher.publish(message)
        self._pending = True
        self.count += 1

    def confirm(self, deadline: float) -> bool:
        """Wait until every subscriber has what was sent; False at the deadline (monotonic)."""
        while self._pending:
            left_ns = round((deadline - time.monotonic()) * 1e9)
            bound = Duration(nanoseconds=max(min(left_ns, _SLICE_NS), 0))
            if self._publisher.wait_for_all_acked(bound):
                self._pending = False
            elif left_ns <= 0:
                return False
        return True

    def matched(self) -> int:
        """How many subscriptions the publisher itself has found."""
        return int(self._publisher.get_subscription_count())


class Inlet:
    """A subscription that is read when the caller wants it, without an executor."""

    def __init__(self, subscription: Subscription, context: Context, message_type: type) -> None:
        self._subscription = subscription
        self._type = message_type
        self._wait_set = rclpy_implementation.WaitSet(1, 0, 0, 0, 0, 0, context.handle)

    def take(self) -> Any | None:
        """The next message that has arrived, None when there is none."""
        with self._subscription.handle:
            taken = self._subscription.handle.take_message(self._type, False)
        return None if taken is None else taken[0]

    def wait(self, deadline: float) -> None:
        """Return when a message may be there, at the deadline (monotonic), or after a while."""
        left_ns = round((deadline - time.monotonic()) * 1e9)
        if left_ns <= 0:
            return
        with self._subscription.handle:
            self._wait_set.clear_entities()
            self._wait_set.add_subscription(self._subscription.handle)
            self._wait_set.wait(min(left_ns, _SLICE_NS))


class VehicleNode:
    """The ROS 2 end of one vehicle's bridge: the contract's topics and nothing else.

    The node has no parameter services and no rosout, and no executor spins it, so that nothing
    happens between two calls.

    Attributes:
        name: the node's full name.
        outlets: publishers by route name.
        tf: publisher of the odometry's transform.
        clock: publisher of ``/clock``, None in a bridge that does not lead the clock.
        commands: the command subscription, None where the contract has no usable one.
        acks: the acknowledgement subscription, None outside lockstep or without an ack topic.
    """

    def __init__(
        self,
        context: Context,
        config: BridgeConfig,
        contract: Contract,
        description: RobotDescription,
        *,
        ack_topic: str,
        on_command: Callable[[Any], None],
    ) -> None:
        self._context = context
        self._node = Node(
            NODE_NAME,
            namespace=config.ros_namespace,
            context=context,
            use_global_arguments=False,
            enable_rosout=False,
            start_parameter_services=False,
        )
        self._mode = config.mode
        namespace = config.ros_namespace.rstrip("/")
        self.name = f"{namespace}/{NODE_NAME}"
        topics = {topic.topic: topic for topic in contract.topics}
        self.outlets = {
            spec.name: self._outlet(topics[spec.topic], MESSAGE_TYPES[spec.ros_type])
            for spec in contract.routes
            if spec.kind != "command"
        }
        self.tf = self._outlet(topics[config.absolute("tf")], TFMessage)
        self.clock = self._outlet(topics["/clock"], Clock) if config.clock else None
        self._clock_message = Clock()
        latched = self._outlet(topics[config.absolute("tf_static")], TFMessage)
        latched.publish(static_transforms(description.fixed))
        described = self._outlet(topics[config.absolute("robot_description")], String)
        described.publish(String(data=description.text))
        self._faults = self._own_outlet(config, FAULTS_TOPIC, InjectorState, _LATCHED)
        self._drive: Outlet | None = None
        self.commands: Inlet | None = None
        command = next((spec for spec in contract.routes if spec.kind == "command"), None)
        if command is not None:
            message_type = MESSAGE_TYPES[command.ros_type]
            self.commands = self._inlet(command.topic, message_type, command.qos, on_command)
            self._drive = self._own_outlet(config, DRIVE_TOPIC, message_type, Qos())
            self._drive_message = message_type()
        own = [self._faults] if self._drive is None else [self._faults, self._drive]
        self._all = [*self.outlets.values(), self.tf, latched, described, *own]
        self.acks = (
            self._inlet(config.absolute(ack_topic), Header, Qos(depth=_ACK_DEPTH), _ignore)
            if ack_topic and config.mode == "lockstep"
            else None
        )

    @property
    def node(self) -> Node:
        """The node itself, for an executor in the free-running modes."""
        return self._node

    def publish_clock(self, time_ns: int) -> None:
        """Publish simulation time, where this bridge leads the clock."""
        if self.clock is not None:
            set_stamp(self._clock_message.clock, time_ns)
            self.clock.publish(self._clock_message)

    def publish_drive(self, command: VelocityCommand) -> None:
        """Publish what the drive is really told, on a hidden topic of the command's type."""
        if self._drive is not None:
            set_velocity(self._drive_message, command)
            self._drive.publish(self._drive_message)

    def publish_faults(self, time_ns: int, route: str, faults: list[str]) -> None:
        """Publish which faults act on a route now, latched on a hidden topic."""
        state = InjectorState(route=route, faults=faults)
        set_stamp(state.header.stamp, time_ns)
        self._faults.publish(state)

    def confirm(self, deadline: float, *, what: str, but: frozenset[str] = frozenset()) -> None:
        """Wait until every subscriber has every sensor message sent so far.

        Args:
            deadline: of the monotonic clock.
            what: for whom this is, in messages.
            but: topics that are left out.

        Raises:
            BridgeError: ``delivery_timeout`` at the deadline, naming topics and subscribers.
        """
        outlets = [one for one in self._all if one.topic not in but] if but else self._all
        self._confirm(outlets, deadline, what)

    def confirm_clock(self, deadline: float, *, what: str) -> None:
        """The same for ``/clock``."""
        if self.clock is not None:
            self._confirm([self.clock], deadline, what)

    def unmatched(self) -> list[str]:
        """Topics whose publisher has not yet found every subscription that the graph shows."""
        clock = [] if self.clock is None else [self.clock]
        return [
            outlet.topic
            for outlet in (*self._all, *clock)
            if outlet.matched() < self._node.count_subscribers(outlet.topic)
        ]

    def read_by_others(self) -> frozenset[str]:
        """Topics of this vehicle that software outside its namespace reads, the observer apart."""
        own = self._node.get_namespace().rstrip("/") + "/"
        return frozenset(
            outlet.topic
            for outlet in self._all
            for info in self._node.get_subscriptions_info_by_topic(outlet.topic)
            if not f"{info.node_namespace.rstrip('/')}/".startswith((own, OBSERVERS))
        )

    def present(self, names: Iterable[str], namespace: str) -> set[str]:
        """Those of the node names that the graph shows in the namespace."""
        found = set(self._node.get_node_names_and_namespaces())
        return {name for name in names if (name, namespace) in found}

    def endpoints(self, topics: Iterable[ContractTopic]) -> list[Endpoint]:
        """Every publisher and subscription of the given topics in the live graph."""
        found = []
        for topic in topics:
            for direction, infos in (
                ("publish", self._node.get_publishers_info_by_topic(topic.topic)),
                ("subscribe", self._node.get_subscriptions_info_by_topic(topic.topic)),
            ):
                found += [
                    Endpoint(
                        topic=topic.topic,
                        node=_full_name(info),
                        ros_type=info.topic_type,
                        direction="publish" if direction == "publish" else "subscribe",
                        reliability=info.qos_profile.reliability.name.lower(),
                        durability=info.qos_profile.durability.name.lower(),
                    )
                    for info in infos
                ]
        return found

    def publishers(self) -> dict[str, int]:
        """How many publishers this node knows of, by topic."""
        topics = [topic for topic, _ in self._node.get_topic_names_and_types()]
        return {topic: n for topic in sorted(topics) if (n := self._node.count_publishers(topic))}

    def counts(self) -> dict[str, int]:
        """Messages published since the start, by topic."""
        clock = [] if self.clock is None else [self.clock]
        return {outlet.topic: outlet.count for outlet in (*self._all, *clock)}

    def destroy(self) -> None:
        """Leave the graph."""
        self._node.destroy_node()

    def _outlet(self, topic: ContractTopic, message_type: type) -> Outlet:
        profile = qos_profile(offered(topic.qos, self._mode))
        if topic.qos.durability == "volatile":
            # a reader that is held up for a moment on a busy host is no loss of the driver's: the
            # history only decides how far a reliable reader may lag, never what a new one gets
            profile.depth = max(profile.depth, _PATIENCE)
        return Outlet(self._node.create_publisher(message_type, topic.topic, profile), topic.topic)

    def _own_outlet(self, config: BridgeConfig, name: str, message_type: type, qos: Qos) -> Outlet:
        """A topic of the bridge's own, hidden from who does not ask for it by name."""
        topic = config.absolute(name)
        publisher = self._node.create_publisher(message_type, topic, qos_profile(qos))
        return Outlet(publisher, topic)

    def _inlet(
        self, topic: str, message_type: type, qos: Qos, callback: Callable[[Any], None]
    ) -> Inlet:
        subscription = self._node.create_subscription(
            message_type, topic, callback, qos_profile(qos)
        )
        return Inlet(subscription, self._context, message_type)

    def _confirm(self, outlets: Iterable[Outlet], deadline: float, what: str) -> None:
        late = [outlet.topic for outlet in outlets if not outlet.confirm(deadline)]
        if late:
            to = {
                topic: sorted(
                    _full_name(info) for info in self._node.get_subscriptions_info_by_topic(topic)
                )
                for topic in late
            }
            rows = "; ".join(f"{topic} to {', '.join(names)}" for topic, names in to.items())
            raise BridgeError(
                "delivery_timeout",
                f"{what}: not confirmed by every subscriber: {rows}",
                topics=late,
            )


def _full_name(info: TopicEndpointInfo) -> str:
    """The node of an end; discovery tells of ends a moment before it names their nodes."""
    if info.node_name == _UNNAMED:
        return "a node without a name yet"
    return f"{info.node_namespace.rstrip('/')}/{info.node_name}"


def _ignore(_: Any) -> None:
    """Acknowledgements are taken, never called back."""
