"""Turns what crosses the ROS graph and the simulator's frames into samples and a recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fieldproof.observe._arrivals import ArrivalClock
from fieldproof.observe._config import ObserverConfig
from fieldproof.observe._ground_truth import Presence, contact_samples, pose_samples
from fieldproof.observe._message import Message, Topics
from fieldproof.observe._pace import Pace
from fieldproof.observe._watching import TopicWatch
from fieldproof.recording import MessageTypes, RecordingWriter
from fieldproof_sim import Frame

_NS = 1_000_000_000
_METRICS = "/fieldproof/metrics"
_MOST_SAMPLES = 100_000


class Observer:
    """The pure middle of the observer: arrivals in, samples out, everything recorded on the way.

    In lockstep the order of samples depends on what happened alone, not on who was faster. They are
    in order of simulation time; at one time come the simulator's frames as it sent them, then
    messages by topic and number (publishers of one topic that number alike: by content), lifecycle
    states by node, rates and ages by topic and window, and the clock.

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
        topics: Topics,
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
        self._presence = Presence(self._models)
        self._contacts = frozenset(item["vehicle"] for item in config.observe.get("contacts", ()))
        self._watch = TopicWatch(config.observe, types)
        self._arrivals = ArrivalClock()
        self._samples: list[dict[str, Any]] = []
        self._released = not config.lockstep
        self._latched: list[Message] = []
        self._unwritten: list[tuple[Message, int]] = []
        self._unwritten_events: list[tuple[str, Mapping[str, Any], int]] = []
        self._poses: dict[str, dict[str, float]] = {}
        self._states: dict[str, str] = {}
        self._world: Mapping[str, Any] = {}  # the simulator's last word about its clock
        self._ticks = 0
        self._acks = 0
        self._next_second_ns = 0
        self._pace = Pace(config.target_rtf)
        self.seen: set[str] = set()
        self.taken: Counter[str] = Counter()  # messages of each topic that count as evidence
        self.now_ns = 0

    @property
    def full(self) -> bool:
        """Whether nothing more should be taken before somebody collects.

        What is not taken meanwhile is lost in the subscriptions, where it is counted.
        """
        return len(self._samples) >= _MOST_SAMPLES

    def release(self) -> None:
        """The first tick is about to be taken: from here on everything is evidence."""
        self._released = True
        for message in self._ordered(self._latched):
            self._accept(message)
        self._latched.clear()
        self._watch.begin(self.now_ns)
        self._pace = Pace(self._config.target_rtf)  # the world stood until now

    def take_frames(self, frames: Iterable[Frame]) -> None:
        """Take ground truth: poses and contacts of watched models, and that one is gone."""
        for frame in frames:
            root, _, rest = frame.topic.partition("/")
            if root == "clock":
                self._take_clock(frame)
            if not self._released:
                continue
            if root == "pose":
                # before the poses: what is gone is nowhere at their instant
                for sample in self._presence.samples(frame.data):
                    self._emit(sample)
                for sample in pose_samples(frame.data, self._models):
                    if sample["model"] in self._config.vehicles:
                        pose = {key: sample[key] for key in ("x", "y", "z", "yaw")}
                        self._poses[sample["model"]] = pose
                    self._emit(sample)
            elif root == "contact" and rest in self._contacts:
                for sample in contact_samples(rest, frame.data):
                    self._emit(sample)

    def _take_clock(self, frame: Frame) -> None:
        self.now_ns = max(self.now_ns, frame.time_ns)
        self._world = frame.data
        wall_ns = frame.data.get("wall_ns")
        if wall_ns is not None and not self._config.lockstep:
            self._arrivals.tell(wall_ns, self.now_ns)

    def take_messages(self, now_ns: int) -> None:
        """Take everything that has arrived on the topics, as of simulation time `now_ns`."""
        self.now_ns = max(self.now_ns, now_ns)
        if self._released:
            for message in self._ordered(self._topics.take()):
                self._accept(message)
            return
        # what is latched holds from the start; other bring-up talk depends on how fast processes
        # are, and is not evidence
        taken = self._topics.take()
        self._latched += [each for each in taken if self._topics.latched(each.topic)]
        self.seen.update(each.topic for each in self._latched)

    def take_states(self, states: Mapping[str, str]) -> None:
        """Take the states that managed nodes are in now.

        In lockstep, where they are asked for at every tick, a state is a sample once a second and
        when it has changed.
        """
        for node, state in sorted(states.items()):
            if self._config.lockstep and not self._second and self._states.get(node) == state:
                continue
            self._emit({"kind": "lifecycle", "node": node, "state": state})

    def pass_time(self, *, acks: int = 0) -> None:
        """End the windows that are over and, once a second, tell the time.

        The second is one of simulation time in lockstep and one of the wall clock otherwise, so
        that samples go on coming while the world stands still.

        Args:
            acks: in lockstep, how many nodes said that they are done with the tick.
        """
        if not self._released:
            return
        self._ticks += 1
        self._acks = acks
        for sample in self._watch.due(self.now_ns, complete=self._config.lockstep):
            self._emit(sample)
        self._arrivals.settle(self.now_ns)
        if self._second:
            self._next_second_ns = self._clock_ns // _NS * _NS + _NS
            self._tell_time()

    @property
    def _clock_ns(self) -> int:
        return self.now_ns if self._config.lockstep else self._wall_ns()

    @property
    def _second(self) -> bool:
        return self._clock_ns >= self._next_second_ns

    def _accept(self, message: Message) -> None:
        self.seen.add(message.topic)
        self.taken[message.topic] += 1
        if self._recorder is not None and self._config.records(message.topic):
            self._unwritten.append((message, self._clock_ns))
        for sample in self._watch.take(
            message.topic,
            message.type_name,
            message.cdr,
            now_ns=self._arrivals.at(message.received_ns, self.now_ns),
            latched=self._topics.latched(message.topic),
        ):
            self._emit(sample)

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
            self._unwritten_events.append((topic, value, self._clock_ns))

    def _tell_time(self) -> None:
        lockstep = self._config.lockstep
        wall_ns = None if lockstep else self._wall_ns()
        # a factor of a run in lockstep would be a fact about this host
        rtf, drift_s = (None, None) if wall_ns is None else self._pace.mark(wall_ns, self.now_ns)
        self._emit({"kind": "clock", "rtf": rtf})
        line: dict[str, Any] = {
            "wall": None if wall_ns is None else wall_ns / _NS,
            "sim": self.now_ns / _NS,
            "rtf": rtf,
            "drift_s": drift_s,
            "mode": self._config.mode,
            "target_rtf": self._pace.target_rtf,
            "paused": None if lockstep else self._world.get("paused"),
            "gz_rtf": None if lockstep else self._world.get("rtf"),
            "rates_hz": dict(sorted(self._watch.hz.items())),
            "poses": dict(sorted(self._poses.items())),
            "lifecycle": dict(sorted(self._states.items())),
            "recording": self._recorder is not None,
        }
        if lockstep:
            line["lockstep"] = {"step": self._ticks, "acknowledgements": self._acks}
        self.record_event(_METRICS, line)

    def _emit(self, sample: dict[str, Any]) -> None:
        if sample["kind"] == "lifecycle":
            self._states[sample["node"]] = sample["state"]
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
