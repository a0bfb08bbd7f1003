"""Starting and stopping a node's process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.utilities import try_shutdown

if TYPE_CHECKING:
    from collections.abc import Callable


class _Runnable(Protocol):
    def run(self) -> None: ...


def run_node(make_node: Callable[[], Any], make_logic: Callable[[Any], _Runnable]) -> None:
    """Run a node until SIGINT or SIGTERM, then take it down in order.

    Args:
        make_node: makes the ROS node, after ROS is initialised from the command line.
        make_logic: gives it its behaviour.
    """
    rclpy.init()
    node = make_node()
    try:
        make_logic(node).run()
    except (ExternalShutdownException, KeyboardInterrupt):
        pass  # asked to stop in the middle of a tick
    except rclpy_implementation.RCLError:
        if node.context.ok():
            raise
        # Asked to stop in the middle of a call, which then found its context gone.
    finally:
        node.destroy_node()
        try_shutdown()
