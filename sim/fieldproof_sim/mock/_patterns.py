"""How actors move by the pattern of their behaviour."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fieldproof_sim.mock._plane import Point, distance_to_line, lateral

if TYPE_CHECKING:
    from fieldproof_sim.mock._actor import Actor

SLOWING_MPS2 = 2.0
"""Deceleration and acceleration of actors that change their speed."""
BRAKES_AFTER_S = 1.0
SLOW_SHARE = 0.4
PULL_AHEAD_M = 10.0
"""How far ahead an actor that turns towards the ego's lane looks."""
MOST_TURN_RAD = math.radians(30)
YIELD_LINE_M = 4.5
"""Metres from the ego's path at which an actor that yields stands."""
YIELD_NEAR_M = 10.0
TAIL_GAP_M = 6.0
PRESSURE_MPS = 1.0
HURRY_SHARE = 1.5
HURRY_LEAST_MPS = 2.0


@dataclass(slots=True)
class Traffic:
    """What an actor sees of the ego.

    Attributes:
        t: seconds at the end of the step.
        x, y: the ego's place, metres.
        yaw: its heading, radians.
        speed: metres a second.
        lane_origin: where the ego started.
        lane_heading: its heading there, radians.
        path: the ego's route, or the line from its start to its goal, or else its lane ahead.
    """

    t: float
    x: float
    y: float
    yaw: float
    speed: float
    lane_origin: Point
    lane_heading: float
    path: tuple[Point, ...]


Pattern = Callable[["Actor", Traffic, float], None]


def pattern_of(text: str, actor: Actor, traffic: Traffic) -> Pattern | None:
    """Return how an actor with a pattern moves; None where it keeps speed and heading.

    Upper and lower case are the same, and so are blanks, hyphens and underscores. What the pattern
    changes at the start, such as the speed of a slow actor, is changed in the actor.
    """
    name = pattern_name(text)
    if name in HURRIED and _is_emergency(actor.kind):
        return _hurry
    if name in HELD:
        return None
    if CROSSING in name:
        return _crossing(actor, traffic)
    if name == _SLOW_MOVING:
        actor.speed *= SLOW_SHARE
        return _slow
    return PATTERNS.get(name)


def pattern_name(text: str) -> str:
    """Return a pattern in lower case, its words parted by one blank."""
    return " ".join(re.split(r"[\s_-]+", text.strip().lower()))


def known_patterns() -> frozenset[str]:
    """Return the patterns that mean something, by `pattern_name`, beside those with `CROSSING`."""
    return frozenset({*HELD, *HURRIED, _SLOW_MOVING, *PATTERNS})


CROSSING = "crossing"
"""What every pattern has in it that moves an actor across the ego's lane."""
_SLOW_MOVING = "slow moving actor"

EMERGENCY = ("emergency", "ambulance", "firetruck", "fireengine", "police")
"""What the type of an emergency vehicle has in it, in whatever way its words are joined."""


def _is_emergency(kind: str) -> bool:
    word = re.sub(r"[\s_-]+", "", kind.lower())
    return any(one in word for one in EMERGENCY)


HELD = frozenset({"", "lane follow", "constant speed", "waypoint tracking"})
"""Patterns that keep the declared speed and heading."""
HURRIED = frozenset({"lane follow", "route deviation", "late detection"})
"""Patterns with which an emergency vehicle hurries."""


def _stand(actor: Actor, _traffic: Traffic, _dt: float) -> None:
    actor.speed = 0.0


def _slow_down(actor: Actor, dt: float) -> None:
    actor.speed = max(0.0, actor.speed - SLOWING_MPS2 * dt)
    actor.phase = "braking" if actor.speed else "stopped"


def _rolling_stop(actor: Actor, _traffic: Traffic, dt: float) -> None:
    _slow_down(actor, dt)
    actor.roll(dt)


def _brake_later(actor: Actor, traffic: Traffic, dt: float) -> None:
    if traffic.t > BRAKES_AFTER_S:
        _slow_down(actor, dt)
    actor.roll(dt)


