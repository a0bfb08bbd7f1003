from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from fieldproof.model._durations import NS_PER_S, Duration, PositiveDuration
from fieldproof.model._names import FileName, MessageType, Name, TopicName
from fieldproof.model._problems import Problem, faults, nearest
from fieldproof.model._sensors import FrameId, Qos, Rate, Sensor
from fieldproof.model._strict import Strict

Positive = Annotated[float, Field(gt=0, le=1e9)]
NotNegative = Annotated[float, Field(ge=0, le=1e9)]
Covariance = Annotated[list[NotNegative], Field(min_length=6, max_length=6)]
Joints = Annotated[list[str], Field(min_length=1, max_length=64)]
ParameterValue = bool | int | float | str | list[bool] | list[int] | list[float] | list[str]


class Body(Strict):
    """The vehicle's description and how it stands."""

    urdf: FileName = Field(description="The URDF, beside the manifest.")
    base_link: FrameId
    spawn_height_m: Annotated[float, Field(ge=0, le=100)] = Field(
        default=0.0, description="Height of the base link above the ground it is placed on."
    )


class Command(Strict):
    """The topic on which the stack drives the vehicle."""

    topic: TopicName
    ros_type: MessageType
    qos: Qos | None = None


class Odometry(Strict):
    """What the wheels say: pose in `frame_id`, twist in `child_frame_id`."""

    topic: TopicName
    ros_type: MessageType
    frame_id: FrameId
    child_frame_id: FrameId
    rate_hz: Rate
    qos: Qos | None = None
    pose_covariance_diagonal: Covariance | None = None
    twist_covariance_diagonal: Covariance | None = None


class JointStates(Strict):
    """The joints' positions and velocities."""

    topic: TopicName
    ros_type: MessageType
    rate_hz: Rate
    qos: Qos | None = None


class Drive(Strict):
    """A differential drive: metres, radians, seconds."""

    type: Literal["differential"]
    left_joints: Joints
    right_joints: Joints
    wheel_radius_m: Positive
    wheel_separation_m: Positive
    max_linear_mps: Positive
    max_angular_radps: Positive
    max_linear_accel_mps2: Positive
    command: Command
    odometry: Odometry
    joint_states: JointStates | None = None


class Battery(Strict):
    """What the battery node reports; nothing drains it but a battery.drain event."""

    topic: TopicName
    ros_type: MessageType
    rate_hz: Rate
    qos: Qos | None = None
    empty_v: Positive
    full_v: Positive
    capacity_ah: Positive
    initial_pct: Annotated[float, Field(ge=0, le=100)] = 100.0


class Power(Strict):
    """The vehicle's power system."""

    battery: Battery


class DriverSwap(Strict):
    """One route: the real vehicle's driver, and what stands in for it here."""

    replaces: str = Field(description="The node's name on the real vehicle.")
    sensor: str = Field(description="A sensor, or odometry, joint_states, command, battery.")
    ros_topic: TopicName
    ros_type: MessageType
    frame_id: FrameId | None = None
    rate_hz: Rate | None = None


class Process(Strict):
    """One process of the stack: a Python module started with ROS arguments."""

    name: Name
    module: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$")]
    node: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
    parameters: dict[str, ParameterValue] = Field(default_factory=dict)


class StackTopic(Strict):
    """A topic that the stack publishes."""

    topic: TopicName
    ros_type: MessageType


class Stack(Strict):
    """The software under test.

    With `topics`, what the stack publishes is known in full: a scenario that names another topic
    of the vehicle is refused. Without, only near misses of known topics are.
    """

    package: str
    processes: Annotated[list[Process], Field(min_length=1, max_length=64)]
    topics: list[StackTopic] | None = None


class Gate(Strict):
    """One thing that must hold before the timeline starts: a state, an action or a topic."""

    lifecycle: str | None = Field(default=None, description="A managed node.")
    state: Literal["unconfigured", "inactive", "active", "finalized"] | None = None
    action: TopicName | None = Field(default=None, description="An action server.")
    topic: TopicName | None = Field(default=None, description="A topic with a first message.")

    @model_validator(mode="after")
    def _one_thing(self) -> "Gate":
        given = [key for key in ("lifecycle", "action", "topic") if getattr(self, key) is not None]
        found = []
        if len(given) != 1:
            found.append(Problem("must have one of lifecycle, action and topic"))
        if self.state is not None and self.lifecycle is None:
            found.append(Problem("only goes with lifecycle", ("state",)))
        if found:
            raise faults("Gate", found)
        return self


class Readiness(Strict):
    """What must hold, and within how long of wall-clock time."""

    timeout_s: PositiveDuration = Duration(30 * NS_PER_S)
    gates: list[Gate] = Field(default_factory=list)


class Lockstep(Strict):
    """How a tick knows that the stack is done with it."""

    ack: TopicName | None = Field(default=None, description="Where the nodes acknowledge.")
    nodes: list[str] = Field(default_factory=list, description="The nodes that acknowledge.")
    hold_ms: Annotated[float, Field(gt=0, le=60_000)] | None = Field(
        default=None, description="Wall-clock wait a tick, for a stack that cannot acknowledge."
    )

    @model_validator(mode="after")
    def _one_way(self) -> "Lockstep":
        found = []
        if (self.ack is None) == (self.hold_ms is None):
            found.append(Problem("must have ack and nodes, or hold_ms"))
        elif self.ack is not None and not self.nodes:
            found.append(Problem("is missing", ("nodes",), "the nodes that acknowledge"))
        elif self.hold_ms is not None and self.nodes:
            found.append(Problem("does not go with hold_ms", ("nodes",)))
        if found:
            raise faults("Lockstep", found)
        return self


