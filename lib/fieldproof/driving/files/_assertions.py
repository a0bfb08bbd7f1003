from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, model_validator

from fieldproof.driving.files._names import ActorName, Speed
from fieldproof.model import Name, Problem, Strict, faults

Severity = Literal["critical", "high", "medium", "low"]
BLOCKING: frozenset[str] = frozenset({"critical", "high"})
"""The severities whose failure fails the scenario."""

SEVERITIES: tuple[str, ...] = get_args(Severity)


class DrivingAssertion(Strict):
    """What every assertion over the frames of an episode has."""

    name: Name = Field(description="What it is called in results and reports.")
    type: str = Field(description="Which kind of assertion it is.")
    severity: Severity = Field(
        default="high", description="critical and high fail the scenario, medium and low do not."
    )

    @property
    def blocking(self) -> bool:
        """Whether its failure fails the scenario."""
        return self.severity in BLOCKING


class NoCollision(DrivingAssertion):
    """The ego collides with no actor of the type, or with none at all."""

    type: Literal["no_collision"]
    actor_type: ActorName | None = None


class MinDistance(DrivingAssertion):
    """The ego keeps at least a distance from every actor of the type."""

    type: Literal["min_distance"]
    actor_type: ActorName | None = Field(default=None, description="Every actor when absent.")
    threshold: Annotated[float, Field(ge=0, le=1e6)] = Field(description="Metres.")


class MaxSpeed(DrivingAssertion):
    """The ego is never faster than a limit."""

    type: Literal["max_speed"]
    max_speed: Speed | None = Field(default=None, description="Metres a second.")
    threshold: Speed | None = Field(default=None, description="The same as max_speed.")

    @property
    def limit(self) -> float:
        """The limit in metres a second."""
        limit = self.threshold if self.max_speed is None else self.max_speed
        assert limit is not None
        return limit

    @model_validator(mode="after")
    def _one_limit(self) -> "MaxSpeed":
        if (self.max_speed is None) == (self.threshold is None):
            what = "is missing" if self.max_speed is None else "does not go with threshold"
            raise faults("MaxSpeed", [Problem(what, ("max_speed",))])
        return self


class MaxSpeedWhenActorNear(DrivingAssertion):
    """The ego is never faster than a limit while an actor of the type is near."""

    type: Literal["max_speed_when_actor_near"]
    actor_type: ActorName | None = Field(default=None, description="Every actor when absent.")
    distance: Annotated[float, Field(gt=0, le=1e6)] = Field(
        description="Metres up to which an actor is near."
    )
    max_speed: Speed = Field(description="Metres a second.")


class GoalReached(DrivingAssertion):
    """The ego gets to its goal."""

    type: Literal["goal_reached"]


ASSERTION_SPECS: Mapping[str, type[DrivingAssertion]] = {
    "no_collision": NoCollision,
    "min_distance": MinDistance,
    "max_speed": MaxSpeed,
    "max_speed_when_actor_near": MaxSpeedWhenActorNear,
    "goal_reached": GoalReached,
}
"""The assertion types of driving scenarios. Those of robot scenarios can be used as well."""


def plain_spec(spec: DrivingAssertion) -> dict[str, Any]:
    """Return an assertion as JSON data."""
    data: dict[str, Any] = spec.model_dump(mode="json", exclude_none=True)
    return data
