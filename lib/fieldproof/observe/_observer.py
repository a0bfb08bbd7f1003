"""Turns what crosses the ROS graph and the simulator's frames into samples and a recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fieldproof.observe._config import ObserverConfig
from fieldproof.observe._fields import FieldError, FieldPath
from fieldproof.observe._ground_truth import contact_samples, pose_samples
from fieldproof.observe._topics import Message, TopicObserver
from fieldproof.observe._windows import RateWindow
from fieldproof.recording import MessageTypes, RecordingWriter
from fieldproof_sim import Frame

_NS = 1_000_000_000
_METRICS = "/fieldproof/metrics"


class Observer:
    """The pure middle of the observer: arrivals in, samples out, everything recorded on the way.

    Args:
        config: what to watch and record.
        topics: the subscriptions to take messages from.
        types: decodes the messages of watched topics.
        recorder: where messages are written, None when nothing is recorded.
        wall_ns: the wall clock, nanoseconds since the epoch; not read in lockstep.
    """

    def __init__(
        self,
        config: ObserverConfig,
        topics: TopicObserver,
        types: MessageTypes,
        recorder: RecordingWriter | None,
        *,
        wall_ns: Callable[[], int],
    ) -> None:
        self._config = config
        self._topics = topics
        self._recorder = recorder
        self._wall_ns = wall_ns
        self._types = types
        self._models = frozenset(config.observe.get("models", ())) | frozenset(config.vehicles)
        self._contacts = frozenset(item["vehicle"] for item in config.observe.get("contacts", ()))
        self._fields: dict[str, list[FieldPath]] = {}
        for item in config.observe.get("values", ()):
            self._fields.setdefault(item["topic"], []).append(FieldPath.parse(item["field"]))
        self._rates: dict[tuple[str, int], RateWindow] = {}
        self._samples: list[dict[str, Any]] = []
        self._released = not config.lockstep
        self._latched: list[Message] = []
        self._unwritten: list[tuple[Message, int]] = []
        self._unwritten_events: list[tuple[str, Mapping[str, Any], int]] = []
        self._poses: dict[str, dict[str, float]] = {}
        self._hz: dict[str, float] = {}
        self._next_second_ns = 0
        self._pace: tuple[int, int] | None = None  # (wall, sim) at the last whole second
        self.seen: set[str] = set()
        self.taken: Counter[str] = Counter()  # messages of each topic that count as evidence
        self.now_ns = 0

    def release(self) -> None:
        """The first tick is about to be taken: from here on everything is evidence."""
        self._released = True
        for message in self._ordered(self._latched):
            self._accept(message)
            self._watch(message)
        self._latched.clear()
        for item in self._config.observe.get("rates", ()):
            key = (item["topic"], item["window_ns"])
            self._rates[key] = RateWindow(item["window_ns"], self.now_ns)

    def take_frames(self, frames: Iterable[Frame]) -> None:
        """Take ground truth; poses and contacts of watched models become samples."""
        for frame in frames:
            root, _, rest = frame.topic.partition("/")
            if root == "clock":
                self.now_ns = max(self.now_ns, frame.time_ns)
            if not self._released:
                continue
            if root == "pose":
                for sample in pose_samples(frame.data, self._models):
                    self._poses[sample["model"]] = {k: sample[k] for k in ("x", "y", "z", "yaw")}
                    self._emit(sample)
            elif root == "contact" and rest in self._contacts:
                for sample in contact_samples(rest, frame.data):
                    self._emit(sample)

    def take_messages(self, now_ns: int) -> None:
        """Take everything that has arrived on the topics, as of simulation time `now_ns`."""
        self.now_ns = max(self.now_ns, now_ns)
        if not self._released:
            # what is latched holds from the start; other bring-up talk depends on how fast
            # processes are, and is not evidence
            taken = self._topics.take()
            self._latched += [each for each in taken if self._topics.latched(each.topic)]
            self.seen.update(each.topic for each in self._latched)
            return
        for message in self._ordered(self._topics.take()):
            self._accept(message)
            self._watch(message)
        self._each_second()

    def _accept(self, message: Message) -> None:
        self.seen.add(message.topic)
        self.taken[message.topic] += 1
        self._record(message)

    def _ordered(self, messages: Iterable[Message]) -> list[Message]:
        """In lockstep, an order that does not depend on which publisher was faster."""
        taken = list(messages)
        if not self._config.lockstep:
            return taken
        alike = Counter((message.topic, message.number) for message in taken)

        def order(message: Message) -> tuple[str, int, bytes]:
            key = (message.topic, message.number)
            # only publishers that share a topic can send the same number; the content decides
            tie = alike[key] > 1
            return (*key, self._types.canonical(message.type_name, message.cdr) if tie else b"")

        return sorted(taken, key=order)

    def _record(self, message: Message) -> None:
        if self._recorder is None or not self._config.records(message.topic):
            return
        self._unwritten.append((message, self._log_time_ns()))

    def write_out(self) -> None:
        """Write what was taken to the recording; done while nobody waits for samples."""
        if self._recorder is None:
            return
        for message, time_ns in self._unwritten:
            self._recorder.add_topic(
                message.topic, message.type_name, qos=self._topics.offered(message.topic)
            )
            self._recorder.write(message.topic, message.cdr, log_time_ns=time_ns)
        self._unwritten.clear()
        for topic, value, time_ns in self._unwritten_events:
            self._recorder.write_json(topic, value, log_time_ns=time_ns)
        self._unwritten_events.clear()

    def record_event(self, topic: str, value: Mapping[str, Any]) -> None:
        """Write one JSON object onto a side channel of the recording."""
        if self._recorder is not None:
            self._unwritten_events.append((topic, value, self._log_time_ns()))

    def _watch(self, message: Message) -> None:
        for (topic, _window), rate in self._rates.items():
            if topic == message.topic:
                rate.add(self.now_ns)
        fields = self._fields.get(message.topic)
        if not fields:
            return
        decoded = self._types.decode(message.type_name, message.cdr)
        for field in fields:
            where = {"topic": message.topic, "field": field.text}
            try:
                value = field.read(decoded)
            except FieldError as error:
                self._emit({"kind": "field_error", **where, "message": str(error)})
            else:
                self._emit({"kind": "value", **where, "value": value})

    def _each_second(self) -> None:
        for (topic, window_ns), rate in sorted(self._rates.items()):
            for ended_ns, messages in rate.due(self.now_ns, complete=self._config.lockstep):
                window_s = window_ns / _NS
                hz = messages / window_s
                self._hz[topic] = hz
                self._emit(
                    {
                        "kind": "rate",
                        "sim": ended_ns / _NS,
                        "topic": topic,
                        "hz": hz,
                        "window_s": window_s,
                        "messages": messages,
                    }
                )
        if self.now_ns >= self._next_second_ns:
            self._next_second_ns = self.now_ns // _NS * _NS + _NS
            self._metrics()

    def _metrics(self) -> None:
        rtf = self._real_time_factor()
        self._emit({"kind": "clock", "rtf": rtf})
        line: dict[str, Any] = {
            "sim": self.now_ns / _NS,
            "rtf": rtf,
            "mode": self._config.mode,
            "rates_hz": dict(sorted(self._hz.items())),
            "poses": dict(sorted(self._poses.items())),
            "recording": self._recorder is not None,
        }
        if not self._config.lockstep:
            line["wall"] = self._wall_ns() / _NS
        self.record_event(_METRICS, line)

    def _real_time_factor(self) -> float | None:
        """Over the last second; None in lockstep, where it would be a fact about this host."""
        if self._config.lockstep:
            return None
        now = (self._wall_ns(), self.now_ns)
        last, self._pace = self._pace, now
        if last is None or now[0] == last[0]:
            return None
        return (now[1] - last[1]) / (now[0] - last[0])

    def _log_time_ns(self) -> int:
        return self.now_ns if self._config.lockstep else self._wall_ns()

    def _emit(self, sample: dict[str, Any]) -> None:
        sample.setdefault("sim", self.now_ns / _NS)
        sample["wall"] = None if self._config.lockstep else self._wall_ns() / _NS
        self._samples.append(sample)

    def collect(self, side: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The samples since the last call, in order of simulation time; records side channels."""
        for line in side:
            self.record_event(line["topic"], line["value"])
        samples, self._samples = self._samples, []
        if self._config.lockstep:
            samples.sort(key=lambda sample: sample["sim"])  # stable: frames precede messages
        return samples
