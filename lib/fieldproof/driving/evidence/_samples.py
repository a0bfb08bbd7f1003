"""An episode as the samples of a run: what the assertion types of robot scenarios read."""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fieldproof.driving.evidence._vehicles import DRIVE, STATE_TOPIC
from fieldproof.driving.files import EGO
from fieldproof.samples import Sample

Frame = Mapping[str, Any]
"""One line of an episode: `t`, `ego`, `actors`, `action`, `events`; metres, degrees, seconds."""


def episode_samples(
    initial: Frame, frames: Iterable[Frame], *, completed: bool
) -> Iterator[Sample]:
    """Yield the samples of an episode, from the start of its timeline to its end.

    Each frame gives the pose of the ego and of every actor (metres, radians, simulation time),
    `gone` for an actor that it is the first to lack, a contact for each collision that begins in
    it, and values of the topics `/<name>/state`: the fields of ego and actors that are numbers,
    `yaw` in radians, and `action.<key>` for the ego.

    Args:
        initial: The state before the first step, with `ego` and `actors`, at time zero.
        frames: The frames in their order.
        completed: Whether the episode was run to its end; if not, what is undecided is skipped.
    """
    yield Sample.of("timeline", sim=0.0, event="start")
    yield from frame_samples({**initial, "t": 0.0})
    yield Sample.of("action", sim=0.0, label=DRIVE, event="started", action=DRIVE)
    last, arrived = 0.0, False
    here = _actors(initial)
    for frame in frames:
        last = frame["t"]
        for name in sorted(here - _actors(frame)):
            yield Sample.of("gone", sim=last, model=name)
        here = _actors(frame)
        yield from frame_samples(frame)
        if not arrived and any(one["type"] == "goal_reached" for one in frame["events"]):
            arrived = True
            yield _ended("ok", last)
    if not arrived:
        yield _ended("failed", last)
    status = "completed" if completed else "error"
    yield Sample.of("timeline", sim=last, event="end", status=status)


def frame_samples(frame: Frame) -> Iterator[Sample]:
    """Yield the samples of one frame."""
    t = frame["t"]
    yield from _body(EGO, frame["ego"], t)
    for key, value in frame.get("action", {}).items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield _value(EGO, f"action.{key}", float(value), t)
    for actor in frame["actors"]:
        yield from _body(actor["id"], actor, t)
    for event in frame.get("events", ()):
        if event["type"] == "collision":
            yield Sample.of(
                "contact",
                sim=t,
                vehicle=EGO,
                collision1=EGO,
                collision2=event["actor_id"],
                count=1,
            )


def _actors(frame: Frame) -> set[str]:
    return {actor["id"] for actor in frame["actors"]}


def _ended(status: str, t: float) -> Sample:
    return Sample.of("action", sim=t, label=DRIVE, event="finished", action=DRIVE, status=status)


def _body(name: str, state: Mapping[str, Any], t: float) -> Iterator[Sample]:
    yaw = math.radians(state.get("yaw", 0.0))
    place = {key: float(state.get(key, 0.0)) for key in ("x", "y", "z")}
    turn = {"yaw": yaw, "qx": 0.0, "qy": 0.0, "qz": math.sin(yaw / 2), "qw": math.cos(yaw / 2)}
    yield Sample.of("pose", sim=t, model=name, **place, **turn)
    for key, value in state.items():
        if key == "yaw":
            yield _value(name, key, yaw, t)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield _value(name, key, float(value), t)


def _value(name: str, field: str, value: float, t: float) -> Sample:
    return Sample.of("value", sim=t, topic=f"/{name}/{STATE_TOPIC}", field=field, value=value)
