from typing import Annotated, Literal

from pydantic import Field

from fieldproof.model._durations import Duration, PositiveDuration
from fieldproof.model._names import FileName, Name
from fieldproof.model._placements import Metres, Pose, Radians
from fieldproof.model._strict import Strict


class Frame(Strict):
    """A named place: metres in the world frame, heading in radians counter-clockwise from x."""

    x: Metres
    y: Metres
    z: Metres = 0.0
    yaw: Radians = 0.0
    description: str = ""

    def pose(self) -> Pose:
        """Return the place as a pose."""
        return Pose(self.x, self.y, self.z, self.yaw)


class Origin(Strict):
    """Where the world's origin lies on the WGS 84 ellipsoid; x is east, y north."""

    latitude_deg: Annotated[float, Field(ge=-90, le=90)]
    longitude_deg: Annotated[float, Field(ge=-180, le=180)]
    altitude_m: Annotated[float, Field(ge=-1e4, le=1e5)] = 0.0


class Physics(Strict):
    """How the simulator steps."""

    step_s: PositiveDuration = Field(default=Duration(2_000_000), description="The physics step.")


class World(Strict):
    """A world: its geometry, its named frames, its place on Earth and its physics."""

    apiVersion: Literal["fieldproof.dev/v0alpha1"]  # noqa: N815 - the file's own spelling
    kind: Literal["World"]
    name: Name
    description: str = ""
    sdf: FileName = Field(default="world.sdf", description="The geometry, beside this file.")
    frames: dict[Name, Frame] = Field(default_factory=dict)
    origin: Origin
    physics: Physics = Field(default_factory=Physics)
