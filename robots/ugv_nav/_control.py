"""The controller: from path, pose and returns to a velocity command."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ugv_nav._clearance import Footprint, free_arc, free_turn
from ugv_nav._geometry import Pose2, wrap_angle
from ugv_nav._pursuit import Carrot, SpeedLimits, find_carrot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_TURN_GAIN_PER_S = 2.5
_TURN_CREEP_RADPS = 0.05


@dataclass(frozen=True, slots=True)
class ControlSettings:
    """How the path is followed.

    Attributes:
        footprint: the vehicle.
        limits: its speeds.
        margin_m: distance that the footprint keeps to every return.
        lookahead_s: the carrot is this far ahead in time, within the two bounds below.
        lookahead_min_m: nearest carrot.
        lookahead_max_m: farthest carrot.
        turn_first_rad: a carrot farther to the side than this is turned to on the spot.
        turned_rad: such a turn ends when the carrot is this far to the side.
        goal_distance_m: the goal's position is reached within this distance.
        goal_yaw_rad: the goal's heading is reached within this angle.
        retreat_mps: speed of the way back from something that appeared too near.
    """

    footprint: Footprint = field(default_factory=Footprint)
    limits: SpeedLimits = field(default_factory=SpeedLimits)
    margin_m: float = 0.12
    lookahead_s: float = 0.9
    lookahead_min_m: float = 0.4
    lookahead_max_m: float = 0.8
    turn_first_rad: float = 0.9
    turned_rad: float = 0.2
    goal_distance_m: float = 0.08
    goal_yaw_rad: float = 0.03
    retreat_mps: float = 0.15


@dataclass(frozen=True, slots=True)
class Situation:
    """What the controller knows at one tick, all of it in the map frame or the base frame.

    Attributes:
        pose: the vehicle in the map frame.
        linear_mps: measured forward speed.
        angular_radps: measured turn rate.
        path: shape (n, 2), n >= 2, in the map frame.
        goal_yaw_rad: heading wanted at the end of the path, in the map frame.
        points_m: returns of the latest scan in the base frame, shape (n, 2).
    """

    pose: Pose2
    linear_mps: float
    angular_radps: float
    path: NDArray[np.float64]
    goal_yaw_rad: float
    points_m: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Command:
    """A velocity in the base frame."""

    linear_mps: float = 0.0
    angular_radps: float = 0.0


STANDSTILL = Command()


class Controller:
    """Follows a path; remembers the last command and the phase of the manoeuvre."""

    def __init__(self, settings: ControlSettings, period_s: float) -> None:
        """Make a controller at rest.

        Args:
            settings: how the path is followed.
            period_s: time between two calls of `follow` or `stop`, positive.
        """
        self._settings = settings
        self._period_s = period_s
        self._last = STANDSTILL
        self._turning = False
        self._arrived_at: tuple[float, float] | None = None

    def stop(self) -> Command:
        """Brake; to be called instead of `follow` whenever the vehicle must not drive."""
        self._turning = False
        return self._shape(STANDSTILL)

    def follow(self, now: Situation) -> Command:
        """Return the command for this tick."""
        # What is seen inside the footprint is the vehicle itself.
        outside = self._settings.footprint.distances(now.points_m) > 0.0
        now = replace(now, points_m=now.points_m[outside])
        end = (float(now.path[-1, 0]), float(now.path[-1, 1]))
        if self._is_at(end, now.pose):
            error_rad = wrap_angle(now.goal_yaw_rad - now.pose.yaw_rad)
            if abs(error_rad) <= self._settings.goal_yaw_rad:
                return self._shape(STANDSTILL)
            return self._shape(self._turn(error_rad, now))
        return self._shape(self._drive(now))

    def _is_at(self, end: tuple[float, float], pose: Pose2) -> bool:
        """Return whether the position is reached; once it is, a larger error is let pass."""
        away_m = pose.distance_to(*end)
        reached_m = self._settings.goal_distance_m
        if self._arrived_at is not None and math.dist(self._arrived_at, end) < reached_m:
            reached_m *= 2.0
        self._arrived_at = end if away_m <= reached_m else None
        return self._arrived_at is not None

    def _drive(self, now: Situation) -> Command:
        settings = self._settings
        wanted_m = min(
            max(settings.lookahead_s * abs(now.linear_mps), settings.lookahead_min_m),
            settings.lookahead_max_m,
        )
        carrot = find_carrot(now.path, now.pose, wanted_m)
        aside_rad = abs(carrot.bearing_rad)
        self._turning = aside_rad > (
            settings.turned_rad if self._turning else settings.turn_first_rad
        )
        if self._turning:
            return self._turn(carrot.bearing_rad, now)
        # A carrot far ahead cuts corners; where the arc to it is not free, nearer ones may be.
        for share in (1.0, 0.6):
            if share < 1.0:
                carrot = find_carrot(now.path, now.pose, wanted_m * share)
            speed_mps = self._safe_speed(carrot, now)
            if speed_mps >= settings.limits.creep_mps:
                return Command(speed_mps, speed_mps * carrot.curvature_pm)
        return self._escape(carrot, now)

    def _safe_speed(self, carrot: Carrot, now: Situation) -> float:
        """Return the speed along the arc to the carrot, 0 where something is in the way."""
        settings = self._settings
        speed_mps = settings.limits.regulate(carrot.curvature_pm, carrot.rest_m)
        stop_m = speed_mps * (3.0 * self._period_s + speed_mps / settings.limits.linear_mps2)
        free_m = free_arc(
            settings.footprint,
            now.points_m,
            curvature_pm=carrot.curvature_pm,
            length_m=max(stop_m, settings.lookahead_min_m),
            margin_m=settings.margin_m,
        )
        if free_m >= stop_m:
            return speed_mps
        delay_m = speed_mps * self._period_s
        return min(speed_mps, settings.limits.brake_over(free_m - delay_m))

    def _turn(self, error_rad: float, now: Situation) -> Command:
        """Return a turn on the spot by an angle, or by the other way round, as far as free."""
        limits = self._settings.limits
        other_rad = error_rad - math.copysign(2.0 * math.pi, error_rad)
        for angle_rad in (error_rad, other_rad):
            look_rad = math.copysign(min(abs(angle_rad), 0.5), angle_rad)
            free_rad = free_turn(
                self._settings.footprint,
                now.points_m,
                angle_rad=look_rad,
                margin_m=self._settings.margin_m / 2.0,
            )
            if free_rad >= min(abs(look_rad), 0.2):
                rate = min(
                    math.sqrt(limits.angular_radps2 * abs(angle_rad)),
                    _TURN_GAIN_PER_S * abs(angle_rad) + _TURN_CREEP_RADPS,
                    limits.angular_radps,
                )
                return Command(0.0, math.copysign(rate, angle_rad))
        return self._retreat(now)

    def _escape(self, carrot: Carrot, now: Situation) -> Command:
        """Return a way out when no arc leads on: turn towards the path, else back off."""
        if abs(carrot.bearing_rad) > self._settings.turned_rad:
            return self._turn(carrot.bearing_rad, now)
        return self._retreat(now)

    def _retreat(self, now: Situation) -> Command:
        """Return a slow way straight back while something in front is within the margin."""
        settings = self._settings
        ahead = now.points_m[now.points_m[:, 0] > 0.0]
        if settings.footprint.nearest(ahead) > 2.0 * settings.margin_m:
            return STANDSTILL
        free_m = free_arc(
            settings.footprint,
            now.points_m,
            curvature_pm=0.0,
            length_m=-0.3,
            margin_m=settings.margin_m,
        )
        return Command(-settings.retreat_mps, 0.0) if free_m >= 0.1 else STANDSTILL  # noqa: PLR2004

    def _shape(self, wanted: Command) -> Command:
        """Return the wanted command within the accelerations, the arc kept where possible."""
        limits = self._settings.limits
        step_mps = limits.linear_mps2 * self._period_s
        step_radps = limits.angular_radps2 * self._period_s
        linear = _approach(self._last.linear_mps, wanted.linear_mps, step_mps)
        angular = wanted.angular_radps
        if abs(wanted.linear_mps) > 1e-6:  # noqa: PLR2004 - an arc, not a turn on the spot
            angular *= linear / wanted.linear_mps
            angular = max(-limits.angular_radps, min(limits.angular_radps, angular))
        angular = _approach(self._last.angular_radps, angular, step_radps)
        self._last = Command(linear, angular)
        return self._last


def _approach(value: float, target: float, step: float) -> float:
    return target if abs(target - value) <= step else value + math.copysign(step, target - value)
