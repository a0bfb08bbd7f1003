from collections.abc import Iterator
from typing import Literal

from pydantic import Field, model_validator

from fieldproof.model._conditions import ValueCondition
from fieldproof.model._names import FieldPath, MessageType, Name, TopicName
from fieldproof.model._placements import Placement
from fieldproof.model._problems import Problem, faults
from fieldproof.model._strict import Strict

RUN_METRICS = frozenset({"sim_time", "rtf"})


class Signal(Strict):
    """A value of the run that changes: a field of a topic's messages, or a metric.

    `sim_time` is in seconds, `x`, `y`, `z` and `distance_to` in metres in the world frame,
    `yaw` in radians; `rtf` is the real-time factor over the last second.
    """

    topic: TopicName | None = Field(default=None, description="The topic that is read.")
    field: FieldPath | None = Field(default=None, description="The field of its messages.")
    message_type: MessageType | None = Field(
        default=None, description="The topic's type; found on the graph when absent."
    )
    metric: Literal["sim_time", "rtf", "x", "y", "z", "yaw", "distance_to"] | None = Field(
        default=None, description="A metric of the run, instead of a topic."
    )
    target: Placement | None = Field(
        default=None, description="Where distance_to measures to, horizontally."
    )
    vehicle: Name | None = Field(default=None, description="Whose topic or ground truth is read.")

    @model_validator(mode="after")
    def _one_source(self) -> "Signal":
        found = list(self._metric_problems() if self.metric else self._topic_problems())
        if found:
            raise faults("Signal", found)
        return self

    def _topic_problems(self) -> Iterator[Problem]:
        if self.topic is None:
            yield Problem("must have a topic and a field, or a metric")
        elif self.field is None:
            yield Problem("is missing", ("field",), "the field of the topic's messages")
        if self.target is not None:
            yield Problem("only goes with metric: distance_to", ("target",))

    def _metric_problems(self) -> Iterator[Problem]:
        for key in ("topic", "field", "message_type"):
            if getattr(self, key) is not None:
                yield Problem("does not go with metric", (key,))
        if self.metric == "distance_to" and self.target is None:
            yield Problem("is missing", ("target",), "what distance_to measures to")
        if self.metric != "distance_to" and self.target is not None:
            yield Problem("only goes with metric: distance_to", ("target",))
        if self.metric in RUN_METRICS and self.vehicle is not None:
            yield Problem(f"does not go with metric: {self.metric}", ("vehicle",))

    @property
    def needs_vehicle(self) -> bool:
        """Whether the signal means nothing without a vehicle of its own or of its entry."""
        if self.metric is not None:
            return self.metric not in RUN_METRICS
        return self.topic is not None and not self.topic.startswith("/")


class When(Signal):
    """A condition of the run that triggers a timeline entry."""

    condition: ValueCondition = Field(description="A condition over value.")
