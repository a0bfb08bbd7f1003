"""Whether a scenario succeeded, and why not."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fieldproof.driving.files import BLOCKING
from fieldproof.driving.judge._assertions import FAIL
from fieldproof.driving.loading import LoadedScenario

SUCCESS, FAILURE = "success", "failure"
AGENT_FAULT, SIMULATOR_FAULT = "agent_fault", "simulator_fault"
FAULTS = (AGENT_FAULT, SIMULATOR_FAULT)
"""What breaks an episode off; whose fault it is."""


def was_broken_off(entry: Mapping[str, Any]) -> bool:
    """Return whether a fault broke the episode of an entry of metrics.json off."""
    return any(entry.get(one) is not None for one in FAULTS)


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason why a scenario failed.

    Attributes:
        code: what kind, such as `collision` or `assertion`.
        severity: critical, high, medium or low.
        text: a sentence.
        t: seconds of the episode, None where there is no moment.
        frame_index: the frame, None where there is none.
        subject: the type of the actor or the name of the assertion concerned, empty for none.
    """

    code: str
    severity: str
    text: str
    t: float | None = None
    frame_index: int | None = None
    subject: str = ""

    def to_data(self) -> dict[str, Any]:
        """Return the reason as metrics.json has it."""
        return {
            "code": self.code,
            "severity": self.severity,
            "text": self.text,
            "timestamp": self.t,
            "frame_index": self.frame_index,
        }


def ending_event(
    scenario: LoadedScenario, events: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """Return the event of a frame that ends its episode, None if it goes on.

    What fails the scenario comes before reaching the goal, and that before the end of its time.
    """
    criteria = scenario.file.failure_criteria
    ends = {
        "collision": criteria.collision,
        "offroad": criteria.offroad,
        "red_light_violation": criteria.red_light_violation,
        "goal_reached": True,
        "timeout": True,
    }
    for kind, does in ends.items():
        for event in events:
            if does and event["type"] == kind:
                return event
    return None


def reasons_of(
    scenario: LoadedScenario,
    metrics: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
    assertions: Sequence[Mapping[str, Any]],
) -> list[Reason]:
    """Return why a scenario failed, none if it succeeded.

    Args:
        scenario: which.
        metrics: the episode's figures.
        events: every event of the episode, with `timestamp` and `frame_index`.
        assertions: the entries of metrics.json.
    """
    return [
        *_criteria(scenario, events),
        *_wanted(scenario, metrics, events),
        *_assertions(assertions),
    ]


def _criteria(scenario: LoadedScenario, events: Sequence[Mapping[str, Any]]) -> Iterator[Reason]:
    criteria = scenario.file.failure_criteria
    arrived = any(one["type"] == "goal_reached" for one in events)
    asked = {
        "collision": criteria.collision,
        "offroad": criteria.offroad,
        "red_light_violation": criteria.red_light_violation,
        "timeout": scenario.timeout_fails and not arrived,
    }
    for event in events:
        if asked.get(event["type"], False):
            severity, text = _WORDS[event["type"]]
            yield Reason(
                event["type"],
                severity,
                text.format(**{**_NAMES, **event}),
                event["timestamp"],
                event["frame_index"],
                event.get("actor_type", ""),
            )


_NAMES: Mapping[str, Any] = {"actor_id": "an actor", "traffic_light_id": "a traffic light"}
_WORDS: Mapping[str, tuple[str, str]] = {
    "collision": ("critical", "The ego collided with {actor_id}."),
    "offroad": ("high", "The ego left the road."),
    "red_light_violation": ("high", "The ego ran the red light {traffic_light_id}."),
    "timeout": ("high", "The time of the scenario ran out."),
}


def _wanted(
    scenario: LoadedScenario, metrics: Mapping[str, Any], events: Sequence[Mapping[str, Any]]
) -> Iterator[Reason]:
    wanted = scenario.file.success_criteria
    last = events[-1] if events else {}
    t, frame = last.get("timestamp"), last.get("frame_index")
    most, collisions = wanted.max_collisions, metrics["collision_count"]
    if most is not None and collisions > most:
        text = f"There were {collisions} collisions, at most {most} were allowed."
        yield Reason("max_collisions", "critical", text, t, frame)
    if wanted.must_reach_goal and not metrics["goal_reached"]:
        left = metrics["goal_distance_m"]
        text = "The goal was not reached" + (f", {left:.3f} m were left." if left else ".")
        yield Reason("goal_not_reached", "high", text, t, frame)
    took, allowed = metrics["duration_seconds"], wanted.max_time_seconds
    if allowed is not None and took > allowed:
        text = f"It took {took:g} s, at most {allowed:g} s were allowed."
        yield Reason("max_time_seconds", "high", text, t, frame)


def _assertions(entries: Sequence[Mapping[str, Any]]) -> Iterator[Reason]:
    for one in entries:
        if one["status"] == FAIL and one["severity"] in BLOCKING:
            text = f"Assertion {one['message']}."
            yield Reason(
                "assertion",
                one["severity"],
                text,
                one["timestamp"],
                one["frame_index"],
                one["name"],
            )
