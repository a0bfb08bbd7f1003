import math
from typing import Final

_A: Final = 6378137.0
_F: Final = 1 / 298.257223563
_E2: Final = _F * (2 - _F)


class LocalFrame:
    """Converts metres east, north and up of an origin on Earth to WGS84.

    Goes through Earth-centred coordinates on the ellipsoid of NIMA TR 8350.2, so it holds at any
    distance; the way back to latitude is iterated to below a micrometre.
    """

    def __init__(self, latitude_deg: float, longitude_deg: float, altitude_m: float) -> None:
        self._origin = _to_ecef(math.radians(latitude_deg), math.radians(longitude_deg), altitude_m)
        sin_lat, cos_lat = _sin_cos(latitude_deg)
        sin_lon, cos_lon = _sin_cos(longitude_deg)
        self._axes = (
            (-sin_lon, cos_lon, 0.0),
            (-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat),
            (cos_lat * cos_lon, cos_lat * sin_lon, sin_lat),
        )

    def to_geodetic(self, x: float, y: float, z: float) -> tuple[float, float, float]:
        """Return latitude and longitude in degrees and altitude in metres of an ENU point."""
        east, north, up = self._axes
        cx, cy, cz = (
            origin + x * e + y * n + z * u
            for origin, e, n, u in zip(self._origin, east, north, up, strict=True)
        )
        return _to_geodetic(cx, cy, cz)


def _sin_cos(degrees: float) -> tuple[float, float]:
    radians = math.radians(degrees)
    return math.sin(radians), math.cos(radians)


def _to_ecef(latitude: float, longitude: float, altitude: float) -> tuple[float, float, float]:
    sin_lat, cos_lat = math.sin(latitude), math.cos(latitude)
    normal = _A / math.sqrt(1 - _E2 * sin_lat * sin_lat)
    return (
        (normal + altitude) * cos_lat * math.cos(longitude),
        (normal + altitude) * cos_lat * math.sin(longitude),
        (normal * (1 - _E2) + altitude) * sin_lat,
    )


def _to_geodetic(x: float, y: float, z: float) -> tuple[float, float, float]:
    across = math.hypot(x, y)
    latitude = math.atan2(z, across * (1 - _E2))
    for _ in range(6):  # each round gains over two digits near the surface
        sin_lat = math.sin(latitude)
        normal = _A / math.sqrt(1 - _E2 * sin_lat * sin_lat)
        latitude = math.atan2(z + _E2 * normal * sin_lat, across)
    sin_lat, cos_lat = math.sin(latitude), math.cos(latitude)
    # This form holds at the poles too, where across / cos_lat does not.
    altitude = across * cos_lat + z * sin_lat - _A * math.sqrt(1 - _E2 * sin_lat * sin_lat)
    return math.degrees(latitude), math.degrees(math.atan2(y, x)), altitude
