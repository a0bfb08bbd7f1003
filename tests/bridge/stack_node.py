"""A ROS node in a process of its own that takes part in lockstep and reports what it received.

``python -m tests.bridge.stack_node JSON`` with: node, namespace, ack, topics ({topic: type}), and
optionally command ({topic, type, linear, angular, until_ns}), silent_from_ns, reliability. It
prints one JSON line for each tick.
"""

import importlib
import json
import os
import sys
import time
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Header

from fieldproof_bridge._node import Inlet

DEPTH = 1000
LATCHED = ("tf_static", "robot_description", "faults")


def get_message(ros_type: str) -> type[Any]:
    package, _, name = ros_type.split("/")
    return getattr(importlib.import_module(f"{package}.msg"), name)


def plain(value: Any) -> Any:
    if hasattr(value, "get_fields_and_field_types"):
        return {field: plain(getattr(value, field)) for field in value.get_fields_and_field_types()}
    if isinstance(value, str | bool | int | float):
        return value
    return [plain(item) for item in (value.tolist() if hasattr(value, "tolist") else value)]


class Stack:
    def __init__(self, context: Context, options: dict[str, Any]) -> None:
        self.options = options
        self.node = Node(
            options["node"],
            namespace=options["namespace"],
            context=context,
            start_parameter_services=False,
            enable_rosout=False,
        )
        qos = QoSProfile(
            depth=DEPTH,
            reliability=ReliabilityPolicy[options.get("reliability", "RELIABLE")],
        )
        latched = QoSProfile(depth=DEPTH, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.subscriptions = {
            topic: self.node.create_subscription(
                get_message(ros_type),
                topic,
                print,
                latched if topic.split("/")[-1] in LATCHED else qos,
            )
            for topic, ros_type in options["topics"].items()
        }
        self.inlets = {
            topic: Inlet(subscription, context, get_message(options["topics"][topic]))
            for topic, subscription in self.subscriptions.items()
        }
        clock = self.node.create_subscription(Clock, "/clock", print, QoSProfile(depth=DEPTH))
        self.clock = Inlet(clock, context, Clock)
        self.acks = self.node.create_publisher(Header, options["ack"], QoSProfile(depth=DEPTH))
        command = options.get("command")
        self.until_ns = (command or {}).get("until_ns", sys.maxsize)
        self.commands = (
            self.node.create_publisher(get_message(command["type"]), command["topic"], qos)
            if command
            else None
        )

    def matched(self) -> bool:
        publishers = [self.acks] if self.commands is None else [self.acks, self.commands]
        return all(s.get_publisher_count() for s in self.subscriptions.values()) and all(
            p.get_subscription_count() for p in publishers
        )

    def tick(self, clock: Clock) -> None:
        time_ns = clock.clock.sec * 1_000_000_000 + clock.clock.nanosec
        if time_ns == 0 and not self.matched():
            return
        received = []
        for topic, inlet in self.inlets.items():
            while (message := inlet.take()) is not None:
                received.append({"topic": topic, "message": plain(message)})
        sys.stdout.write(json.dumps({"time_ns": time_ns, "received": received}) + "\n")
        sys.stdout.flush()
        if self.commands is not None and 0 < time_ns <= self.until_ns:
            for factor in (0.5, 1.0):  # the second one is the one that counts
                self.commands.publish(self.command(factor))
            self.commands.wait_for_all_acked(Duration(seconds=5))
        if time_ns < self.options.get("silent_from_ns", time_ns + 1):
            self.acks.publish(Header(stamp=clock.clock, frame_id=self.options["node"]))

    def command(self, factor: float) -> Any:
        options = self.options["command"]
        message = get_message(options["type"])()
        twist = getattr(message, "twist", message)
        twist.linear.x = options["linear"] * factor
        twist.angular.z = options["angular"] * factor
        return message

    def run(self) -> None:
        parent = os.getppid()
        while os.getppid() == parent:
            self.clock.wait(time.monotonic() + 0.2)
            while (message := self.clock.take()) is not None:
                self.tick(message)


if __name__ == "__main__":
    context = Context()
    rclpy.init(context=context)
    Stack(context, json.loads(sys.argv[1])).run()
