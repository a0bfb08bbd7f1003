from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from fieldproof.driving.files._actors import Point
from fieldproof.driving.files._names import (
    ActorName,
    Degrees,
    Identifier,
    Metres,
    PassedOn,
    PositiveMetres,
    Version,
)
from fieldproof.model import Problem, Strict, faults

LightState = Literal["red", "yellow", "green", "off"]
Text = Annotated[str, Field(max_length=200)]


class StopLine(Strict):
    """Where traffic waits at a red light: a middle and a width, or two ends."""

    x: Metres | None = None
    y: Metres | None = None
    width: PositiveMetres | None = Field(default=None, description="Metres across the road.")
    yaw: Degrees | None = Field(
        default=None,
        description="Heading of the traffic that it stops, in degrees; the ego's at the start "
        "when absent.",
    )
    start: Point | None = Field(default=None, description="One end; stops both directions.")
    end: Point | None = Field(default=None, description="The other end.")

    @model_validator(mode="after")
    def _one_form(self) -> "StopLine":
        found = list(self._problems())
        if found:
            raise faults("StopLine", found)
        return self

    def _problems(self) -> Iterator[Problem]:
        middle = {"x": self.x, "y": self.y, "width": self.width}
        ends = {"start": self.start, "end": self.end}
        if any(one is not None for one in ends.values()):
            for key, value in ends.items():
                if value is None:
                    yield Problem("is missing", (key,))
            if self.start is not None and self.start == self.end:
                yield Problem("is where start is, so that nobody could cross the line", ("end",))
            for key, given in {**middle, "yaw": self.yaw}.items():
                if given is not None:
                    yield Problem("does not go with start and end", (key,))
            return
        for key, given in middle.items():
            if given is None:
                yield Problem("is missing", (key,), "or give start and end")


class LightChange(Strict):
    """A change of a traffic light."""

    at_seconds: Annotated[float, Field(ge=0, le=86_400)]
    state: LightState


class TrafficLight(Strict):
    """A traffic light with its stop line."""

    id: ActorName
    state: LightState = Field(default="red", description="At the start.")
    stop_line: StopLine
    changes: Annotated[list[LightChange], Field(max_length=1000)] = Field(
        default=[], description="When it shows something else, in the order of time."
    )

    @model_validator(mode="after")
    def _in_order(self) -> "TrafficLight":
        times = [one.at_seconds for one in self.changes]
        for place in range(1, len(times)):
            if times[place] <= times[place - 1]:
                what = f"must be later than the change before (got {times[place]:g})"
                raise faults("TrafficLight", [Problem(what, ("changes", place, "at_seconds"))])
        return self


class Bounds(Strict):
    """The rectangle that the ego may not leave, metres; the edge belongs to it."""

    min_x: Metres
    max_x: Metres
    min_y: Metres
    max_y: Metres

    @model_validator(mode="after")
    def _spans(self) -> "Bounds":
        pairs = (("max_x", self.min_x, self.max_x), ("max_y", self.min_y, self.max_y))
        found = [
            Problem(f"must be above {key.replace('max', 'min')} (got {high:g})", (key,))
            for key, low, high in pairs
            if high <= low
        ]
        if found:
            raise faults("Bounds", found)
        return self


class Road(Strict):
    """The middle line of a road."""

    id: ActorName | None = None
    points: Annotated[list[Point], Field(min_length=2, max_length=10_000)]


class GeoOrigin(Strict):
    """Where the scenario's origin lies on the WGS 84 ellipsoid."""

    latitude: Annotated[float, Field(ge=-90, le=90)]
    longitude: Annotated[float, Field(ge=-180, le=180)]
    altitude: Annotated[float, Field(ge=-1e4, le=1e5)] = 0.0


class CoordinateTransform(Strict):
    """From local metres to degrees of longitude and latitude."""

    type: Literal["local_tangent_plane_wgs84"]
    origin: GeoOrigin
    heading_degrees: Degrees = Field(
        default=0.0,
        description="How far the x axis is turned counter-clockwise from east.",
    )


class ReplayScene(Strict):
    """What surrounds the ego: for the replay, and for what counts as off the road."""

    domain: Text | None = Field(default=None, description="Such as drones; see task types.")
    bounds: Bounds | None = None
    road_paths: Annotated[list[Road], Field(max_length=1000)] = Field(default=[])
    cruise_altitude_m: Annotated[float, Field(ge=0, le=1e5)] | None = Field(
        default=None, description="Height at which a drone starts that has no other."
    )
    coordinate_transform: CoordinateTransform | None = None


class Environment(Strict):
    """Where the scenario plays, and where it comes from."""

    weather: Text = "clear"
    road_type: Text = ""
    speed_limit: Annotated[float, Field(gt=0, le=1000)] | None = Field(
        default=None, description="Kilometres an hour."
    )
    traffic_lights: Annotated[list[TrafficLight], Field(max_length=1000)] = Field(default=[])
    traffic_signals: Annotated[list[TrafficLight], Field(max_length=1000)] = Field(
        default=[], description="The same as traffic_lights."
    )
    mock_offroad_margin: PositiveMetres | None = Field(
        default=None, description="Metres from a road, or the ego's route, that are still on it."
    )
    replay_scene: ReplayScene = Field(default_factory=ReplayScene)
    marketplace_pack: Identifier | None = None
    marketplace_pack_name: Text | None = None
    marketplace_pack_version: Version | None = None
    marketplace_pack_domain: Text | None = None
    marketplace_task_type: Text | None = None
    metric_group: Text | None = None
    domain_metrics: Annotated[Any, PassedOn] = Field(
        default=None, description="Passed on as it is."
    )
    domain_metadata: Annotated[dict[str, Any] | None, PassedOn] = Field(
        default=None, description="Passed on as it is."
    )

    def lights(self) -> tuple[TrafficLight, ...]:
        """Return the traffic lights under either key."""
        return (*self.traffic_lights, *self.traffic_signals)

    def marketplace(self) -> dict[str, Any]:
        """Return what says where the scenario comes from, as it is passed on to a run's files."""
        keys = (
            "marketplace_pack",
            "marketplace_pack_name",
            "marketplace_pack_version",
            "marketplace_pack_domain",
            "marketplace_task_type",
            "metric_group",
            "domain_metrics",
            "domain_metadata",
        )
        return {key: value for key in keys if (value := getattr(self, key)) is not None}
