from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

WatchKind = Literal["rate", "value", "contact", "latency", "lifecycle", "model", "resource"]


@dataclass(frozen=True, slots=True)
class Watch:
    """One thing that the observer has to look at for a verdict; holds no limits.

    Attributes:
        kind: What is looked at; decides which of the other attributes are set.
        topic: Absolute topic of a rate, a value or a latency.
        field: The field of a value.
        message_type: The topic's type; None when it is to be found on the graph.
        window_ns: The sliding window of a rate or a latency.
        vehicle: The vehicle of a contact sensor, or whose processes are measured.
        role: Which of its processes are measured: `vehicle` (the stack's) or `bridge`.
        model: The model whose ground truth is streamed.
        node: Absolute name of a managed node.
    """

    kind: WatchKind
    topic: str | None = None
    field: str | None = None
    message_type: str | None = None
    window_ns: int | None = None
    vehicle: str | None = None
    model: str | None = None
    node: str | None = None
    role: str | None = None


def observation(watches: Iterable[Watch]) -> dict[str, Any]:
    """Return the plan's `observe` part: each watch once, in an order of its own.

    A topic watched with and without a message type is watched with it.
    """
    unique = set(watches)
    types = {one.topic: one.message_type for one in unique if one.message_type is not None}
    kinds: dict[WatchKind, list[dict[str, Any]]] = {kind: [] for kind in _KEYS}
    for one in unique:
        data = {key: getattr(one, key) for key in _KEYS[one.kind]}
        if "message_type" in data:
            data["message_type"] = types.get(one.topic)
        if data not in kinds[one.kind]:
            kinds[one.kind].append(data)
    for listed in kinds.values():
        listed.sort(key=lambda data: [(value is not None, value or 0) for value in data.values()])
    return {
        "models": [data["model"] for data in kinds["model"]],
        "contacts": kinds["contact"],
        "rates": kinds["rate"],
        "values": kinds["value"],
        "latencies": kinds["latency"],
        "lifecycles": kinds["lifecycle"],
        "resources": kinds["resource"],
    }


_KEYS: dict[WatchKind, tuple[str, ...]] = {
    "model": ("model",),
    "contact": ("vehicle",),
    "rate": ("topic", "window_ns", "message_type"),
    "value": ("topic", "field", "message_type"),
    "latency": ("topic", "window_ns", "message_type"),
    "lifecycle": ("node",),
    "resource": ("vehicle", "role"),
}
