import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from fieldproof.samples._sample import Sample
from fieldproof.samples._subjects import Subject, subject_of


class _NoValue:
    def __repr__(self) -> str:
        return "NO_VALUE"


NO_VALUE: Final = _NoValue()
"""What a signal reads from a sample that does not carry it."""

_CLOCK_METRICS = frozenset({"sim_time", "rtf"})
_POSE_METRICS = frozenset({"x", "y", "z", "yaw", "distance_to"})


@dataclass(frozen=True, slots=True)
class PlannedSignal:
    """A signal of the scenario with its names resolved: where in the stream its value stands.

    Attributes:
        topic: The absolute topic; empty for a metric.
        field: The field of the topic's messages; empty for a metric.
        metric: `sim_time` (s), `rtf`, or of the model's ground truth in the world frame `x`, `y`,
            `z`, `distance_to` (m), `yaw` (rad); empty for a topic.
        model: The model whose ground truth a pose metric reads; empty otherwise.
        target: (x, y) in metres in the world frame, for `distance_to`.
    """

    topic: str = ""
    field: str = ""
    metric: str = ""
    model: str = ""
    target: tuple[float, float] | None = None

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "PlannedSignal":
        """Return the signal that a plan describes; other keys are left alone.

        Raises:
            ValueError: It is neither a topic's field nor a known metric.
        """
        target = data.get("target")
        signal = cls(
            topic=data.get("topic") or "",
            field=data.get("field") or "",
            metric=data.get("metric") or "",
            model=data.get("model") or "",
            target=(float(target["x"]), float(target["y"])) if target else None,
        )
        if not signal._is_readable():
            raise ValueError(f"no signal can be read from {dict(data)!r}")
        return signal

    def _is_readable(self) -> bool:
        if not self.metric:
            return bool(self.topic and self.field)
        if self.metric == "distance_to" and self.target is None:
            return False
        return self.metric in _CLOCK_METRICS or (self.metric in _POSE_METRICS and bool(self.model))

    @property
    def subject(self) -> Subject:
        """The subject of the samples that carry the signal."""
        if not self.metric:
            return ("value", self.topic, self.field)
        return ("clock",) if self.metric in _CLOCK_METRICS else ("pose", self.model)

    def value_of(self, sample: Sample) -> Any:
        """Return the signal's value in a sample, or `NO_VALUE` if the sample does not carry it."""
        return self.reader()(sample) if subject_of(sample) == self.subject else NO_VALUE

    def reader(self) -> Callable[[Sample], Any]:
        """Return a function that reads the value from samples of the signal's subject.

        It returns `NO_VALUE` where such a sample does not carry it.
        """
        if not self.metric:
            return lambda sample: sample.data["value"]
        if self.metric == "sim_time":
            return lambda sample: NO_VALUE if sample.sim is None else sample.sim
        if self.metric == "rtf":
            return lambda sample: _known(sample.data.get("rtf"))
        if self.target is not None:
            x, y = self.target
            return lambda sample: math.hypot(sample.data["x"] - x, sample.data["y"] - y)
        metric = self.metric
        return lambda sample: sample.data[metric]


def _known(value: Any) -> Any:
    return NO_VALUE if value is None else value
