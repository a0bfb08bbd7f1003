import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from fieldproof.model._names import Name
from fieldproof.model._problems import Problem, fault, faults
from fieldproof.model._strict import Strict

Metres = Annotated[float, Field(ge=-1e6, le=1e6)]
_TURN = 6.2832


def _within_a_turn(value: float) -> float:
    if abs(value) <= _TURN:
        return value
    hint = f"{value:g} degrees are {math.radians(math.remainder(value, 360.0)):.5g}"
    raise fault(f"must be between -2 pi and 2 pi, in radians (got {value:g})", hint=hint)


Radians = Annotated[
    float,
    AfterValidator(_within_a_turn),
    Field(json_schema_extra={"minimum": -_TURN, "maximum": _TURN}),
]
"""An angle; more than a turn is refused, since it was meant as degrees."""


@dataclass(frozen=True, slots=True)
class Pose:
    """A place in the world frame (x east, y north, z up), metres; heading in radians."""

    x: float
    y: float
    z: float = 0.0
    yaw: float = 0.0

    def to_data(self) -> dict[str, float]:
        """Return the pose as JSON data."""
        return {"x": self.x, "y": self.y, "z": self.z, "yaw": self.yaw}

    @classmethod
    def from_data(cls, data: Mapping[str, float]) -> "Pose":
        """Return the pose that `to_data` described."""
        return cls(float(data["x"]), float(data["y"]), float(data["z"]), float(data["yaw"]))


class Placement(Strict):
    """Where something stands in the world: a named frame, or coordinates."""

    frame: Name | None = Field(default=None, description="A frame of the world file.")
    x: Metres | None = Field(default=None, description="Metres east in the world frame.")
    y: Metres | None = Field(default=None, description="Metres north in the world frame.")
    z: Metres | None = Field(default=None, description="Metres up; 0 when absent.")
    yaw: Radians | None = Field(default=None, description="Heading in radians; 0 when absent.")

    @model_validator(mode="after")
    def _one_form(self) -> "Placement":
        numbers = {"x": self.x, "y": self.y, "z": self.z, "yaw": self.yaw}
        if self.frame is not None:
            extra = [key for key, value in numbers.items() if value is not None]
            found = [Problem("does not go with frame", (key,)) for key in extra]
        elif self.x is None and self.y is None:
            found = [Problem("must name a frame, or give x and y")]
        else:
            lacking = [key for key in ("x", "y") if numbers[key] is None]
            found = [Problem("is missing", (key,)) for key in lacking]
        if found:
            raise faults("Placement", found)
        return self

    def pose(self) -> Pose | None:
        """Return the pose that the coordinates give; None when a frame is named instead."""
        if self.x is None or self.y is None:
            return None
        return Pose(self.x, self.y, self.z or 0.0, self.yaw or 0.0)
