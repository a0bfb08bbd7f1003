from collections.abc import Mapping

from fieldproof.samples._sample import Sample

Subject = tuple[str, ...]
"""What a sample is about: its kind, then what tells its streams apart, such as a topic."""

_NAMED: Mapping[str, tuple[str, ...]] = {
    "pose": ("model",),
    "rate": ("topic",),
    "value": ("topic", "field"),
    "field_error": ("topic", "field"),
    "contact": ("vehicle",),
    "latency": ("topic",),
    "lifecycle": ("node",),
    "resource": ("vehicle", "role"),
}


def subject_of(sample: Sample) -> Subject:
    """Return what the sample is about, such as `("value", "/ugv1/odom", "pose.pose.position.x")`.

    Samples of one subject form one signal: poses by model, rates and latencies by topic, values
    and field errors by topic and field, contacts by vehicle, lifecycle states by node, resources
    by vehicle and role. The other kinds have one subject each, the kind alone.
    """
    names = _NAMED.get(sample.kind)
    if names is None:
        return (sample.kind,)
    data = sample.data
    if len(names) == 1:
        return (sample.kind, data[names[0]])
    return (sample.kind, *(data.get(name) or "" for name in names))
