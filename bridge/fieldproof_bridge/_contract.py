"""What the vehicle's drivers promise on ROS 2, and where a plan or a live graph departs from it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from fieldproof_bridge._manifest import Qos

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fieldproof_bridge._config import BridgeConfig, Mode
    from fieldproof_bridge._manifest import (
        Battery,
        Command,
        JointStates,
        Manifest,
        Odometry,
        Sensor,
    )
    from fieldproof_bridge._urdf import RobotDescription

    Source = Sensor | Odometry | JointStates | Battery | Command

Direction = Literal["publish", "subscribe"]

TF_TYPE: Final = "tf2_msgs/msg/TFMessage"
CLOCK_TYPE: Final = "rosgraph_msgs/msg/Clock"
STRING_TYPE: Final = "std_msgs/msg/String"
HEADER_TYPE: Final = "std_msgs/msg/Header"

# What each kind of route can carry; the first is the usual one.
KNOWN_TYPES: Final[dict[str, tuple[str, ...]]] = {
    "lidar": ("sensor_msgs/msg/LaserScan",),
    "imu": ("sensor_msgs/msg/Imu",),
    "gnss": ("sensor_msgs/msg/NavSatFix",),
    "odometry": ("nav_msgs/msg/Odometry",),
    "joint_states": ("sensor_msgs/msg/JointState",),
    "battery": ("sensor_msgs/msg/BatteryState",),
    "command": ("geometry_msgs/msg/Twist", "geometry_msgs/msg/TwistStamped"),
}
_SILENT_TYPES: Final = ("contact",)  # ground truth of the simulator, never a topic of the vehicle
_LATCHED: Final = Qos(durability="transient_local", depth=1)
_TF: Final = Qos(depth=100)
_CLOCK: Final = Qos(depth=10)
# Topics that the vehicle's own nodes share with the bridge (a localisation publishes map -> odom).
_SHARED: Final = ("tf", "tf_static", "robot_description")


@dataclass(frozen=True, slots=True)
class RouteSpec:
    """One path between the simulator and a ROS topic.

    Attributes:
        name: the sensor's name in the manifest, or odometry, joint_states, battery, command.
        kind: the sensor's type, or the same word as ``name`` for the others.
        topic: absolute topic.
        ros_type: full type name, as ``sensor_msgs/msg/Imu``.
        frame_id: frame of the header; empty where the type has none.
        rate_hz: rate in simulation time; None where nothing is promised.
        qos: quality of service of the real driver.
        source: the manifest's entry.
    """

    name: str
    kind: str
    topic: str
    ros_type: str
    frame_id: str
    rate_hz: float | None
    qos: Qos
    source: Source


@dataclass(frozen=True, slots=True)
class ContractTopic:
    """One topic of the vehicle's interface, as reported to the engine."""

    topic: str
    ros_type: str
    frame_id: str
    rate_hz: float | None
    qos: Qos
    direction: Direction
    shared: bool = False

    def as_fields(self) -> dict[str, object]:
        """The topic as plain values for the wire."""
        return {
            "topic": self.topic,
            "type": self.ros_type,
            "frame_id": self.frame_id,
            "rate_hz": self.rate_hz,
            "qos": self.qos.model_dump(),
            "direction": self.direction,
        }


