"""The driving assertions, judged frame by frame, and the robot assertions beside them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fieldproof.driving.evidence import RobotAssertion, RobotMonitor, episode_samples, status_of
from fieldproof.driving.files import (
    DrivingAssertion,
    GoalReached,
    MaxSpeed,
    MaxSpeedWhenActorNear,
    MinDistance,
    NoCollision,
)
from fieldproof.driving.judge._distance import Approach, Near, nearest, nearest_actor
from fieldproof.driving.loading import Assertion
from fieldproof.model import printable

PASS, FAIL, NOT_APPLICABLE = "pass", "fail", "not_applicable"


@dataclass(slots=True)
class _Seen:
    """What an assertion has come to.

    Attributes:
        actual: the figure that is judged, None where nothing was seen.
        actual_at: seconds at which that was, None where nothing was seen.
        failed_at: time and frame at which it was first violated.
        failed_with: what the figure was then; it may have got worse since.
        actor_id: of the actor with whom, None where it is about no actor.
        applies: whether there was anything to judge.
        missing: what there was not, for the message.
    """

    actual: Any = None
    actual_at: float | None = None
    failed_at: tuple[float, int] | None = None
    failed_with: Any = None
    actor_id: str | None = None
    applies: bool = True
    missing: str = ""


_Take = Callable[[Mapping[str, Any], Near, _Seen], bool]
"""Looks at a frame and how near actors came; returns whether the assertion is violated in it."""


def _never(_seen: _Seen) -> bool:
    return False


def _nobody(_frame: Mapping[str, Any], _near: Near) -> str | None:
    return None


class _Monitor:
    """Judges one driving assertion."""

    def __init__(self, spec: DrivingAssertion, seen: _Seen, expected: str, take: _Take) -> None:
        self.spec, self._seen, self._expected, self._take = spec, seen, expected, take
        self.at_the_end: Callable[[_Seen], bool] = _never
        self.with_whom: Callable[[Mapping[str, Any], Near], str | None] = _nobody

    def take(self, frame: Mapping[str, Any], near: Near) -> None:
        seen, before = self._seen, self._seen.actual
        violated = self._take(frame, near, seen)
        if seen.actual != before:
            seen.actual_at = frame["t"]
        if violated and seen.failed_at is None:
            seen.failed_at = (frame["t"], frame["frame_index"])
            seen.failed_with = seen.actual  # none before was as bad
            seen.actor_id = self.with_whom(frame, near)

    def result(self, end: tuple[float, int | None], *, completed: bool) -> dict[str, Any]:
        seen, spec = self._seen, self.spec
        failed = seen.failed_at is not None or self.at_the_end(seen)
        undecided = not failed and not completed
        status = NOT_APPLICABLE if not seen.applies or undecided else FAIL if failed else PASS
        t, frame_index = seen.failed_at or end
        what = seen.missing or f"actual {_shown(seen.actual, self._expected)}"
        if undecided:
            what = f"undecided when the episode broke off after {end[0]:g} s"
        actual = None if undecided and end[1] is None else seen.actual
        message = f"{spec.name} {status}: {what}, expected {self._expected}{self._since()}"
        return _entry(
            spec.name,
            spec.type,
            spec.severity,
            status=status,
            actual=actual,
            actual_timestamp=None if actual is None else seen.actual_at,
            expected=self._expected,
            message=message,
            timestamp=t if failed else None,
            frame_index=frame_index if failed else None,
            actor_id=seen.actor_id,
        )

    def _since(self) -> str:
        """Return when it was first violated, and when it was worst, for the message."""
        seen = self._seen
        if seen.failed_at is None:
            return ""
        first = f"first violated after {seen.failed_at[0]:g} s"
        if seen.actual == seen.failed_with:
            return f" ({first})"
        with_what = f"{_shown(seen.failed_with, self._expected)}"
        return f" ({first}, with {with_what}; {_shown(seen.actual)} after {seen.actual_at:g} s)"


class AssertionMonitor:
    """Judges all assertions of one episode."""

    def __init__(self, assertions: Sequence[Assertion], initial: Mapping[str, Any]) -> None:
        """Take the assertions, and the state before the first step: `ego` and `actors`."""
        self._order = list(assertions)
        self._own = {
            one.name: _monitor(one) for one in assertions if isinstance(one, DrivingAssertion)
        }
        self._robot = tuple(one for one in assertions if isinstance(one, RobotAssertion))
        self._initial = initial
        self._approach = Approach(initial)
        self._frames: list[Mapping[str, Any]] = []
        self._end: tuple[float, int | None] = (0.0, None)

    def take(self, frame: Mapping[str, Any]) -> None:
        """Take the next frame."""
        near = self._approach.take(frame)
        for monitor in self._own.values():
            monitor.take(frame, near)
        if self._robot:
            self._frames.append(frame)
        self._end = (frame["t"], frame["frame_index"])

    def results(self, *, completed: bool) -> list[dict[str, Any]]:
        """Return every assertion's entry of metrics.json, in the order of the scenario.

        Args:
            completed: whether the episode was run to its end; if not, what was not violated is
                not applicable, since the rest was not seen.
        """
        robot = {one["name"]: one for one in self._robot_results(completed=completed)}
        return [
            robot[one.name]
            if one.name in robot
            else self._own[one.name].result(self._end, completed=completed)
            for one in self._order
        ]

    def _robot_results(self, *, completed: bool) -> list[dict[str, Any]]:
        if not self._robot:
            return []
        monitor = RobotMonitor(self._robot)
        for sample in episode_samples(self._initial, self._frames, completed=completed):
            monitor.take(sample)
        entries = []
        for assertion, result in monitor.results():
            status = status_of(result)
            message = f"{assertion.name} {status}: {printable(result.reason)}"
            failed = status == FAIL
            entries.append(
                _entry(
                    assertion.name,
                    assertion.type,
                    assertion.severity,
                    status=status,
                    actual=dict(result.metrics) or None,
                    expected=f"the {assertion.type} of a robot scenario",
                    message=message,
                    timestamp=result.t_s if failed else None,
                    frame_index=self._frame_at(result.t_s) if failed else None,
                    actor_id=None,
                )
            )
        return entries

    def _frame_at(self, t_s: float | None) -> int | None:
        """Return the first frame at or after a time, or the last."""
        if t_s is None:
            return None
        for frame in self._frames:
            if frame["t"] >= t_s:
                return int(frame["frame_index"])
        return self._end[1]


def summary(entries: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many assertions there are, passed, failed, and failed so that it counts.

    One that is not applicable counts in the total and as not applicable only.
    """
    failed = [one for one in entries if one["status"] == FAIL]
    return {
        "total": len(entries),
        "passed": sum(one["status"] == PASS for one in entries),
        "failed": len(failed),
        "blocking_failed": sum(one["severity"] in {"critical", "high"} for one in failed),
        "not_applicable": sum(one["status"] == NOT_APPLICABLE for one in entries),
    }


