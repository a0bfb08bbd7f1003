"""The ways of ego and actors as GeoJSON, in local metres or, if the scenario says how, WGS 84."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from fieldproof.driving.artefacts import SCHEMA_VERSION
from fieldproof.driving.files import EGO, CoordinateTransform
from fieldproof_sim.geodesy import LocalFrame

LOCAL_CRS = "urn:roboci:crs:local-simulator-meters"
WGS84_CRS = "urn:ogc:def:crs:OGC:1.3:CRS84"
_DEGREE_DIGITS = 9  # a tenth of a millimetre on the ground

_SKETCHED = 20
_SKETCH_POINTS = 60

_Place = Callable[[float, float], list[float]]


class Ways:
    """Keeps where everybody went."""

    def __init__(self, initial: Mapping[str, Any]) -> None:
        """Take the state before the first step: `ego` and `actors`."""
        self._types = {one["id"]: one["type"] for one in initial["actors"]}
        self._ways: dict[str, list[tuple[float, float]]] = {}
        self._events: list[tuple[Mapping[str, Any], tuple[float, float]]] = []
        self.take({**initial, "events": []})

    def take(self, frame: Mapping[str, Any]) -> None:
        """Take the next frame."""
        ego = frame["ego"]
        here = (ego["x"], ego["y"])
        self._ways.setdefault(EGO, []).append(here)
        for actor in frame["actors"]:
            self._types.setdefault(actor["id"], actor["type"])
            self._ways.setdefault(actor["id"], []).append((actor["x"], actor["y"]))
        self._events += [(event, here) for event in frame["events"]]

    def sketch(self) -> dict[str, list[tuple[float, float]]]:
        """Return some points of each way, the first and the last among them."""
        found: dict[str, list[tuple[float, float]]] = {}
        for name, way in list(self._ways.items())[:_SKETCHED]:
            step = max(1, len(way) // _SKETCH_POINTS)
            found[name] = [*way[:-1:step], way[-1]]
        return found

    def geojson(self, scenario_id: str, transform: CoordinateTransform | None) -> dict[str, Any]:
        """Return the ways and events as a feature collection.

        Args:
            scenario_id: which scenario.
            transform: from local metres to degrees; None to stay with metres.
        """
        place = _local if transform is None else _geodetic(transform)
        features = [self._way(name, way, place) for name, way in self._ways.items()]
        features += [
            {
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": place(*here)},
                "properties": {"kind": "event", **event},
            }
            for event, here in self._events
        ]
        crs = LOCAL_CRS if transform is None else WGS84_CRS
        collection: dict[str, Any] = {
            "type": "FeatureCollection",
            "schema_version": SCHEMA_VERSION,
            "scenario_id": scenario_id,
            "crs": {"type": "name", "name": crs, "properties": {"name": crs}},
        }
        if transform is None:
            collection["coordinate_system"] = _NOTE
        else:
            collection["coordinate_system"] = "WGS 84 longitude and latitude in degrees"
            collection["coordinate_transform"] = transform.model_dump(mode="json")
        return {**collection, "features": features}

    def _way(self, name: str, way: list[tuple[float, float]], place: _Place) -> dict[str, Any]:
        points = [place(x, y) for x, y in way]
        geometry: dict[str, Any] = {"type": "LineString", "coordinates": points}
        if len(points) == 1:
            geometry = {"type": "Point", "coordinates": points[0]}
        kind = "ego" if name == EGO else "actor"
        properties = {"kind": kind, "id": name, "actor_type": self._types.get(name)}
        return {"type": "Feature", "geometry": geometry, "properties": properties}


_NOTE = (
    "Metres in the simulator's local frame, x ahead and y to the left of the scenario's origin; "
    "these are not degrees of longitude and latitude."
)


def _local(x: float, y: float) -> list[float]:
    return [x, y]


def _geodetic(transform: CoordinateTransform) -> _Place:
    origin = transform.origin
    frame = LocalFrame(origin.latitude, origin.longitude, origin.altitude)
    heading = math.radians(transform.heading_degrees)
    cos, sin = math.cos(heading), math.sin(heading)

    def place(x: float, y: float) -> list[float]:
        east, north = x * cos - y * sin, x * sin + y * cos
        latitude, longitude, _ = frame.to_geodetic(east, north, 0.0)
        return [round(longitude, _DEGREE_DIGITS), round(latitude, _DEGREE_DIGITS)]

    return place
