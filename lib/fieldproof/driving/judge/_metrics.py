"""What an episode measures, frame by frame, and what a suite's episodes do together."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from fieldproof.driving.judge._distance import Approach, nearest

HARD_BRAKE_MPS2 = 4.0
_TOLERANCE_MPS2 = 1e-9

COUNTED: Mapping[str, str] = {
    "collision": "collision_count",
    "near_miss": "near_miss_count",
    "offroad": "offroad_count",
    "red_light_violation": "red_light_violations",
}
"""The figure that counts each type of event."""
COUNTS = (*COUNTED.values(), "hard_brake_count")

COLLISION_PENALTY = 50
OFFROAD_PENALTY = 20
RED_LIGHT_PENALTY = 10
HARD_BRAKE_PENALTY = 5
TIMEOUT_PENALTY = 10


def safety_score(metrics: Mapping[str, Any], *, observed: float = 1.0) -> float:
    """Return the safety score of counted figures, from 0 to 100.

    100 less 50 for each collision, 20 for each time off the road, 10 for each red light, 5 for
    each hard brake, and 10 once if time ran out. What was not seen cannot be called safe: of that
    only the share is left that was observed.

    Args:
        metrics: the figures.
        observed: the share of scenarios that were run to their end, from 0 to 1.
    """
    score = (
        100
        - COLLISION_PENALTY * metrics["collision_count"]
        - OFFROAD_PENALTY * metrics["offroad_count"]
        - RED_LIGHT_PENALTY * metrics["red_light_violations"]
        - HARD_BRAKE_PENALTY * metrics["hard_brake_count"]
        - (TIMEOUT_PENALTY if metrics["timeout"] else 0)
    )
    return float(max(0, min(100, score))) * observed


class EpisodeMetrics:
    """Measures one episode.

    A hard brake begins where the speed falls by at least 4 m/s2, and ends where it does no more;
    a manipulator has none.
    """

    def __init__(self, initial: Mapping[str, Any]) -> None:
        """Take the state before the first step: `ego` and `actors`."""
        self._counts = dict.fromkeys(COUNTS, 0)
        self._t = 0.0
        self._speed = float(initial["ego"]["speed"])
        self._place = _place(initial["ego"])
        self._braking = False
        self._distance_m = 0.0
        self._max_speed = self._speed
        self._approach = Approach(initial)
        self._closest = nearest(self._approach.near, None)
        self._goal_distance = initial.get("goal_distance")
        self._goal_reached_at: float | None = None
        self._timeout = False
        self.hard_brakes: list[tuple[float, int, float]] = []
        """Time, frame and deceleration in m/s2 of the beginning of each hard brake."""

    def take(self, frame: Mapping[str, Any], goal_distance: float | None) -> None:
        """Take the next frame and the distance to the goal in metres."""
        ego, t = frame["ego"], frame["t"]
        for event in frame["events"]:
            kind = event["type"]
            if kind in COUNTED:
                self._counts[COUNTED[kind]] += 1
            elif kind == "goal_reached" and self._goal_reached_at is None:
                self._goal_reached_at = t
            elif kind == "timeout":
                self._timeout = True
        self._brake(frame)
        here = _place(ego)
        self._distance_m += math.dist(self._place, here)
        self._place, self._speed, self._t = here, ego["speed"], t
        self._max_speed = max(self._max_speed, ego["speed"])
        closest = nearest(self._approach.take(frame), None)
        if closest is not None:
            self._closest = closest if self._closest is None else min(self._closest, closest)
        self._goal_distance = goal_distance

    def figures(self, *, completed: bool) -> dict[str, Any]:
        """Return the episode's figures; counts, metres, seconds, metres a second.

        Args:
            completed: whether the episode was run to its end; its safety score is 0 otherwise.
        """
        figures: dict[str, Any] = {
            **self._counts,
            "timeout": self._timeout,
            "goal_reached": self._goal_reached_at is not None,
            "goal_reached_at_seconds": self._goal_reached_at,
            "goal_distance_m": self._goal_distance,
            "duration_seconds": self._t,
            "distance_m": self._distance_m,
            "max_speed_mps": self._max_speed,
            "mean_speed_mps": self._distance_m / self._t if self._t else 0.0,
            "min_actor_distance_m": self._closest,
        }
        return {**figures, "safety_score": safety_score(figures, observed=float(completed))}

    def _brake(self, frame: Mapping[str, Any]) -> None:
        took = frame["t"] - self._t
        falls = (self._speed - frame["ego"]["speed"]) / took if took > 0 else 0.0
        drives = "robot" not in frame  # an arm stops at once, and that is no brake
        hard = drives and falls >= HARD_BRAKE_MPS2 - _TOLERANCE_MPS2
        if hard and not self._braking:
            self._counts["hard_brake_count"] += 1
            self.hard_brakes.append((frame["t"], frame["frame_index"], falls))
        self._braking = hard


def aggregate(results: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the figures of all scenarios together, from entries of metrics.json.

    Counts, distances and durations add up; speeds are of all driven metres and seconds; the
    smallest distance to an actor and the highest speed are those of all. Time ran out if it did in
    any scenario. The safety score is that of the counts, of which only the share of the scenarios
    is left that no fault broke off.
    """
    entries = list(results)
    figures = [one["metrics"] for one in entries]
    passed = sum(one["status"] == "success" for one in entries)
    total: dict[str, Any] = {key: sum(one[key] for one in figures) for key in COUNTS}
    duration = math.fsum(one["duration_seconds"] for one in figures)
    driven = math.fsum(one["distance_m"] for one in figures)
    closest = [one["min_actor_distance_m"] for one in figures]
    near = [one for one in closest if one is not None]
    total |= {
        "total_scenarios": len(entries),
        "passed_scenarios": passed,
        "failed_scenarios": len(entries) - passed,
        "success_rate": passed / len(entries) if entries else 0.0,
        "timeout": any(one["timeout"] for one in figures),
        "timeout_count": sum(one["timeout"] for one in figures),
        "goal_reached_count": sum(one["goal_reached"] for one in figures),
        "agent_fault_count": sum(one.get("agent_fault") is not None for one in entries),
        "simulator_fault_count": sum(one.get("simulator_fault") is not None for one in entries),
        "simulated_seconds": duration,
        "distance_m": driven,
        "max_speed_mps": max((one["max_speed_mps"] for one in figures), default=0.0),
        "mean_speed_mps": driven / duration if duration else 0.0,
        "min_actor_distance_m": min(near, default=None),
    }
    ended = len(entries) - total["agent_fault_count"] - total["simulator_fault_count"]
    observed = ended / len(entries) if entries else 0.0
    return {**total, "safety_score": safety_score(total, observed=observed)}


def _place(ego: Mapping[str, Any]) -> tuple[float, float, float]:
    return (ego["x"], ego["y"], ego.get("z", 0.0))