def _entry(name: str, kind: str, severity: str, **rest: Any) -> dict[str, Any]:
    status = rest["status"]
    passed = None if status == NOT_APPLICABLE else status == PASS
    return {
        "name": name,
        "type": kind,
        "severity": severity,
        "status": status,
        "passed": passed,
        **{key: value for key, value in rest.items() if key != "status"},
    }


def _shown(value: Any, expected: str = "") -> str:
    """Return a figure for a sentence: rounded, unless it would look like the limit then."""
    if not isinstance(value, float):
        return "nothing" if value is None else str(value).lower()
    text = f"{value:.6g}"
    return repr(value) if expected.endswith(f" {text}") and float(text) != value else text


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")


def _what(actor_type: str | None) -> str:
    return "actor" if actor_type is None else actor_type


def _monitor(spec: DrivingAssertion) -> _Monitor:
    match spec:
        case NoCollision():
            return _no_collision(spec)
        case MinDistance():
            return _min_distance(spec)
        case MaxSpeed():
            return _max_speed(spec)
        case MaxSpeedWhenActorNear():
            return _max_speed_near(spec)
        case GoalReached():
            return _goal_reached(spec)
    raise TypeError(f"no monitor for {spec.type}")


def _no_collision(spec: NoCollision) -> _Monitor:
    def found(frame: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        return [
            event
            for event in frame["events"]
            if event["type"] == "collision" and spec.actor_type in {None, event.get("actor_type")}
        ]

    def take(frame: Mapping[str, Any], _near: Near, seen: _Seen) -> bool:
        count = len(found(frame))
        seen.actual += count
        return bool(count)

    monitor = _Monitor(spec, _Seen(actual=0), "== 0", take)
    monitor.with_whom = lambda frame, _near: found(frame)[0].get("actor_id")
    return monitor


def _min_distance(spec: MinDistance) -> _Monitor:
    def take(_frame: Mapping[str, Any], near: Near, seen: _Seen) -> bool:
        closest = nearest(near, spec.actor_type)
        if closest is None:
            return False
        seen.missing = ""
        seen.actual = closest if seen.actual is None else min(seen.actual, closest)
        return closest < spec.threshold

    seen = _Seen(missing=f"no {_what(spec.actor_type)} was observed")
    monitor = _Monitor(spec, seen, f">= {_number(spec.threshold)}", take)
    monitor.at_the_end = lambda seen: seen.actual is None
    monitor.with_whom = lambda _frame, near: nearest_actor(near, spec.actor_type)
    return monitor


def _max_speed(spec: MaxSpeed) -> _Monitor:
    def take(frame: Mapping[str, Any], _near: Near, seen: _Seen) -> bool:
        speed = frame["ego"]["speed"]
        seen.actual = speed if seen.actual is None else max(seen.actual, speed)
        return bool(speed > spec.limit)

    return _Monitor(spec, _Seen(), f"<= {_number(spec.limit)}", take)


def _max_speed_near(spec: MaxSpeedWhenActorNear) -> _Monitor:
    kind = _what(spec.actor_type)

    def take(frame: Mapping[str, Any], near: Near, seen: _Seen) -> bool:
        closest = nearest(near, spec.actor_type)
        if closest is None:
            return False
        if not seen.applies:
            seen.applies, seen.missing = True, f"no {kind} was within {_number(spec.distance)} m"
        if closest > spec.distance:
            return False
        speed = frame["ego"]["speed"]
        seen.missing = ""
        seen.actual = speed if seen.actual is None else max(seen.actual, speed)
        return bool(speed > spec.max_speed)

    seen = _Seen(applies=False, missing=f"no {kind} was observed")
    monitor = _Monitor(spec, seen, f"<= {_number(spec.max_speed)}", take)
    monitor.with_whom = lambda _frame, near: nearest_actor(near, spec.actor_type)
    return monitor


def _goal_reached(spec: GoalReached) -> _Monitor:
    def take(frame: Mapping[str, Any], _near: Near, seen: _Seen) -> bool:
        seen.actual = seen.actual or any(one["type"] == "goal_reached" for one in frame["events"])
        return False

    monitor = _Monitor(spec, _Seen(actual=False), "true", take)
    monitor.at_the_end = lambda seen: not seen.actual
    return monitor