class ComputeBudget(Strict):
    """What the vehicle's computer has."""

    cpus: Annotated[float, Field(gt=0, le=1024)] | None = None
    memory_mb: Annotated[int, Field(gt=0, le=4_194_304)] | None = None


class VehicleManifest(Strict):
    """A vehicle: its body, drive, sensors, drivers replaced, stack and readiness."""

    apiVersion: Literal["fieldproof.dev/v0alpha1"]  # noqa: N815 - the file's own spelling
    kind: Literal["Vehicle"]
    name: Name
    description: str = ""
    model: Body
    drive: Drive
    sensors: list[Sensor] = Field(default_factory=list)
    power: Power | None = None
    driver_swap: list[DriverSwap] = Field(default_factory=list)
    stack: Stack
    readiness: Readiness = Field(default_factory=Readiness)
    lockstep: Lockstep | None = None
    budget: ComputeBudget | None = None

    def topics(self) -> dict[str, str]:
        """Return the topics known to exist on the vehicle, relative, and their message types."""
        drive = self.drive
        known = {
            drive.command.topic: drive.command.ros_type,
            drive.odometry.topic: drive.odometry.ros_type,
            "robot_description": "std_msgs/msg/String",
            "tf": "tf2_msgs/msg/TFMessage",
            "tf_static": "tf2_msgs/msg/TFMessage",
        }
        if drive.joint_states:
            known[drive.joint_states.topic] = drive.joint_states.ros_type
        for sensor in self.sensors:
            if sensor.topic is not None and sensor.ros_type is not None:
                known[sensor.topic] = sensor.ros_type
        if self.power:
            known[self.power.battery.topic] = self.power.battery.ros_type
        known.update({one.topic: one.ros_type for one in self.stack.topics or ()})
        return known

    def routes(self) -> tuple[str, ...]:
        """Return what the bridge routes: sensors, drive interfaces and the battery, by name."""
        names = [sensor.name for sensor in self.sensors if sensor.topic is not None]
        names += ["odometry", "command"]
        names += ["joint_states"] if self.drive.joint_states else []
        names += ["battery"] if self.power else []
        return tuple(names)

    def to_data(self) -> dict[str, Any]:
        """Return the manifest as JSON data: the file's keys, defaults filled in."""
        data: dict[str, Any] = self.model_dump(mode="json", exclude_none=True)
        return data

    @model_validator(mode="after")
    def _parts_agree(self) -> "VehicleManifest":
        found = [*self._duplicates(), *self._references()]
        if found:
            raise faults("VehicleManifest", found)
        return self

    def _duplicates(self) -> Iterator[Problem]:
        names: set[str] = {"odometry", "joint_states", "command", "battery"}
        for place, sensor in enumerate(self.sensors):
            if sensor.name in names:
                yield Problem(f"{sensor.name} is taken", ("sensors", place, "name"))
            names.add(sensor.name)
        nodes: set[str] = set()
        for place, process in enumerate(self.stack.processes):
            if process.node in nodes:
                yield Problem(f"{process.node} is taken", ("stack", "processes", place, "node"))
            nodes.add(process.node)
        topics: set[str] = {"tf", "tf_static", "robot_description", "/clock"}
        for path, topic in self._named_topics():
            if topic in topics:
                yield Problem(f"{topic} is taken", path)
            topics.add(topic)

    def _named_topics(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield each topic that the bridge serves, with its place."""
        yield ("drive", "command", "topic"), self.drive.command.topic
        yield ("drive", "odometry", "topic"), self.drive.odometry.topic
        if self.drive.joint_states:
            yield ("drive", "joint_states", "topic"), self.drive.joint_states.topic
        for place, sensor in enumerate(self.sensors):
            if sensor.topic is not None:
                yield ("sensors", place, "topic"), sensor.topic
        if self.power:
            yield ("power", "battery", "topic"), self.power.battery.topic
        if self.lockstep and self.lockstep.ack:
            yield ("lockstep", "ack"), self.lockstep.ack

    def _references(self) -> Iterator[Problem]:
        routes = self.routes()
        for place, swap in enumerate(self.driver_swap):
            if swap.sensor not in routes:
                hint = nearest(swap.sensor, routes)
                yield Problem(
                    f"unknown sensor {swap.sensor}", ("driver_swap", place, "sensor"), hint
                )
        nodes = [process.node for process in self.stack.processes]
        for place, node in enumerate(self.lockstep.nodes if self.lockstep else ()):
            if node not in nodes:
                hint = nearest(node, nodes)
                yield Problem(f"unknown node {node}", ("lockstep", "nodes", place), hint)
        for place, gate in enumerate(self.readiness.gates):
            if gate.lifecycle is not None and gate.lifecycle not in nodes:
                where = ("readiness", "gates", place, "lifecycle")
                yield Problem(
                    f"unknown node {gate.lifecycle}", where, nearest(gate.lifecycle, nodes)
                )
