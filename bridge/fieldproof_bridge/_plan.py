"""What a vehicle's bridge will route, known before any process starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fieldproof_bridge._contract import KNOWN_TYPES, route_specs
from fieldproof_bridge._faults import FAULTS
from fieldproof_bridge._manifest import Manifest

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class PlannedRoute:
    """A route of a bridge that is not running yet.

    Attributes:
        name: a sensor's name, or odometry, joint_states, battery, command.
        topic: its absolute topic.
        kind: what travels on it.
        faults: the faults that it takes, in the order in which they act.
    """

    name: str
    topic: str
    kind: str
    faults: tuple[str, ...]


def planned_routes(namespace: str, manifest: Mapping[str, Any]) -> list[PlannedRoute]:
    """Return the routes of a vehicle; what the bridge cannot carry is left out.

    Args:
        namespace: the vehicle's ROS namespace, with or without slashes around it.
        manifest: its manifest as parsed.

    Raises:
        ConfigError: the manifest cannot be used.
    """
    prefix = "/" + namespace.strip("/") if namespace.strip("/") else ""

    def absolute(topic: str) -> str:
        return topic if topic.startswith("/") else f"{prefix}/{topic}"

    return [
        PlannedRoute(spec.name, spec.topic, spec.kind, FAULTS[spec.kind])
        for spec in route_specs(Manifest.parse(dict(manifest)), absolute)
        if spec.ros_type in KNOWN_TYPES.get(spec.kind, ())
    ]
