"""What the watched topics say: rates, ages, fields and transitions, as samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fieldproof.observe._fields import FieldError, FieldPath, ShortListError
from fieldproof.observe._stamps import STAMP, StampReader
from fieldproof.observe._windows import Ages, SlidingWindow
from fieldproof.recording import MessageTypes, RecordingError

_NS = 1_000_000_000
_FROM, _TO = FieldPath.parse("start_state.label"), FieldPath.parse("goal_state.label")

TRANSITIONS = "/transition_event"
"""What follows a managed node's name in the topic of its transitions."""


class TopicWatch:
    """Turns messages into the samples that the plan asks for; decodes only what it must.

    A watched message is decoded as a whole: for an odometry that takes 6 microseconds, no more
    than walking to a single field of it.

    Args:
        observe: the plan's observation part.
        types: describes and decodes the messages.

    Attributes:
        hz: the last rate of each topic whose rate is watched.
    """

    def __init__(self, observe: Mapping[str, Any], types: MessageTypes) -> None:
        self._types = types
        self._stamps = StampReader(types)
        self._fields: dict[str, list[FieldPath]] = defaultdict(list)
        for item in observe.get("values", ()):
            self._fields[item["topic"]].append(FieldPath.parse(item["field"]))
        self._nodes = {
            item["node"] + TRANSITIONS: item["node"] for item in observe.get("lifecycles", ())
        }
        self._rates = _Windows(observe.get("rates", ()))
        self._ages = _Windows(observe.get("latencies", ()))
        self._declared = {
            item["topic"]: item["message_type"]
            for kind in ("rates", "values", "latencies")
            for item in observe.get(kind, ())
            if item.get("message_type")
        }
        self._said: set[tuple[str, str]] = set()
        self.hz: dict[str, float] = {}

    def begin(self, now_ns: int) -> None:
        """Begin to count: the first windows end when they have passed whole."""
        self._rates.begin(now_ns)
        self._ages.begin(now_ns)

    def take(
        self, topic: str, type_name: str, cdr: bytes, *, now_ns: int, latched: bool
    ) -> Iterator[dict[str, Any]]:
        """Take one message and yield the samples that it gives at once.

        Args:
            topic: its topic.
            type_name: the topic's type.
            cdr: the serialised message.
            now_ns: simulation time at which it was received.
            latched: whether its publishers keep the last messages for those who come later.
        """
        self._rates.add(topic, now_ns, 0)
        declared = self._declared.get(topic, type_name)
        if declared != type_name:
            what = f"{topic} carries {type_name}, not {declared} as the scenario says"
            yield from self._errors(topic, what)
            return
        try:
            if topic in self._ages:
                self._ages.add(topic, now_ns, now_ns - self._stamps.read(type_name, cdr))
        except FieldError as error:
            yield from self._error_once(topic, STAMP, str(error))
        except RecordingError as error:
            yield from self._errors(topic, str(error))
            return
        if topic not in self._fields and topic not in self._nodes:
            return
        try:
            message = self._types.decode(type_name, cdr)
        except RecordingError as error:
            yield from self._errors(topic, str(error))
            return
        yield from self._decoded(topic, message, latched=latched)

    def _decoded(self, topic: str, message: object, *, latched: bool) -> Iterator[dict[str, Any]]:
        node = self._nodes.get(topic)
        if node is not None:
            states = {"state": _TO.read(message), "from": _FROM.read(message)}
            yield {"kind": "lifecycle", "node": node, **states}
        for field in self._fields.get(topic, ()):
            where = {"topic": topic, "field": field.text}
            try:
                value = field.read(message)
            except FieldError as error:
                sample = {"kind": "field_error", **where, "message": str(error)}
                yield {**sample, "short": True} if isinstance(error, ShortListError) else sample
            else:
                sample = {"kind": "value", **where, "value": value}
                yield {**sample, "latched": True} if latched else sample

    def _errors(self, topic: str, what: str) -> Iterator[dict[str, Any]]:
        """Say of everything that is read from a topic's messages that it cannot be."""
        for field in self._fields.get(topic, ()):
            yield from self._error_once(topic, field.text, what)
        if topic in self._ages:
            yield from self._error_once(topic, STAMP, what)

    def _error_once(self, topic: str, field: str, what: str) -> Iterator[dict[str, Any]]:
        if (topic, field) not in self._said:
            self._said.add((topic, field))
            yield {"kind": "field_error", "topic": topic, "field": field, "message": what}

    def due(self, now_ns: int, *, complete: bool) -> Iterator[dict[str, Any]]:
        """Yield the samples of the windows that have ended: rates, then ages, each by topic.

        Args:
            now_ns: simulation time.
            complete: whether every message of this time has been taken.
        """
        for topic, window_ns, end_ns, arrived in self._rates.due(now_ns, complete=complete):
            window_s = window_ns / _NS
            hz = self.hz[topic] = len(arrived) / window_s
            rate = {"hz": hz, "window_s": window_s, "messages": len(arrived)}
            yield {"kind": "rate", "sim": end_ns / _NS, "topic": topic, **rate}
        for topic, window_ns, end_ns, ages_ns in self._ages.due(now_ns, complete=complete):
            ages = Ages.of(ages_ns)
            yield {
                "kind": "latency",
                "sim": end_ns / _NS,
                "topic": topic,
                "window_s": window_ns / _NS,
                "count": ages.count,
                "mean_ms": ages.mean_ms,
                "max_ms": ages.max_ms,
                "min_ms": ages.min_ms,
                "p95_ms": ages.p95_ms,
            }


class _Windows:
    """The sliding windows of one kind; nothing is counted before they begin."""

    def __init__(self, items: Iterable[Mapping[str, Any]]) -> None:
        self._lengths: dict[str, set[int]] = defaultdict(set)
        for item in items:
            self._lengths[item["topic"]].add(item["window_ns"])
        self._open: dict[str, list[SlidingWindow[int]]] = {}

    def __contains__(self, topic: str) -> bool:
        return topic in self._lengths

    def begin(self, now_ns: int) -> None:
        self._open = {
            topic: [SlidingWindow(length, now_ns) for length in sorted(lengths)]
            for topic, lengths in sorted(self._lengths.items())
        }

    def add(self, topic: str, now_ns: int, item: int) -> None:
        for window in self._open.get(topic, ()):
            window.add(now_ns, item)

    def due(self, now_ns: int, *, complete: bool) -> Iterator[tuple[str, int, int, list[int]]]:
        for topic, windows in self._open.items():
            for window in windows:
                for end_ns, items in window.due(now_ns, complete=complete):
                    yield topic, window.window_ns, end_ns, items
