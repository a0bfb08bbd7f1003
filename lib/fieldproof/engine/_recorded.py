"""A recording of a real robot as a stream of samples, as an observer would have seen it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fieldproof.model import PoseSource, RecordingMap, nearest
from fieldproof.observe import TopicWatch
from fieldproof.recording import RecordedMessage, RecordingError, RecordingReader
from fieldproof.samples import Sample

_NS = 1_000_000_000
_POSE_NS = _NS // 10
_LEAP_NS = 7 * 24 * 3600 * _NS

# The path to the pose in each type that can say where a model is.
POSE_TYPES: Mapping[str, tuple[str, ...]] = {
    "nav_msgs/msg/Odometry": ("pose", "pose"),
    "geometry_msgs/msg/PoseStamped": ("pose",),
    "geometry_msgs/msg/PoseWithCovarianceStamped": ("pose", "pose"),
    "geometry_msgs/msg/Pose": (),
}


class RecordedStream:
    """The samples of one recording; its time begins at its first message and is simulation time.

    Args:
        reader: the recording.
        observe: the observation part of the plan to be evaluated.
        names: where the plan's names are found in the recording.
    """

    def __init__(
        self, reader: RecordingReader, observe: Mapping[str, Any], names: RecordingMap
    ) -> None:
        self._reader = reader
        self._observe = observe
        self._names = names
        self._begin_ns = reader.start_ns or 0
        self._recorded = {topic.topic: topic.type_name for topic in reader.topics}
        self._topics = {
            names.topics.get(topic, topic): topic
            for kind in ("values", "rates", "latencies")
            for topic in (item["topic"] for item in observe.get(kind, ()))
        }
        self._poses: dict[str, list[tuple[str, PoseSource]]] = {}
        for model, source in names.poses.items():
            if model in observe.get("models", ()):
                self._poses.setdefault(source.topic, []).append((model, source))

    def lacking(self) -> list[str]:
        """Return what the plan asks for and the recording cannot say, a sentence each."""
        found = []
        for recorded, topic in sorted(self._topics.items()):
            if recorded not in self._recorded and not self._reader.unclosed:
                what = f"{_renamed(topic, recorded)} is not in the recording"
                found.append(f"{what} (a map may say what it is called there: --map)")
        for model in self._observe.get("models", ()):
            source = self._names.poses.get(model)
            if source is None:
                found.append(
                    f"nothing says where {model} is: name a topic under poses in a map (--map)"
                )
            elif source.topic not in self._recorded:
                if not self._reader.unclosed:
                    found.append(f"{source.topic}, which says where {model} is, is not recorded")
            elif self._recorded[source.topic] not in POSE_TYPES:
                known = ", ".join(POSE_TYPES)
                kind = self._recorded[source.topic]
                found.append(f"{source.topic} is {kind} and says no pose (what does: {known})")
        found += [
            f"the contacts of {one['vehicle']} are known to a simulator only"
            for one in self._observe.get("contacts", ())
        ]
        found += [
            f"the state of {one['node']} cannot be asked of a recording"
            for one in self._observe.get("lifecycles", ())
        ]
        found += [
            f"what the processes of {one['vehicle']} took is not in a recording"
            for one in self._observe.get("resources", ())
        ]
        return found

    def unmatched(self) -> list[str]:
        """Return the entries of the map that match nothing, a sentence each, with what is near."""
        asked = set(self._topics.values())
        models = sorted(self._observe.get("models", ()))
        found = []
        for topic, recorded in sorted(self._names.topics.items()):
            if topic not in asked:
                found.append(f"topics.{topic}: nothing asks for it{_near(topic, asked)}")
            found += self._unrecorded(f"topics.{topic}", recorded)
        for model, source in sorted(self._names.poses.items()):
            if model not in models:
                found.append(f"poses.{model}: the scenario has no {model}{_near(model, models)}")
            found += self._unrecorded(f"poses.{model}", source.topic)
        return [f"the map's entry {what}" for what in found]

    def _unrecorded(self, entry: str, topic: str) -> list[str]:
        if topic in self._recorded or self._reader.unclosed:
            return []
        return [f"{entry}: {topic} is not in the recording{_near(topic, self._recorded)}"]

    def beyond_the_cut(self) -> list[str]:
        """Return what the plan asks for and a recording that was cut does not hold, or no more."""
        topics = [_renamed(topic, recorded) for recorded, topic in sorted(self._topics.items())]
        asked = dict(zip(sorted(self._topics), topics, strict=True))
        asked |= {
            topic: f"{topic}, which says where {model} is,"
            for topic, models in sorted(self._poses.items())
            for model, _ in models
        }
        return [
            f"{what} is not in what is left of the recording"
            for topic, what in asked.items()
            if topic not in self._recorded
        ]

    def samples(self) -> Iterator[Sample]:
        """Yield the samples in order of time, between the timeline's start and its end.

        Raises:
            RecordingError: a part of the file cannot be read, or its clock was set in between.
        """
        watch = TopicWatch(self._observe, self._reader.types)
        watch.begin(0)
        yield Sample.of("timeline", sim=0.0, event="start", status="running")
        now_ns, next_second_ns = 0, 0
        due_ns: dict[str, int] = {}
        for message in self._reader.ordered(topics={*self._topics, *self._poses}):
            time_ns = message.log_time_ns - self._begin_ns
            if time_ns > now_ns:
                _insist_on_steps(now_ns, time_ns)
                yield from self._finish(watch, now_ns)
                while next_second_ns <= time_ns:
                    yield Sample.of("clock", sim=next_second_ns / _NS, rtf=None)
                    next_second_ns += _NS
                now_ns = time_ns
            yield from self._placed(message, now_ns, due_ns)
            topic = self._topics.get(message.topic)
            if topic is not None:
                for data in watch.take(
                    topic, message.type_name, message.data, now_ns=now_ns, latched=False
                ):
                    yield _sample(data, now_ns)
        end_ns = max((self._reader.end_ns or self._begin_ns) - self._begin_ns, now_ns)
        _insist_on_steps(now_ns, end_ns)
        yield from self._finish(watch, end_ns)
        if self._reader.unclosed:
            yield Sample.of("clock", sim=end_ns / _NS, rtf=None)
        else:
            yield Sample.of("timeline", sim=end_ns / _NS, event="end", status="completed")

    def _finish(self, watch: TopicWatch, now_ns: int) -> Iterator[Sample]:
        for data in watch.due(now_ns, complete=True):
            yield _sample(data, now_ns)

    def _placed(
        self, message: RecordedMessage, now_ns: int, due_ns: dict[str, int]
    ) -> Iterator[Sample]:
        """The poses that a message says, ten a second at most, as ground truth is streamed."""
        for model, source in self._poses.get(message.topic, ()):
            if now_ns < due_ns.get(model, 0):
                continue
            due_ns[model] = now_ns // _POSE_NS * _POSE_NS + _POSE_NS
            pose: Any = self._reader.decode(message)
            for part in POSE_TYPES[message.type_name]:
                pose = getattr(pose, part)
            yield _pose_sample(model, source, pose, now_ns)


def recorded_of(
    reader: RecordingReader, observe: Mapping[str, Any]
) -> tuple[dict[str, list[Any]], list[str]]:
    """Return what of an observation part a run's recording can tell, and topics cut away.

    Of a recording that was cut nobody knows what it held behind the cut: it can tell all of it,
    up to there.

    Args:
        reader: the run's recording.
        observe: what is asked: values, rates and latencies.
    """
    there = {topic.topic for topic in reader.topics}
    asked = dict.fromkeys(item["topic"] for kind in observe.values() for item in kind)
    if reader.unclosed:
        return dict(observe), [topic for topic in asked if topic not in there]
    found = {
        kind: [item for item in items if item["topic"] in there] for kind, items in observe.items()
    }
    return found, []


def watched_again(reader: RecordingReader, observe: Mapping[str, Any]) -> Iterator[Sample]:
    """Yield what a lockstep run's observer would have said of topics that it only recorded.

    Args:
        reader: the run's recording, whose times are simulation time.
        observe: what is asked of the topics: values, rates and latencies.

    Raises:
        UnclosedRecordingError: at the end of a recording that was cut.
        RecordingError: a part of the recording cannot be read, or its times are no run's.
    """
    topics = {item["topic"] for kind in observe.values() for item in kind}
    watch = TopicWatch(observe, reader.types)
    watch.begin(0)
    now_ns = 0
    for message in reader.ordered(topics=topics):
        if message.log_time_ns > now_ns:
            _insist_on_steps(now_ns, message.log_time_ns)
            yield from (_sample(data, now_ns) for data in watch.due(now_ns, complete=True))
            now_ns = message.log_time_ns
        for data in watch.take(
            message.topic, message.type_name, message.data, now_ns=now_ns, latched=False
        ):
            yield _sample(data, now_ns)
    end_ns = max(reader.end_ns or 0, now_ns)
    _insist_on_steps(now_ns, end_ns)
    yield from (_sample(data, end_ns) for data in watch.due(end_ns, complete=True))
    if reader.unclosed and reader.topics:
        yield Sample.of("clock", sim=end_ns / _NS, rtf=None)
    reader.require_closed()


def _insist_on_steps(before_ns: int, now_ns: int) -> None:
    """Refuse a leap of time: windows and deadlines would be judged on time that never passed."""
    if now_ns - before_ns > _LEAP_NS:
        leap, at = (now_ns - before_ns) / _NS, before_ns / _NS
        raise RecordingError(
            f"time leaps by {leap:.0f} s at {at:g} s: the clock was set while this was recorded"
        )


def _near(name: str, known: Iterable[str]) -> str:
    hint = nearest(name, known)
    return f" ({hint})" if hint else ""


def _renamed(topic: str, recorded: str) -> str:
    return topic if recorded == topic else f"{topic} (as {recorded})"


def _sample(data: Mapping[str, Any], now_ns: int) -> Sample:
    return Sample.from_data({"sim": now_ns / _NS, **data, "wall": None})


def _pose_sample(model: str, source: PoseSource, pose: Any, now_ns: int) -> Sample:
    """A pose in the world, from one in a level frame that lies in the world as `source` says."""
    at, turn = pose.position, pose.orientation
    cosine, sine = math.cos(source.yaw), math.sin(source.yaw)
    half = source.yaw / 2.0
    c, s = math.cos(half), math.sin(half)
    # the rotation about z first, then the pose's own: q = (0, 0, s, c) * q_pose
    qx, qy = c * turn.x - s * turn.y, c * turn.y + s * turn.x
    qz, qw = c * turn.z + s * turn.w, c * turn.w - s * turn.z
    return Sample.of(
        "pose",
        sim=now_ns / _NS,
        model=model,
        x=source.x + cosine * at.x - sine * at.y,
        y=source.y + sine * at.x + cosine * at.y,
        z=source.z + float(at.z),
        yaw=math.atan2(2.0 * (qw * qz + qx * qy), 1.0 - 2.0 * (qy * qy + qz * qz)),
        qx=qx,
        qy=qy,
        qz=qz,
        qw=qw,
    )
