from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from mcap.well_known import SchemaEncoding

from fieldproof.recording._errors import (
    DamagedRecordingError,
    UnclosedRecordingError,
    UnsupportedTypeError,
)
from fieldproof.recording._scan import Contents, contents_of, messages_at
from fieldproof.recording._types import MessageTypes


@dataclass(frozen=True, slots=True)
class RecordedTopic:
    """One channel of a recording.

    Attributes:
        topic: absolute name.
        type_name: such as `nav_msgs/msg/Odometry`.
        definition: the type's concatenated `.msg` text.
        qos: the YAML text of the offered profiles, empty when not known.
        messages: how many there are.
    """

    topic: str
    type_name: str
    definition: str
    qos: str
    messages: int


@dataclass(frozen=True, slots=True)
class RecordedMessage:
    """One message as it was recorded.

    Attributes:
        log_time_ns: when it was received, on the run's clock.
        topic: absolute name.
        sequence: its number on the topic.
        publish_time_ns: when it was published.
        type_name: such as `nav_msgs/msg/Odometry`.
        data: CDR bytes, encapsulation included.
    """

    log_time_ns: int
    topic: str
    sequence: int
    publish_time_ns: int
    type_name: str
    data: bytes


class RecordingReader:
    """Reads a recording with memory bounded by its chunks.

    A file that was never closed is read up to its last complete chunk; `unclosed` says so.

    Attributes:
        path: the MCAP file.
    """

    def __init__(self, path: Path) -> None:
        """Open a recording.

        Args:
            path: an MCAP file, or the folder that holds exactly one.

        Raises:
            OSError: The file cannot be opened.
            DamagedRecordingError: It is no recording, or its index is unreadable.
        """
        self.path = _file_in(path)
        self._stream = _opened(self.path)
        try:
            self._contents = contents_of(self.path, self._stream)
            self._channels = self._named_channels(self._contents)
        except BaseException:
            self._stream.close()
            raise

    @property
    def unclosed(self) -> bool:
        """Whether the writer was stopped before it could close the file."""
        return self._contents.unclosed_at is not None

    @property
    def readable_bytes(self) -> int | None:
        """Where the complete records of an unclosed file end, None when it was closed."""
        return self._contents.unclosed_at

    @property
    def start_ns(self) -> int | None:
        """The first log time, None without messages."""
        return self._contents.start_ns

    @property
    def end_ns(self) -> int | None:
        """The last log time, None without messages."""
        return self._contents.end_ns

    @property
    def topics(self) -> tuple[RecordedTopic, ...]:
        """The channels, by topic and type."""
        return tuple(sorted(self._channels.values(), key=lambda each: (each.topic, each.type_name)))

    @cached_property
    def types(self) -> MessageTypes:
        """The message types as the recording itself defines them."""
        return MessageTypes(
            definitions={each.type_name: each.definition for each in self._channels.values()}
        )

    def require_closed(self) -> None:
        """Insist on a complete file.

        Raises:
            UnclosedRecordingError: The file ends without its index.
        """
        if self._contents.unclosed_at is not None:
            raise UnclosedRecordingError(self.path, self._contents.unclosed_at)

    def messages(self) -> Iterator[RecordedMessage]:
        """Yield the messages in the order in which they were written.

        Raises:
            DamagedRecordingError: A chunk fails its checksum.
        """
        for part in self._contents.parts:
            yield from self._load(part.offset)

    def ordered(
        self,
        prepare: Callable[[RecordedMessage], RecordedMessage | None] = lambda each: each,
        *,
        topics: Collection[str] | None = None,
    ) -> Iterator[RecordedMessage]:
        """Yield the messages by log time, topic and sequence.

        Only the chunks whose times overlap are in memory at once.

        Args:
            prepare: applied to each message when its chunk is loaded; None drops it.
            topics: those that are wanted; None for all.

        Raises:
            DamagedRecordingError: A chunk fails its checksum.
        """
        parts = sorted(self._contents.parts)
        waiting: list[RecordedMessage] = []
        for position, part in enumerate(parts):
            prepared = map(prepare, self._load(part.offset, topics))
            waiting += [message for message in prepared if message is not None]
            waiting.sort(key=_key)
            ready = len(waiting)
            if position + 1 < len(parts):
                ready = bisect_left(
                    waiting, parts[position + 1].start_ns, key=lambda each: each.log_time_ns
                )
            yield from waiting[:ready]
            del waiting[:ready]

    def decode(self, message: RecordedMessage) -> object:
        """Return the message that the bytes stand for.

        Raises:
            UndecodableMessageError: The bytes do not match the recorded definition.
            UnsupportedTypeError: The recorded definition cannot be parsed.
        """
        return self.types.decode(message.type_name, message.data)

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _load(self, offset: int, topics: Collection[str] | None = None) -> list[RecordedMessage]:
        found = []
        unwanted = frozenset(
            number
            for number, channel in self._channels.items()
            if topics is not None and channel.topic not in topics
        )
        for each in messages_at(self.path, self._stream, offset):
            if each.channel_id in unwanted:
                continue
            channel = self._channels.get(each.channel_id)
            if channel is None:
                raise DamagedRecordingError(
                    self.path, offset, f"a message on undeclared channel {each.channel_id}"
                )
            found.append(
                RecordedMessage(
                    log_time_ns=each.log_time,
                    topic=channel.topic,
                    sequence=each.sequence,
                    publish_time_ns=each.publish_time,
                    type_name=channel.type_name,
                    data=each.data,
                )
            )
        return found

    def _named_channels(self, contents: Contents) -> Mapping[int, RecordedTopic]:
        channels: dict[int, RecordedTopic] = {}
        for number, channel in contents.channels.items():
            schema = contents.schemas.get(channel.schema_id)
            if schema is None:
                raise DamagedRecordingError(
                    self.path, 0, f"topic {channel.topic!r} has no message definition"
                )
            if schema.encoding != SchemaEncoding.ROS2:
                raise UnsupportedTypeError(schema.name, f"schema encoding {schema.encoding!r}")
            channels[number] = RecordedTopic(
                topic=channel.topic,
                type_name=schema.name,
                definition=schema.data.decode("utf-8", errors="replace"),
                qos=channel.metadata.get("offered_qos_profiles", ""),
                messages=contents.counts.get(number, 0),
            )
        return channels


def _key(message: RecordedMessage) -> tuple[int, str, int, int, str, bytes]:
    return (
        message.log_time_ns,
        message.topic,
        message.sequence,
        message.publish_time_ns,
        message.type_name,
        message.data,
    )


def _file_in(path: Path) -> Path:
    if not path.is_dir():
        return path
    files = sorted(path.glob("*.mcap"))
    if len(files) != 1:
        raise DamagedRecordingError(path, 0, f"the folder holds {len(files)} MCAP files, not one")
    return files[0]


def _opened(path: Path) -> IO[bytes]:
    if path.exists() and not path.is_file():  # to open a pipe would wait for a writer
        raise DamagedRecordingError(path, 0, "it is not a regular file")
    return path.open("rb")
