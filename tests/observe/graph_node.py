"""A managed node that does what it is told, line by line, while it serves its services.

`python -m tests.observe.graph_node JSON` with name, namespace, and parameters ({name: value}); it
refuses values above 100. Each line on its input is one `{op, ...}`, each line on its output the
answer.
"""

import json
import sys
import threading
import time
from typing import Any

import rclpy
from rcl_interfaces.msg import SetParametersResult
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from fieldproof.observe._fill import filled
from fieldproof.observe._topics import message_type


class Told:
    def __init__(self, options: dict[str, Any]) -> None:
        self.node = LifecycleNode(
            options["name"], namespace=options.get("namespace", "/ugv1"), enable_rosout=False
        )
        for name, value in options.get("parameters", {}).items():
            self.node.declare_parameter(name, value)
        self.node.add_on_set_parameters_callback(self.judge)
        self.publishers: dict[str, Any] = {}
        self.received: dict[str, list[str]] = {}

    def judge(self, parameters: list[Any]) -> SetParametersResult:
        for parameter in parameters:
            if isinstance(parameter.value, float | int) and parameter.value > 100:
                reason = f"{parameter.name} must be at most 100"
                return SetParametersResult(successful=False, reason=reason)
        return SetParametersResult(successful=True)

    def hello(self) -> None:
        pass

    def parameter(self, name: str) -> Any:
        return self.node.get_parameter(name).value

    def await_listener(self, topic: str) -> None:
        while not self.node.count_subscribers(topic):
            time.sleep(0.002)  # the graph has no event that rclpy can wait for here

    def transition(self, name: str) -> str:
        getattr(self.node, f"trigger_{name}")()
        return self.node._state_machine.current_state[1]

    def advertise(
        self,
        topic: str,
        type: str,  # noqa: A002
        *,
        reliable: bool = True,
        latched: bool = False,
        depth: int = 1000,
    ) -> None:
        qos = QoSProfile(
            depth=depth,
            reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
            durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
        )
        kind = message_type(type, topic)
        self.publishers[topic] = (kind, self.node.create_publisher(kind, topic, qos))

    def publish(
        self, topic: str, fields: dict[str, Any], *, count: int = 1, heard: bool = True
    ) -> None:
        """Publish to whoever is there; if it is to be heard, wait for a subscription, and for it."""
        kind, publisher = self.publishers[topic]
        message = filled(kind(), fields)
        while heard and not publisher.get_subscription_count():
            time.sleep(0.002)  # the graph has no event that rclpy can wait for here
        for _ in range(count):
            publisher.publish(message)
        if heard:
            assert publisher.wait_for_all_acked(Duration(seconds=20))

    def subscribe(self, topic: str, type: str) -> None:  # noqa: A002
        received = self.received[topic] = []
        self.node.create_subscription(
            message_type(type, topic), topic, lambda message: received.append(str(message)), 100
        )

    def heard(self, topic: str, at_least: int = 0) -> list[str]:
        """What has come on a topic, once so much has: what is delivered may not be taken yet."""
        while len(self.received[topic]) < at_least:
            time.sleep(0.002)  # another thread takes it
        return self.received[topic]


if __name__ == "__main__":
    rclpy.init()
    told = Told(json.loads(sys.argv[1]))
    executor = SingleThreadedExecutor()
    executor.add_node(told.node)
    spinning = threading.Thread(target=executor.spin, daemon=True)
    spinning.start()
    for line in sys.stdin:
        request = json.loads(line)
        answer = getattr(told, request.pop("op"))(**request)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
