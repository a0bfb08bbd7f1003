from typing import Literal

from fieldproof.model import (
    NS_PER_S,
    AssertionBase,
    Duration,
    FieldPath,
    KpiBase,
    MessageType,
    Name,
    NonNegativeDuration,
    Placement,
    PositiveDuration,
    Signal,
    TimelineBase,
    TopicName,
    ValueCondition,
)
from fieldproof.plan import ModelChanges, PlannedAssertion, Registries, Watch


class Drive(TimelineBase):
    vehicle: Name
    action: Literal["drive"]
    goal: Placement
    timeout_s: PositiveDuration = Duration(300 * NS_PER_S)


class DriveType:
    Entry = Drive

    def plan(self, entry, context):
        vehicle = context.vehicle(entry.vehicle)
        return {
            "goal": context.place(entry.goal),
            "from": vehicle.spawn,
            "lockstep": context.lockstep,
        }

    def models(self, entry):
        return ModelChanges()


class Say(TimelineBase):
    action: Literal["say"]
    text: str


class SayType:
    Entry = Say

    def plan(self, entry, context):
        if entry.text == "no":
            raise context.refusal("is not said here", at="text", hint="say yes")
        if entry.text == "crash":
            raise KeyError("inside")
        return {"said": float("nan")} if entry.text == "nan" else {}

    def models(self, entry):
        return None


class Announce(TimelineBase):
    vehicle: Name
    action: Literal["announce"]
    topic: TopicName


class AnnounceType:
    Entry = Announce

    def plan(self, entry, context):
        return {"topic": context.publishes(entry.vehicle, entry.topic, "std_msgs/msg/String")}

    def models(self, entry):
        return ModelChanges()


class Reach(AssertionBase):
    type: Literal["reach"]
    vehicle: Name
    target: Placement
    tolerance_m: float = 0.5
    after_s: NonNegativeDuration | None = None


class ReachType:
    Spec = Reach

    def plan(self, spec, context):
        vehicle = context.vehicle(spec.vehicle)
        return PlannedAssertion(spec, model=vehicle.name, target=context.place(spec.target))

    def watches(self, planned):
        return (Watch("model", model=planned.model),)


class Holds(AssertionBase):
    type: Literal["holds"]
    vehicle: Name | None = None
    topic: TopicName
    field: FieldPath
    message_type: MessageType | None = None
    condition: ValueCondition


class HoldsType:
    Spec = Holds

    def plan(self, spec, context):
        topic = context.topic(spec.vehicle, spec.topic, message_type=spec.message_type)
        kind = context.message_type(topic, spec.message_type)
        field = context.field(spec.field, kind)
        return PlannedAssertion(spec, topic=topic, watches=(Watch("value", topic, field, kind),))

    def watches(self, planned):
        return planned.watches


class Signals(AssertionBase):
    type: Literal["signals"]
    vehicle: Name | None = None
    signals: dict[Name, Signal]
    before: Name | None = None


class SignalsType:
    Spec = Signals

    def plan(self, spec, context):
        if spec.before is not None:
            context.assertion(spec.before)
        found = {key: context.signal(one, spec.vehicle) for key, one in spec.signals.items()}
        watches = tuple(watch for one in found.values() for watch in one.watches())
        return PlannedAssertion(spec, resolved={"signals": found}, watches=watches)

    def watches(self, planned):
        return planned.watches


class Span(KpiBase):
    type: Literal["span"]
    start: Name


class SpanType:
    Spec = Span

    def plan(self, spec, context):
        return PlannedAssertion(spec, resolved={"start": context.action(spec.start)})

    def watches(self, planned):
        return ()


KNOWN = Registries(
    events={"drive": DriveType(), "say": SayType(), "announce": AnnounceType()},
    assertions={"reach": ReachType(), "holds": HoldsType(), "signals": SignalsType()},
    kpis={"span": SpanType()},
)

WORLD = """\
apiVersion: fieldproof.dev/v0alpha1
kind: World
name: yard
origin: { latitude_deg: 53.5, longitude_deg: 10.0 }
physics: { step_s: 2ms }
frames:
  gate: { x: 1.0, y: 2.0, yaw: 0.5 }
  start: { x: 5, y: 6 }
"""

MANIFEST = """\
apiVersion: fieldproof.dev/v0alpha1
kind: Vehicle
name: rover
model: { urdf: rover.urdf, base_link: base_link, spawn_height_m: 0.1 }
drive:
  type: differential
  left_joints: [left]
  right_joints: [right]
  wheel_radius_m: 0.1
  wheel_separation_m: 0.4
  max_linear_mps: 1
  max_angular_radps: 1.5
  max_linear_accel_mps2: 1.0
  command: { topic: cmd_vel, ros_type: geometry_msgs/msg/Twist }
  odometry: { topic: odom, ros_type: nav_msgs/Odometry, frame_id: odom, child_frame_id: base_link, rate_hz: 50 }
sensors:
  - { name: lidar, type: lidar, link: lidar, frame_id: lidar, topic: scan, ros_type: sensor_msgs/msg/LaserScan,
      rate_hz: 10, rays: 360, angle_min_rad: -3.1, angle_max_rad: 3.1, range_min_m: 0.1, range_max_m: 12 }
  - { name: bumper, type: contact, link: base_link, collision: chassis, rate_hz: 50 }
driver_swap:
  - { replaces: laser, sensor: lidar, ros_topic: scan, ros_type: sensor_msgs/msg/LaserScan }
stack:
  package: rover_stack
  processes:
    - { name: driver, module: rover_stack.driver, node: driver, parameters: { gain: 1.5, mode: fast } }
readiness:
  gates: [{ topic: odom }, { lifecycle: driver, state: active }]
lockstep: { ack: tick_done, nodes: [driver] }
"""

SCENARIO = """\
apiVersion: fieldproof.dev/v0alpha1
kind: Scenario
name: example
world: yard
time: { mode: lockstep, seed: 7 }
vehicles:
  - { name: ugv1, manifest: rover, spawn: { frame: start } }
  - { name: ugv2, manifest: rover, namespace: fleet/two, spawn: { x: -5, y: 6, z: 1, yaw: 3 } }
timeline:
  - name: first
    vehicle: ugv1
    action: drive
    goal: { frame: gate }
    timeout_s: 30s
  - name: second
    when: { vehicle: ugv2, metric: distance_to, target: { frame: gate }, condition: value < 1 }
    within_s: 4m
    action: say
    text: hello
  - action: say
    text: again
    after: [first]
    at: 1.5s
    every: 2s
    count: 3
assertions:
  - name: arrives
    type: reach
    vehicle: ugv1
    target: { frame: gate }
  - name: slow
    type: holds
    topic: odom
    vehicle: ugv2
    field: twist.twist.linear.x
    condition: abs(value) < 1
    on_fail: abort
  - name: both
    type: signals
    vehicle: ugv1
    signals:
      speed: { topic: odom, field: twist.twist.linear.x }
      time: { metric: sim_time }
      x: { metric: x, vehicle: ugv2 }
kpis:
  - { name: mission, type: span, start: first }
outputs: { record: true, topics: [scan, /clock] }
"""
