from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from fieldproof.samples._sample import Sample

_Item = TypeVar("_Item")

Subject = tuple[str, ...]
"""What a sample is about: its kind, then what tells its streams apart, such as a topic."""

_SUBJECTS: Mapping[str, Callable[[Mapping[str, Any]], Subject]] = {
    "pose": lambda data: ("pose", data["model"]),
    "gone": lambda data: ("gone", data["model"]),
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

    Samples of one subject form one signal: poses by model, as is
    their being gone, rates and latencies by topic, values
    and field errors by topic and field, contacts by vehicle, lifecycle states by node, resources
    by vehicle and role. The other kinds have one subject each, the kind alone.
    """
    subject = _SUBJECTS.get(sample.kind)
    return (sample.kind,) if subject is None else subject(sample.data)


class BySubject(Generic[_Item]):
    """What is kept for some subjects, found by a sample about one of them.

    It is asked for every sample of a run: those that come most often, values and poses, are found
    without making their subject.

    Args:
        items: What is kept, by its subject.
    """

    def __init__(self, items: Mapping[Subject, _Item]) -> None:
        self._items = dict(items)
        self._poses = {subject[1]: item for subject, item in items.items() if subject[0] == "pose"}
        self._values: dict[str, dict[str, _Item]] = {}
        for subject, item in items.items():
            if subject[0] == "value":
                self._values.setdefault(subject[1], {})[subject[2]] = item

    def of(self, sample: Sample) -> _Item | None:
        """Return what is kept for the subject of a sample; None where nothing is."""
        kind = sample.kind
        if kind == "value":
            fields = self._values.get(sample.data["topic"])
            return None if fields is None else fields.get(sample.data["field"])
        if kind == "pose":
            return self._poses.get(sample.data["model"])
        return self._items.get(subject_of(sample))
