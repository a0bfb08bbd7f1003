import hashlib
import struct
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from fieldproof.recording._reader import RecordedMessage, RecordingReader
from fieldproof.recording._writer import RecordingWriter

VERDICT_TOPICS = frozenset({"/fieldproof/assertions", "/fieldproof/kpis"})
"""Side channels that say what was concluded, not what happened."""

_CHUNK_BYTES = 1 << 20
_FORM = b"fieldproof recording 1\n"


def recording_digest(path: Path, *, exclude: Collection[str] = VERDICT_TOPICS) -> str:
    """Return the SHA-256 (lower-case hexadecimal) of what was recorded, however it was stored.

    The digest covers, for every message by log time, topic and sequence: these three, the
    publish time, the type's name and the fields. Chunks, compression, channel numbers, byte order
    and the padding between fields do not count. An unclosed recording has the digest of its
    readable part.

    Args:
        path: an MCAP file or its folder.
        exclude: topics that do not count.

    Raises:
        OSError: The file cannot be read.
        DamagedRecordingError: A part of it is not whole.
        UndecodableMessageError: A message does not match its recorded definition.
    """
    digest = hashlib.sha256(_FORM)
    with RecordingReader(path) as reader:
        skipped = frozenset(exclude)

        def prepare(message: RecordedMessage) -> RecordedMessage | None:
            return None if message.topic in skipped else _canonical(reader, message)

        for message in reader.ordered(prepare):
            digest.update(
                struct.pack("<QQI", message.log_time_ns, message.publish_time_ns, message.sequence)
            )
            for text in (message.topic.encode(), message.type_name.encode(), message.data):
                digest.update(struct.pack("<Q", len(text)))
                digest.update(text)
    return digest.hexdigest()


def rewrite_canonical(source: Path, target: Path) -> Path:
    """Write a recording anew so that equal content gives equal bytes; return the MCAP file.

    Messages are re-serialised (little endian, padding zero) and ordered by log time, topic and
    sequence; topics and types are declared in the order of their names. `source` may be in
    `target`, whose recording is replaced once the new one is complete. An unclosed recording
    gives a closed one with all that is readable of it.

    Args:
        source: an MCAP file or its folder.
        target: the folder for `<folder>_0.mcap` and `metadata.yaml`.

    Raises:
        OSError: A file cannot be read or written.
        DamagedRecordingError: A part of the source is not whole.
        UndecodableMessageError: A message does not match its recorded definition.
        TopicError: A topic has messages of two types.
    """
    with RecordingReader(source) as reader:
        writer = RecordingWriter(target, reader.types, chunk_bytes=_CHUNK_BYTES, replace=True)
        complete = False
        try:
            for topic in reader.topics:
                writer.add_topic(topic.topic, topic.type_name, qos=topic.qos)
            for message in reader.ordered(lambda each: _canonical(reader, each)):
                writer.write(
                    message.topic,
                    message.data,
                    log_time_ns=message.log_time_ns,
                    publish_time_ns=message.publish_time_ns,
                    sequence=message.sequence,
                )
            writer.close()
            complete = True
        finally:
            if not complete:
                writer.discard()
    return writer.path


def _canonical(reader: RecordingReader, message: RecordedMessage) -> RecordedMessage:
    return replace(message, data=reader.types.canonical(message.type_name, message.data))
