from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from fieldproof_bridge._conventions import STATUS_NO_FIX

if TYPE_CHECKING:
    from fieldproof_bridge._readings import Fix
    from fieldproof_bridge._route import Held

# WGS 84
_SEMI_MAJOR_M: Final = 6_378_137.0
_ECCENTRICITY_2: Final = 6.694379990141316e-3
_POLE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Deny:
    """No fix: NaN for the place, and nothing known of its covariance. No parameters.

    Whether one holds it or several is the same.
    """

    name: str = "deny"

    def apply(self, reading: Fix, _last: Fix | None, _time_ns: int, _held: Held) -> Fix:
        """The reading without its place."""
        return replace(
            reading,
            status=STATUS_NO_FIX,
            latitude_deg=math.nan,
            longitude_deg=math.nan,
            altitude_m=math.nan,
            covariance_known=False,
        )


@dataclass(frozen=True, slots=True)
class Offset:
    """A fix moved by ``east_m``, ``north_m`` and ``up_m`` at its own latitude; several add up."""

    name: str = "offset"

    def apply(self, reading: Fix, _last: Fix | None, _time_ns: int, held: Held) -> Fix:
        """The reading elsewhere."""
        east_m, north_m, up_m = (
            sum(each[key] for each in held.values()) for key in ("east_m", "north_m", "up_m")
        )
        return moved(reading, east_m, north_m, up_m)


def moved(fix: Fix, east_m: float, north_m: float, up_m: float) -> Fix:
    """A fix moved by metres along the ellipsoid's radii of curvature at its latitude and height.

    The radii are those of the meridian and of the prime vertical (WGS 84). The move is one in the
    fix's tangent plane; over a kilometre at mid-latitudes that is off by a part in ten thousand.
    The poles are not crossed: the latitude ends there.
    """
    latitude = math.radians(fix.latitude_deg)
    flattened = 1.0 - _ECCENTRICITY_2 * math.sin(latitude) ** 2
    vertical_m = _SEMI_MAJOR_M / math.sqrt(flattened)
    meridian_m = vertical_m * (1.0 - _ECCENTRICITY_2) / flattened
    parallel_m = (vertical_m + fix.altitude_m) * max(math.cos(latitude), _POLE)
    north = math.degrees(north_m / (meridian_m + fix.altitude_m))
    east = math.degrees(east_m / parallel_m)
    return replace(
        fix,
        latitude_deg=min(max(fix.latitude_deg + north, -90.0), 90.0),
        longitude_deg=math.remainder(fix.longitude_deg + east, 360.0),
        altitude_m=fix.altitude_m + up_m,
    )
