"""What happened in an episode, for people: made after it, from what was recorded."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fieldproof.driving.judge import AGENT_FAULT, FAIL, SIMULATOR_FAULT
from fieldproof.driving.loading import LoadedScenario

_ABOUT: Mapping[str, tuple[str, str, str]] = {
    "goal_reached": ("info", "Goal reached", "The ego reached its goal."),
    "collision": ("critical", "Collision", "Collision with actor {actor_id}."),
    "near_miss": ("medium", "Near miss", "Actor {actor_id} came within {distance:.2f} m."),
    "offroad": ("high", "Off the road", "The ego left the road."),
    "timeout": ("high", "Time is up", "The scenario's time of {duration:g} s ran out."),
    "red_light_violation": ("high", "Red light", "The ego ran the red light {traffic_light_id}."),
}
_BROKEN_OFF = {AGENT_FAULT: "No action", SIMULATOR_FAULT: "No simulator"}
_UNKNOWN = ("info", "{type}", "The simulator reported {type}.")


def timeline_events(
    scenario: LoadedScenario,
    events: Sequence[Mapping[str, Any]],
    *,
    first_t: float | None,
    hard_brakes: Sequence[tuple[float, int, float]],
    assertions: Sequence[Mapping[str, Any]],
    fault: tuple[str, str],
    end: tuple[float, int | None],
) -> list[dict[str, Any]]:
    """Return the readable events of an episode in the order of time.

    Args:
        scenario: which.
        events: those of the simulator, with `timestamp` and `frame_index`.
        first_t: seconds of the first frame, None when there is none.
        hard_brakes: time, frame and m/s2 of each.
        assertions: the entries of metrics.json.
        fault: whose fault broke the episode off, and what it was; empty if nobody's did.
        end: time and frame of the end.
    """
    found = [*_recorded(scenario, events), *_derived(hard_brakes, assertions)]
    whose, what = fault
    if whose:
        found.append(_event(whose, end, "critical", _BROKEN_OFF[whose], what))
    found.sort(key=lambda one: one["timestamp"])
    start = _event(
        "scenario_start",
        (0.0, None) if first_t is None else (first_t, 0),
        "info",
        "Scenario started",
        f"The episode of {scenario.id} begins.",
    )
    return [start, *found]


def _recorded(
    scenario: LoadedScenario, events: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    duration = scenario.file.duration_seconds
    for event in events:
        severity, title, text = _ABOUT.get(event["type"], _UNKNOWN)
        words = {"actor_id": "?", "distance": 0.0, "traffic_light_id": "?", **event}
        entry = _event(
            event["type"],
            (event["timestamp"], event["frame_index"]),
            severity,
            title.format(**words),
            text.format(duration=duration, **words),
        )
        if "actor_id" in event:
            entry["actor_id"] = entry["related_actor_id"] = event["actor_id"]
        yield entry


def _derived(
    hard_brakes: Sequence[tuple[float, int, float]], assertions: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    for t, frame, falls in hard_brakes:
        text = f"The ego slowed down by {falls:.2f} m/s2."
        yield _event("hard_brake", (t, frame), "medium", "Hard brake", text)
    for one in assertions:
        if one["status"] == FAIL:
            entry = _event(
                "assertion_failure",
                (one["timestamp"] or 0.0, one["frame_index"]),
                one["severity"],
                f"Assertion failed: {one['name']}",
                one["message"],
            )
            if one["actor_id"] is not None:
                entry["actor_id"] = entry["related_actor_id"] = one["actor_id"]
            yield entry


def _event(
    kind: str, at: tuple[float, int | None], severity: str, title: str, description: str
) -> dict[str, Any]:
    t, frame_index = at
    entry = {
        "type": kind,
        "timestamp": t,
        "severity": severity,
        "title": title,
        "description": description,
    }
    return entry if frame_index is None else {**entry, "frame_index": frame_index}