def _recover(actor: Actor, _traffic: Traffic, dt: float) -> None:
    if actor.phase in {"", "braking"}:
        _slow_down(actor, dt)
    else:
        actor.phase = "recovering"
        actor.speed = min(actor.declared_speed, actor.speed + SLOWING_MPS2 * dt)
    actor.roll(dt)


def _yield(actor: Actor, traffic: Traffic, dt: float) -> None:
    away = distance_to_line((actor.x, actor.y), traffic.path)
    x, y = actor.x, actor.y
    if away <= YIELD_NEAR_M:
        actor.speed = min(actor.speed, max(1.0, actor.declared_speed / 2))
        actor.phase = "yielding"
    actor.roll(dt)
    then = distance_to_line((actor.x, actor.y), traffic.path)
    if then < YIELD_LINE_M and then < away:
        actor.x, actor.y = x, y
        # up to the line, which it would pass within this step
        step = max(0.0, away - YIELD_LINE_M) / (away - then)
        actor.x += step * actor.speed * math.cos(actor.yaw) * dt
        actor.y += step * actor.speed * math.sin(actor.yaw) * dt
        actor.speed = 0.0
        actor.phase = "stopped"


def _slow(actor: Actor, _traffic: Traffic, dt: float) -> None:
    actor.speed = min(actor.speed, SLOW_SHARE * actor.declared_speed)
    actor.roll(dt)


def _crossing(actor: Actor, traffic: Traffic) -> Pattern:
    """Return a walk across the ego's lane, in the direction that leads over it from the start."""
    off = lateral((actor.x, actor.y), traffic.lane_origin, traffic.lane_heading)
    turn = math.sin(actor.declared_yaw - traffic.lane_heading)
    to_left = off < 0 or (off == 0 and turn >= 0)
    heading = traffic.lane_heading + (math.pi / 2 if to_left else -math.pi / 2)

    def cross(actor: Actor, _traffic: Traffic, dt: float) -> None:
        actor.yaw = heading
        actor.roll(dt)

    return cross


def _cut_in(actor: Actor, traffic: Traffic, dt: float) -> None:
    off = lateral((traffic.x, traffic.y), (actor.x, actor.y), actor.declared_yaw)
    turn = math.atan2(off, PULL_AHEAD_M)
    actor.yaw = actor.declared_yaw + max(-MOST_TURN_RAD, min(MOST_TURN_RAD, turn))
    actor.roll(dt)


def _tailgate(actor: Actor, traffic: Traffic, dt: float) -> None:
    actor.speed = max(actor.declared_speed, traffic.speed + PRESSURE_MPS)
    x = traffic.x - TAIL_GAP_M * math.cos(traffic.yaw)
    y = traffic.y - TAIL_GAP_M * math.sin(traffic.yaw)
    away, reach = math.hypot(x - actor.x, y - actor.y), actor.speed * dt
    actor.yaw = traffic.yaw
    if away <= reach:
        actor.x, actor.y = x, y
        return
    actor.x += (x - actor.x) * reach / away
    actor.y += (y - actor.y) * reach / away


def _keep_moving(actor: Actor, _traffic: Traffic, dt: float) -> None:
    actor.speed = max(actor.speed, actor.declared_speed)
    actor.roll(dt)


def _hurry(actor: Actor, _traffic: Traffic, dt: float) -> None:
    most = max(HURRY_SHARE * actor.declared_speed, HURRY_LEAST_MPS)
    actor.speed = min(most, actor.speed + SLOWING_MPS2 * dt)
    actor.roll(dt)


PATTERNS: Mapping[str, Pattern] = {
    "blocked lane": _stand,
    "stopped obstacle": _stand,
    "false positive object": _stand,
    "rolling stop": _rolling_stop,
    "lead vehicle braking": _brake_later,
    "speed limit transition": _brake_later,
    "recovery after stop": _recover,
    "yield negotiation": _yield,
    "right of way yield": _yield,
    "cut in": _cut_in,
    "merge gap": _cut_in,
    "right of way conflict": _cut_in,
    "tailgating pressure": _tailgate,
    "unexpected actor": _keep_moving,
    "staggered obstacle": _keep_moving,
    "moving obstacle avoidance": _keep_moving,
}
