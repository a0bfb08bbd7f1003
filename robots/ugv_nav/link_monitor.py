"""Watches the heartbeat of the ground station and says when the link is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from std_msgs.msg import Bool, Header

from ugv_nav._link import LinkJudge, check_timeout
from ugv_nav._main import run_node
from ugv_nav._messages import NANO, to_stamp
from ugv_nav._parameters import read_number, read_period_ns
from ugv_nav._ticked import RELIABLE, Inbox, Origin, Ticked

if TYPE_CHECKING:
    from collections.abc import Sequence

LINK_LOST = "lost"
LINK_UP = "up"


class LinkMonitor:
    """Publishes the state of the ground link.

    `link_state` (std_msgs/Bool) is true while the link is lost; it is for people and tests.
    `link_status` (std_msgs/Header) says the same with a stamp, `lost` or `up` in its frame_id,
    for the stack's own nodes. Without any heartbeat ever the link does not count as lost.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._judge = LinkJudge()
        self._was_lost = False
        self._timeout_s = read_number(node, "loss_timeout_s", 2.0, is_fixed=False)
        if problem := check_timeout(self._timeout_s):
            raise ValueError(problem)
        node.add_on_set_parameters_callback(self._check)
        self._ticked = Ticked(node, period_ns=read_period_ns(node, 0.1))
        # The ground station is not part of the vehicle: it may never be there.
        self._ticked.subscribe(
            "ground_heartbeat", Header, origin=Origin.SENSOR, publishers=0, qos=RELIABLE
        )
        self._state = self._ticked.advertise("link_state", Bool)
        self._status = self._ticked.advertise("link_status", Header, subscribers=2)

    def run(self) -> None:
        """Follow the clock until shut down."""
        self._ticked.run(self._act)

    def _act(self, now_ns: int, inbox: Inbox) -> None:
        if inbox.all("ground_heartbeat"):
            self._judge.hear(now_ns)
        is_lost = self._judge.is_lost(now_ns, round(self._timeout_s * NANO))
        if is_lost != self._was_lost:
            self._was_lost = is_lost
            self._node.get_logger().info("ground link lost" if is_lost else "ground link is back")
        self._state.publish(Bool(data=is_lost))
        self._status.publish(
            Header(stamp=to_stamp(now_ns), frame_id=LINK_LOST if is_lost else LINK_UP)
        )

    def _check(self, parameters: Sequence[Any]) -> Any:
        """Refuse a timeout out of range; take a good one over from the next tick on."""
        for parameter in parameters:
            if parameter.name == "loss_timeout_s":
                if not isinstance(parameter.value, float):
                    return SetParametersResult(
                        successful=False, reason="loss_timeout_s must be a float"
                    )
                if problem := check_timeout(parameter.value):
                    return SetParametersResult(successful=False, reason=problem)
                self._timeout_s = parameter.value
        return SetParametersResult(successful=True)


def main() -> None:
    """Run the node `link_monitor`."""
    run_node(lambda: Node("link_monitor"), LinkMonitor)


if __name__ == "__main__":
    main()