@dataclass(frozen=True, slots=True)
class Contract:
    """The routes that can be built, every topic they promise, and what cannot be kept."""

    routes: tuple[RouteSpec, ...]
    topics: tuple[ContractTopic, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A publisher or subscription found in the live graph; ``node`` is the full node name."""

    topic: str
    node: str
    ros_type: str
    direction: Direction
    reliability: str
    durability: str


def offered(qos: Qos, mode: Mode) -> Qos:
    """The quality of service that the bridge offers for a driver's.

    In lockstep delivery must be confirmed, so a best-effort topic is offered reliable there: it
    still matches every subscriber of the real one, and ``graph_problems`` names those that the
    real one would not match.
    """
    if mode == "lockstep" and qos.reliability == "best_effort":
        return qos.model_copy(update={"reliability": "reliable"})
    return qos


def plan_contract(
    config: BridgeConfig, manifest: Manifest, description: RobotDescription
) -> Contract:
    """Derive routes and topics from the manifest, and name what the bridge cannot provide."""
    problems: list[str] = []
    routes = []
    for spec in _specs(config, manifest):
        known = KNOWN_TYPES.get(spec.kind)
        if known is None:
            problems.append(
                f"sensor {spec.name}: the bridge has no sensor of type {spec.kind} yet"
                f" (it has {', '.join(sorted(KNOWN_TYPES))})"
            )
        elif spec.ros_type not in known:
            problems.append(
                f"{spec.name}: {spec.topic} cannot carry {spec.ros_type} (can: {', '.join(known)})"
            )
        else:
            routes.append(spec)
    problems += _repeated("route name", [spec.name for spec in routes])
    topics = [
        ContractTopic(
            spec.topic,
            spec.ros_type,
            spec.frame_id,
            spec.rate_hz,
            spec.qos,
            "subscribe" if spec.kind == "command" else "publish",
        )
        for spec in routes
    ]
    topics += _frame_topics(config, manifest)
    problems += _repeated("topic", [topic.topic for topic in topics])
    problems += _frame_problems(manifest, description, routes)
    problems += _swap_problems(config, manifest, routes)
    if config.mode == "lockstep" and not (manifest.lockstep.ack or manifest.lockstep.hold_ms):
        problems.append("lockstep: the manifest has neither ack nor hold_ms, so no tick can end")
    return Contract(tuple(routes), tuple(topics), tuple(problems))


def graph_problems(
    topics: Iterable[ContractTopic], endpoints: Sequence[Endpoint], *, node: str, mode: Mode
) -> list[str]:
    """Compare the live graph with the contract; ``node`` is the bridge's own full name."""
    problems = []
    for topic in topics:
        here = [endpoint for endpoint in endpoints if endpoint.topic == topic.topic]
        mine = [e for e in here if e.node == node and e.direction == topic.direction]
        others = [e for e in here if e.node != node]
        problems += [
            f"{topic.topic}: {e.node} uses type {e.ros_type}, the contract is {topic.ros_type}"
            for e in here
            if e.ros_type != topic.ros_type
        ]
        if not mine:
            problems.append(f"{topic.topic}: the bridge has no {topic.direction} end in the graph")
        wanted = offered(topic.qos, mode)
        problems += [
            f"{topic.topic}: the bridge's end is {e.reliability}, {e.durability} instead of"
            f" {wanted.reliability}, {wanted.durability}"
            for e in mine
            if (e.reliability, e.durability) != (wanted.reliability, wanted.durability)
        ]
        publishers = [e for e in others if e.direction == "publish"]
        if topic.direction == "publish":
            problems += _foreign_publishers(topic, publishers)
            problems += [
                f"{topic.topic}: {e.node} asks for {gap}, which the real driver does not offer"
                for e in others
                if e.direction == "subscribe" and (gap := _unmet(e, topic.qos))
            ]
        else:
            problems += [
                f"{topic.topic}: {e.node} publishes {e.reliability}, {e.durability}, which the"
                " real driver does not match"
                for e in publishers
                if _unmet_by(e, topic.qos)
            ]
            if mode == "lockstep" and len(publishers) > 1:
                names = ", ".join(sorted(e.node for e in publishers))
                problems.append(
                    f"{topic.topic}: several publishers ({names}), so that the last command of a"
                    " tick is not determined"
                )
    return problems


def _foreign_publishers(topic: ContractTopic, publishers: Sequence[Endpoint]) -> list[str]:
    if topic.shared or not publishers:
        return []
    names = ", ".join(sorted(e.node for e in publishers))
    return [f"{topic.topic}: also published by {names}"]


def _unmet(subscription: Endpoint, qos: Qos) -> str:
    if subscription.reliability == "reliable" and qos.reliability == "best_effort":
        return "reliable delivery"
    if subscription.durability == "transient_local" and qos.durability == "volatile":
        return "transient-local durability"
    return ""


def _unmet_by(publisher: Endpoint, qos: Qos) -> bool:
    return (publisher.reliability == "best_effort" and qos.reliability == "reliable") or (
        publisher.durability == "volatile" and qos.durability == "transient_local"
    )


def _specs(config: BridgeConfig, manifest: Manifest) -> list[RouteSpec]:
    return route_specs(manifest, config.absolute)


def route_specs(manifest: Manifest, absolute: Callable[[str], str]) -> list[RouteSpec]:
    """Every route that a manifest asks for, those included that the bridge does not know.

    Args:
        manifest: the vehicle's.
        absolute: makes a topic of the vehicle's absolute.
    """
    specs = [
        RouteSpec(
            sensor.name,
            sensor.type,
            absolute(sensor.topic),
            sensor.ros_type,
            sensor.frame_id,
            sensor.rate_hz,
            sensor.qos,
            sensor,
        )
        for sensor in manifest.sensors
        if sensor.type not in _SILENT_TYPES
    ]

    def add(kind: str, source: Odometry | JointStates | Battery | Command, frame_id: str) -> None:
        rate_hz = getattr(source, "rate_hz", None)
        topic = absolute(source.topic)
        specs.append(
            RouteSpec(kind, kind, topic, source.ros_type, frame_id, rate_hz, source.qos, source)
        )

    drive = manifest.drive
    add("odometry", drive.odometry, drive.odometry.frame_id)
    if drive.joint_states is not None:
        add("joint_states", drive.joint_states, "")
    if manifest.power.battery is not None:
        add("battery", manifest.power.battery, manifest.model.base_link)
    add("command", drive.command, "")
    return specs


def _frame_topics(config: BridgeConfig, manifest: Manifest) -> list[ContractTopic]:
    odometry = manifest.drive.odometry
    base_link = manifest.model.base_link
    topics = [
        ContractTopic(config.absolute(name), ros_type, frame_id, rate_hz, qos, "publish", True)
        for name, ros_type, frame_id, rate_hz, qos in (
            ("tf", TF_TYPE, odometry.frame_id, odometry.rate_hz, _TF),
            ("tf_static", TF_TYPE, base_link, None, _LATCHED),
            ("robot_description", STRING_TYPE, "", None, _LATCHED),
        )
    ]
    if config.clock:
        rate_hz = 1e9 / config.tick_ns if config.mode == "lockstep" else 100.0
        topics.append(ContractTopic("/clock", CLOCK_TYPE, "", rate_hz, _CLOCK, "publish"))
    return topics


def _frame_problems(
    manifest: Manifest, description: RobotDescription, routes: Sequence[RouteSpec]
) -> list[str]:
    base_link = manifest.model.base_link
    if base_link not in description.links:
        return [f"model.base_link: the URDF has no link {base_link}"]
    rigid = description.fixed_to(base_link)
    return [
        f"{route.name}: frame {route.frame_id} "
        + ("does not stand still in " if route.frame_id in description.links else "is no link of ")
        + (base_link if route.frame_id in description.links else "the URDF")
        for route in routes
        if route.kind in ("lidar", "imu", "gnss") and route.frame_id not in rigid
    ]


def _swap_problems(
    config: BridgeConfig, manifest: Manifest, routes: Sequence[RouteSpec]
) -> list[str]:
    if not manifest.driver_swap:
        return []
    problems = []
    by_name = {route.name: route for route in routes}
    for swap in manifest.driver_swap:
        route = by_name.get(swap.sensor)
        if route is None:
            problems.append(f"driver_swap: {swap.replaces} feeds no route named {swap.sensor}")
            continue
        pairs = [
            ("ros_topic", config.absolute(swap.ros_topic), route.topic),
            ("ros_type", swap.ros_type, route.ros_type),
            ("frame_id", swap.frame_id, route.frame_id),
            ("rate_hz", swap.rate_hz, route.rate_hz),
        ]
        problems += [
            f"driver_swap: {swap.replaces}: {key} is {said}, {route.name} has {is_}"
            for key, said, is_ in pairs
            if said is not None and said != is_
        ]
    swapped = {swap.sensor for swap in manifest.driver_swap}
    problems += [
        f"driver_swap: no entry for {route.name}" for route in routes if route.name not in swapped
    ]
    return problems


def _repeated(what: str, names: Sequence[str]) -> list[str]:
    return [f"{what} {name} stands for {n} routes" for name, n in Counter(names).items() if n > 1]
