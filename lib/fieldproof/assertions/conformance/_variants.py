"""The same stream put otherwise, and the stream damaged."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fieldproof.samples import NS_PER_S, Sample, to_ns

_PLACES = 10
_SPOILT = 40
_DAMAGE = (math.nan, math.inf, -math.inf, 0, "text", None, [1, 2], True)
_TIME = ("timeline", "clock")
_NOBODY = "nobody"
_TOPIC = f"/{_NOBODY}/odom"
_ZEROS = dict.fromkeys(("x", "y", "z", "yaw", "qx", "qy", "qz", "qw"), 0.0)
_TAKES = {"cpu_pct": 1e6, "memory_mb": 1e6}
_FOREIGN: Mapping[str, Mapping[str, Any]] = {
    "pose": {"model": _NOBODY, **_ZEROS},
    "gone": {"model": _NOBODY},
    "value": {"topic": _TOPIC, "field": "x", "value": -1e9},
    "field_error": {"topic": _TOPIC, "field": "x", "message": "no field 'x'"},
    "rate": {"topic": _TOPIC, "hz": 0.0, "window_s": 5, "messages": 0},
    "contact": {"vehicle": _NOBODY, "collision1": "a", "collision2": "b", "count": 1},
    "lifecycle": {"node": f"/{_NOBODY}/node", "state": "unavailable"},
    "resource": {"container": _NOBODY, "role": "vehicle", "vehicle": _NOBODY, **_TAKES},
    "action": {"label": _NOBODY, "event": "finished", "action": "go", "status": "failed"},
}
"""One sample of each kind that is about a subject nobody asked for."""


def with_foreign(samples: Sequence[Sample]) -> Iterator[list[Sample]]:
    """Yield a stream with samples of other vehicles, topics and nodes at one place each."""
    for place in spread(range(1, len(samples))):
        like = samples[place - 1]
        foreign = [Sample(kind, like.wall, like.sim, data) for kind, data in _FOREIGN.items()]
        yield [*samples[:place], *foreign, *samples[place:]]


def shifted(sample: Sample, seconds: float) -> Sample:
    """Return a sample as of later, to the nanosecond."""

    def later(time: float | None) -> float | None:
        return None if time is None else (to_ns(time) + to_ns(seconds)) / NS_PER_S

    return Sample(sample.kind, later(sample.wall), later(sample.sim), sample.data)


def damaged(samples: Sequence[Sample]) -> Iterator[tuple[str, list[Sample]]]:
    """Yield what streams suffer, in words, and a stream that suffers it."""
    for place in spread(range(len(samples))):
        yield "a stream that is cut", [*samples[: place + 1]]
        yield "a sample that comes twice", [*samples[: place + 1], *samples[place:]]
        swapped = samples[place : place + 2][::-1]
        yield "two samples out of order", [*samples[:place], *swapped, *samples[place + 2 :]]
        if samples[place].kind != "timeline":
            yield "a sample that is lost", [*samples[:place], *samples[place + 1 :]]
    one_of_each = {sample.kind: place for place, sample in enumerate(samples[: len(samples) // 2])}
    spoilt = [
        (place, sample) for place in one_of_each.values() for sample in _spoiled(samples[place])
    ]
    for place, sample in spread(spoilt, _SPOILT):
        what = "a sample with a value that is none"
        yield what, [*samples[:place], sample, *samples[place + 1 :]]


def without_data(samples: Sequence[Sample]) -> list[Sample]:
    """Return a stream with the timeline's start and end and its time, and nothing observed."""
    return [sample for sample in samples if sample.kind in _TIME]


def with_nan(samples: Sequence[Sample]) -> Iterator[list[Sample]]:
    """Yield a stream with one sample more, at one place each, whose numbers are none."""
    places = [
        place
        for place, sample in enumerate(samples)
        if sample.kind not in _TIME and any(isinstance(one, float) for one in sample.data.values())
    ]
    for place in spread(places):
        like = samples[place]
        data = {
            key: math.nan if isinstance(value, float) else value for key, value in like.data.items()
        }
        more = Sample(like.kind, like.wall, like.sim, data)
        yield [*samples[:place], more, *samples[place:]]


def spread(items: Iterable[Any], most: int = _PLACES) -> list[Any]:
    """Return some of many items, spread over all of them, the first and the last included."""
    found = list(items)
    step = max(1, math.ceil(len(found) / most))
    return [*found[::step], *(found[-1:] if found and (len(found) - 1) % step else ())]


def _spoiled(sample: Sample) -> Iterator[Sample]:
    """Yield a sample with one of its values after the other put out of order."""
    for key, value in sample.data.items():
        spoils: Iterable[Any] = ()
        if sample.kind == "value" and key == "value":
            spoils = _DAMAGE
        elif isinstance(value, float):
            spoils = _DAMAGE[:3]
        elif key == "status":
            spoils = ("failed", "skipped")
        for spoil in spoils:
            yield Sample(sample.kind, sample.wall, sample.sim, {**sample.data, key: spoil})
