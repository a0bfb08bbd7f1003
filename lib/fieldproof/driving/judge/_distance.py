import math
from collections.abc import Iterator, Mapping
from typing import Any


def distance(ego: Mapping[str, Any], actor: Mapping[str, Any]) -> float:
    """Return metres between ego and actor: in space for what flies, else on the level."""
    up = actor.get("z", 0.0) - ego["z"] if "altitude" in ego else 0.0
    return math.hypot(actor["x"] - ego["x"], actor["y"] - ego["y"], up)


def distances(frame: Mapping[str, Any], actor_type: str | None) -> Iterator[float]:
    """Yield the distance to each actor of a type, or to each at all."""
    for actor in frame["actors"]:
        if actor_type is None or actor["type"] == actor_type:
            yield distance(frame["ego"], actor)
