import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from mcap.well_known import MessageEncoding, Profile, SchemaEncoding
from mcap.writer import CompressionType, Writer

from fieldproof.recording._errors import TopicError, WriterClosedError
from fieldproof.recording._metadata import TopicSummary, metadata_document
from fieldproof.recording._qos import OfferedQos, qos_text
from fieldproof.recording._types import MessageTypes

SIDE_CHANNEL_TYPE = "std_msgs/msg/String"
_SEQUENCE_LIMIT = 2**32


class _WriteThrough(io.BufferedWriter):
    """Hands every write to the operating system, so that a killed process loses no chunk."""

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override]
        count = super().write(data)
        self.flush()
        return count


@dataclass(slots=True)
class _Topic:
    channel: int
    type_name: str
    type_hash: str
    qos: str
    messages: int = 0
    sequence: int = 0


class RecordingWriter:
    """Writes a recording: a folder with one MCAP file and rosbag2's `metadata.yaml`.

    Messages gather in a chunk that is compressed (zstd) and written when it is full; memory is
    bounded by the chunk. A process that dies leaves every complete chunk readable; `close` writes
    the index and the metadata. It is not safe for use from several threads.

    Attributes:
        directory: the recording's folder.
        path: the MCAP file as it is named at present.
    """

    def __init__(
        self,
        directory: Path,
        types: MessageTypes,
        *,
        chunk_bytes: int = 512 * 1024,
        replace: bool = False,
    ) -> None:
        """Create the folder and the file.

        Args:
            directory: created with its parents; the file in it is named `<folder>_0.mcap`.
            types: where the definitions for the schemas come from.
            chunk_bytes: uncompressed size at which a chunk is written.
            replace: write beside a recording that is already there and take its place on `close`.

        Raises:
            FileExistsError: The folder already holds a recording, and `replace` is not set.
            OSError: The folder or the file cannot be created.
        """
        directory.mkdir(parents=True, exist_ok=True)
        self.directory = directory
        self._final_name = f"{directory.name}_0.mcap"
        self.path = directory / (f".{self._final_name}.part" if replace else self._final_name)
        if replace:
            self.path.unlink(missing_ok=True)
        self._types = types
        self._topics: dict[str, _Topic] = {}
        self._schemas: dict[str, tuple[int, str]] = {}
        self._start_ns: int | None = None
        self._end_ns: int | None = None
        self._stream = _WriteThrough(io.FileIO(self.path, "xb"))
        self._closed = False
        self._writer = Writer(
            self._stream, chunk_size=chunk_bytes, compression=CompressionType.ZSTD
        )
        with self._closed_on_error():
            self._writer.start(profile=Profile.ROS2, library="fieldproof")

    @property
    def closed(self) -> bool:
        """Whether the file is closed, by `close` or because a write failed."""
        return self._closed

    @property
    def counts(self) -> dict[str, int]:
        """Return how many messages each declared topic has, by topic."""
        return {name: topic.messages for name, topic in self._topics.items()}

    def add_topic(
        self, topic: str, type_name: str, *, qos: Sequence[OfferedQos] | str = ()
    ) -> None:
        """Declare a topic. Declaring it again with the same type changes nothing.

        Args:
            topic: absolute name.
            type_name: such as `sensor_msgs/msg/LaserScan`.
            qos: what its publishers offer, or the text that another recording has for it; empty
                when not known.

        Raises:
            UnknownTypeError: No definition of the type was found.
            TopicError: The topic is declared with another type.
            WriterClosedError: The recording is closed.
        """
        self._check_open()
        known = self._topics.get(topic)
        if known is not None:
            if known.type_name != type_name:
                raise TopicError(topic, f"is {known.type_name}, cannot also be {type_name}")
            return
        text = qos if isinstance(qos, str) else qos_text(qos)
        with self._closed_on_error():
            if type_name not in self._schemas:
                definition = self._types.definition(type_name)
                schema = self._writer.register_schema(
                    type_name, SchemaEncoding.ROS2, definition.text.encode()
                )
                self._schemas[type_name] = (schema, definition.type_hash)
            schema, type_hash = self._schemas[type_name]
            channel = self._writer.register_channel(
                topic, MessageEncoding.CDR, schema, {"offered_qos_profiles": text}
            )
        self._topics[topic] = _Topic(channel, type_name, type_hash, text)

    def write(
        self,
        topic: str,
        data: bytes,
        *,
        log_time_ns: int,
        publish_time_ns: int | None = None,
        sequence: int | None = None,
    ) -> None:
        """Append one message.

        Args:
            topic: declared before.
            data: CDR bytes, encapsulation included, as a raw subscription receives them.
            log_time_ns: when it was received, on the run's clock.
            publish_time_ns: when it was published; the log time when not known.
            sequence: its number on the topic; one more than the last when not given.

        Raises:
            TopicError: The topic was not declared.
            WriterClosedError: The recording is closed.
            OSError: The chunk cannot be written; the recording is closed then, and what was
                written before stays readable.
        """
        self._check_open()
        known = self._topics.get(topic)
        if known is None:
            raise TopicError(topic, "is written before it is declared")
        number = known.sequence + 1 if sequence is None else sequence
        with self._closed_on_error():
            self._writer.add_message(
                channel_id=known.channel,
                log_time=log_time_ns,
                data=data,
                publish_time=log_time_ns if publish_time_ns is None else publish_time_ns,
                sequence=number % _SEQUENCE_LIMIT,
            )
        known.sequence = number
        known.messages += 1
        self._start_ns = log_time_ns if self._start_ns is None else min(self._start_ns, log_time_ns)
        self._end_ns = log_time_ns if self._end_ns is None else max(self._end_ns, log_time_ns)

    def write_json(self, topic: str, value: Mapping[str, object], *, log_time_ns: int) -> None:
        """Append one object to a side channel: JSON in a `std_msgs/msg/String`.

        The topic is declared by its first object. Keys are sorted, so that equal objects give
        equal bytes.

        Raises:
            TopicError: The topic is declared with another type.
            ValueError: The object holds NaN or an infinity.
            OSError: As for `write`.
        """
        text = json.dumps(
            value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
        )
        self.add_topic(topic, SIDE_CHANNEL_TYPE, qos=(OfferedQos(depth=1000),))
        message = self._types.message_class(SIDE_CHANNEL_TYPE)(text)
        self.write(topic, self._types.encode(SIDE_CHANNEL_TYPE, message), log_time_ns=log_time_ns)

    def flush(self) -> None:
        """End the chunk in progress, so that all messages so far survive a kill."""
        self._check_open()
        with self._closed_on_error():
            self._writer.flush()  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """Write the index and `metadata.yaml`, and close the file. Closing again does nothing.

        Raises:
            OSError: The rest cannot be written; the file is closed nevertheless.
        """
        if self._closed:
            return
        with self._closed_on_error():
            self._writer.finish()  # type: ignore[no-untyped-call]
        self._closed = True
        self._stream.close()
        document = metadata_document(
            file_name=self._final_name,
            start_ns=self._start_ns,
            end_ns=self._end_ns,
            topics=[
                TopicSummary(name, each.type_name, each.type_hash, each.qos, each.messages)
                for name, each in sorted(self._topics.items())
            ],
        )
        temporary = self.directory / ".metadata.yaml.part"
        temporary.write_text(document, encoding="utf-8")
        if self.path.name != self._final_name:
            self.path = self.path.replace(self.directory / self._final_name)
        temporary.replace(self.directory / "metadata.yaml")

    def discard(self) -> None:
        """Close and remove the file, whatever state it is in; the recording is given up."""
        self._closed = True
        with suppress(OSError):  # a full disk refuses the rest of a file that is to go anyway
            self._stream.close()
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise WriterClosedError(self.path)

    @contextmanager
    def _closed_on_error(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            self._closed = True
            with suppress(OSError):  # what the buffer still holds cannot be written either
                self._stream.close()
            raise
