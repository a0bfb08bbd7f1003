"""Parameters with ranges; most are fixed once the node runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcl_interfaces.msg import ParameterDescriptor

from ugv_nav._messages import NANO

if TYPE_CHECKING:
    from rclpy.node import Node


def read_number(
    node: Node, name: str, default: float, *, low: float = 0.0, is_fixed: bool = True
) -> float:
    """Declare a float parameter and return its value.

    Args:
        node: whose parameter it is.
        name: its name, with the unit.
        default: its value unless overridden.
        low: the value must lie above this.
        is_fixed: whether it is read-only at run time.

    Raises:
        ValueError: if the value does not lie above `low`.
    """
    descriptor = ParameterDescriptor(description=f"above {low:g}", read_only=is_fixed)
    value = float(node.declare_parameter(name, default, descriptor).value)
    if not value > low:
        raise ValueError(f"{node.get_name()}: {name} must be above {low:g} (got {value:g})")
    return value


def read_period_ns(node: Node, default_s: float) -> int:
    """Declare `period_s`, the simulation time from an act to the next, and return it."""
    return round(read_number(node, "period_s", default_s) * NANO)
