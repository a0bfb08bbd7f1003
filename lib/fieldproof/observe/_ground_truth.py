"""The simulator's own account of the world, as samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

_NS = 1e9


class Presence:
    """Follows which of the watched models are in the world.

    Args:
        models: the watched models.
    """

    def __init__(self, models: frozenset[str]) -> None:
        self._models = models
        self._here: frozenset[str] = frozenset()

    def samples(self, data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """One `gone` sample for each watched model that a pose frame is the first to lack.

        Such a model was in the frame before; the samples come in order of name.
        """
        here = self._models.intersection(model["name"] for model in data["models"])
        for model in sorted(self._here - here):
            yield {"kind": "gone", "sim": data["time_ns"] / _NS, "model": model}
        self._here = here


def pose_samples(data: Mapping[str, Any], models: frozenset[str]) -> Iterator[dict[str, Any]]:
    """One `pose` sample for each watched model of a pose frame (world frame, metres, radians)."""
    sim = data["time_ns"] / _NS
    teleported = data.get("teleported", ())
    for model in data["models"]:
        if model["name"] not in models:
            continue
        jumped = {"teleported": True} if model["name"] in teleported else {}
        quaternion = {axis: model[axis] for axis in ("qx", "qy", "qz", "qw")}
        yield {
            "kind": "pose",
            "sim": sim,
            "model": model["name"],
            "x": model["x"],
            "y": model["y"],
            "z": model["z"],
            "yaw": yaw_of(**quaternion),
            **quaternion,
            **jumped,
        }


def contact_samples(vehicle: str, data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One `contact` sample for each touching pair of a contact frame."""
    for contact in data["contacts"]:
        yield {
            "kind": "contact",
            "sim": data["time_ns"] / _NS,
            "vehicle": vehicle,
            "collision1": contact["collision1"],
            "collision2": contact["collision2"],
            "count": contact["count"],
        }


def yaw_of(*, qx: float, qy: float, qz: float, qw: float) -> float:
    """Heading in radians, in (-pi, pi], counter-clockwise from the world's x axis (REP-103)."""
    return math.atan2(2.0 * (qw * qz + qx * qy), 1.0 - 2.0 * (qy * qy + qz * qz))
