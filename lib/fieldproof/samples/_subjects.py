from collections.abc import Callable, Mapping
from typing import Any

from fieldproof.samples._sample import Sample

Subject = tuple[str, ...]
"""What a sample is about: its kind, then what tells its streams apart, such as a topic."""

_SUBJECTS: Mapping[str, Callable[[Mapping[str, Any]], Subject]] = {
    "pose": lambda data: ("pose", data["model"]),
    "rate": lambda data: ("rate", data["topic"]),
    "value": lambda data: ("value", data["topic"], data["field"]),
    "field_error": lambda data: ("field_error", data["topic"], data["field"]),
    "contact": lambda data: ("contact", data["vehicle"]),
    "latency": lambda data: ("latency", data["topic"]),
    "lifecycle": lambda data: ("lifecycle", data["node"]),
    "resource": lambda data: ("resource", data.get("vehicle") or "", data["role"]),
}


def subject_of(sample: Sample) -> Subject:
    """Return what the sample is about, such as `("value", "/ugv1/odom", "pose.pose.position.x")`.

    Samples of one subject form one signal: poses by model, rates and latencies by topic, values
    and field errors by topic and field, contacts by vehicle, lifecycle states by node, resources
    by vehicle and role. The other kinds have one subject each, the kind alone.
    """
    subject = _SUBJECTS.get(sample.kind)
    return (sample.kind,) if subject is None else subject(sample.data)
