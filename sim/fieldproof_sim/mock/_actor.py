"""Actors: their state, waypoints, and the pattern that moves them otherwise."""

import math
from collections.abc import Mapping
from typing import Any

from fieldproof_sim.mock._patterns import Pattern, Traffic, pattern_of
from fieldproof_sim.mock._plane import degrees, height_of, point_of

_STATIC = "static"


class Actor:
    """One actor. Waypoints come before its pattern, its pattern before its behaviour's type.

    Attributes:
        id, kind: its id and type.
        x, y, z: metres.
        yaw: radians, counter-clockwise from x.
        speed: metres a second.
        declared_speed, declared_yaw: as it started.
        phase: what its pattern is at, such as braking; empty where that is plain.
    """

    def __init__(self, data: Mapping[str, Any], traffic: Traffic) -> None:
        """Read an actor of a scenario."""
        start, behavior = data["start"], data["behavior"]
        self.id: str = data["id"]
        self.kind: str = data["type"]
        self.x, self.y = point_of(start)
        self.z = height_of(start) or 0.0
        self.yaw = self.declared_yaw = math.radians(start["yaw"])
        self.speed = self.declared_speed = float(start["speed"])
        self.phase = ""
        self._waypoints = [(*point_of(one), height_of(one)) for one in behavior["waypoints"]]
        self._next = 0
        self._pattern: Pattern | None = None
        if not self._waypoints:
            self._pattern = pattern_of(behavior["pattern"], self, traffic)
            if self._pattern is None and behavior["type"] == _STATIC:
                self.speed = 0.0

    def advance(self, traffic: Traffic, dt: float) -> None:
        """Move for a step of `dt` seconds, at whose end the ego is where `traffic` says."""
        if self._waypoints:
            self._follow(dt)
        elif self._pattern is not None:
            self._pattern(self, traffic, dt)
        else:
            self.roll(dt)

    def roll(self, dt: float) -> None:
        """Move along the heading at the present speed."""
        self.x += self.speed * math.cos(self.yaw) * dt
        self.y += self.speed * math.sin(self.yaw) * dt

    def state(self) -> dict[str, Any]:
        """Return the actor as frames and observations show it; metres, degrees, seconds."""
        return {
            "id": self.id,
            "type": self.kind,
            "x": self.x,
            "y": self.y,
            "z": self.z,
            "yaw": degrees(self.yaw),
            "speed": self.speed,
        }

    def memory(self) -> dict[str, Any]:
        """Return what else decides its next step."""
        return {"waypoint_index": self._next, "phase": self.phase}

    def _follow(self, dt: float) -> None:
        """Move towards the waypoints, around the corner where one is reached within the step."""
        left = self.speed * dt
        while self._next < len(self._waypoints):
            x, y, z = self._waypoints[self._next]
            up = 0.0 if z is None else z - self.z
            away = math.hypot(x - self.x, y - self.y, up)
            if math.hypot(x - self.x, y - self.y) > 0:
                self.yaw = math.atan2(y - self.y, x - self.x)
            if away > left:
                share = left / away
                self.x += (x - self.x) * share
                self.y += (y - self.y) * share
                self.z += up * share
                return
            self.x, self.y, self.z = x, y, self.z + up
            left -= away
            self._next += 1
        self.speed = 0.0
