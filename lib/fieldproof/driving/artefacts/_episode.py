"""The files of one episode, as models for their schemas."""

from typing import Any, Literal

from pydantic import Field, RootModel

from fieldproof.driving.artefacts._closed_loop import Artefact, Count, Event, Version


class EgoState(Artefact):
    """The ego; metres, degrees, metres a second."""

    x: float
    y: float
    yaw: float
    speed: float
    z: float | None = None


class ActorState(EgoState):
    """An actor."""

    id: str
    type: str


class Frame(Artefact):
    """A line of episodes/<id>.jsonl, and a frame of the replay."""

    t: float = Field(description="Seconds since the start, at the end of the step.")
    frame_index: Count
    ego: EgoState
    actors: list[ActorState]
    action: dict[str, Any]
    events: list[Event]
    robot: dict[str, Any] | None = None


class StepLine(Artefact):
    """A line of episodes/<id>.steps.jsonl."""

    t: float
    frame_index: Count
    observation: dict[str, Any]
    sim_state: dict[str, Any]
    info: dict[str, Any]


class Timeline(Artefact):
    """replay/<id>.timeline.json."""

    schema_version: Version = Field(default="1.0", description="Absent in older files.")
    scenario_id: str
    duration_seconds: float
    frames: list[Frame]
    events: list[Event]


class TimelineEvent(Artefact):
    """One readable event."""

    type: str
    timestamp: float
    severity: Literal["info", "low", "medium", "high", "critical"]
    title: str
    description: str
    frame_index: Count | None = None
    actor_id: str | None = None
    related_actor_id: str | None = None


class TimelineEvents(RootModel[list[TimelineEvent]]):
    """replay/<id>.timeline_events.json; a list, which has no place for a version."""


class Geometry(Artefact):
    """A point or a line."""

    type: Literal["Point", "LineString"]
    coordinates: list[float] | list[list[float]]


class Feature(Artefact):
    """The way of somebody, or an event."""

    type: Literal["Feature"]
    geometry: Geometry
    properties: dict[str, Any]


class CrsName(Artefact):
    """The name of a coordinate reference system."""

    name: str


class Crs(Artefact):
    """The coordinate reference system."""

    type: Literal["name"]
    name: str
    properties: CrsName


class Ways(Artefact):
    """replay/<id>.geojson."""

    schema_version: Version = Field(default="1.0", description="Absent in older files.")
    type: Literal["FeatureCollection"]
    scenario_id: str
    crs: Crs
    coordinate_system: str
    coordinate_transform: dict[str, Any] | None = None
    features: list[Feature]
