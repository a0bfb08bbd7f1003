from collections.abc import Mapping
from typing import Any

from fieldproof_sim.mock import closest_approach

_Away = tuple[float, float, float]

Near = tuple[tuple[str, float, str], ...]
"""The type of each actor that was seen, metres to it, and its id."""


class Approach:
    """Measures how near the ego comes to each actor, between frames as well.

    From one frame to the next everybody is taken to move evenly, so that a distance is the
    smallest since the frame before. Distances are level, and in space for what flies.
    """

    def __init__(self, initial: Mapping[str, Any]) -> None:
        """Take the state before the first step: `ego` and `actors`."""
        self._places: dict[str, _Away] = {}
        self.near: Near = ()
        self.take(initial)

    def take(self, frame: Mapping[str, Any]) -> Near:
        """Return how near each actor came since the frame before."""
        ego, before = frame["ego"], self._places
        self._places = {actor["id"]: _away(ego, actor) for actor in frame["actors"]}
        self.near = tuple(
            (actor["type"], closest_approach(before.get(actor["id"], here), here), actor["id"])
            for actor, here in zip(frame["actors"], self._places.values(), strict=True)
        )
        return self.near


def nearest(near: Near, actor_type: str | None) -> float | None:
    """Return metres to the nearest actor of a type, or of any; None without one."""
    return min((m for kind, m, _ in near if actor_type in {None, kind}), default=None)


def nearest_actor(near: Near, actor_type: str | None) -> str | None:
    """Return the id of the nearest actor of a type, or of any; None without one."""
    found = [(m, name) for kind, m, name in near if actor_type in {None, kind}]
    return min(found)[1] if found else None


def _away(ego: Mapping[str, Any], actor: Mapping[str, Any]) -> _Away:
    up = actor.get("z", 0.0) - ego["z"] if "altitude" in ego else 0.0
    return (actor["x"] - ego["x"], actor["y"] - ego["y"], up)
