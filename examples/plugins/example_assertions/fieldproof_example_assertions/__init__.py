"""An assertion of a plugin: a vehicle visits every waypoint of a list, in any order."""

from fieldproof_example_assertions._visits_waypoints import (
    VisitsWaypoints,
    VisitsWaypointsChecker,
    VisitsWaypointsType,
)

__all__ = ["VisitsWaypoints", "VisitsWaypointsChecker", "VisitsWaypointsType"]
