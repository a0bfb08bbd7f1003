from typing import Annotated, Literal

from pydantic import Field

from fieldproof.model._names import Name, TopicName
from fieldproof.model._placements import Metres, Radians
from fieldproof.model._strict import Strict


class PoseSource(Strict):
    """Where a recording says where a model is, and where that frame lies in the world."""

    topic: TopicName = Field(description="A topic of odometry or poses, as it was recorded.")
    x: Metres = Field(default=0.0, description="Metres east of the topic's frame in the world.")
    y: Metres = Field(default=0.0, description="Metres north of the topic's frame in the world.")
    z: Metres = Field(default=0.0, description="Metres up of the topic's frame in the world.")
    yaw: Radians = Field(default=0.0, description="Heading of the topic's frame in the world.")


class RecordingMap(Strict):
    """How the names of a scenario are found in a recording that no scenario made."""

    apiVersion: Literal["fieldproof.dev/v0alpha1"]  # noqa: N815 - the file's own spelling
    kind: Literal["RecordingMap"]
    description: str = ""
    topics: Annotated[dict[TopicName, TopicName], Field(max_length=1000)] = Field(
        default_factory=dict,
        description="The scenario's absolute topics by the names that they were recorded under.",
    )
    poses: Annotated[dict[Name, PoseSource], Field(max_length=1000)] = Field(
        default_factory=dict, description="Where each model of the scenario is, by its name."
    )
