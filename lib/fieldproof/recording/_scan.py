import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import zstandard
from mcap.exceptions import EndOfFile, InvalidMagic, McapError
from mcap.reader import FOOTER_SIZE, SeekingReader
from mcap.records import Channel, Chunk, Footer, McapRecord, Message, Schema, Statistics
from mcap.stream_reader import CRCValidationError, StreamReader, breakup_chunk

from fieldproof.recording._errors import DamagedRecordingError

_MAGIC = b"\x89MCAP0\r\n"
_RECORD_LIMIT = 1 << 30
_FOOTER = struct.Struct("<BQQQI")  # opcode, length, start, start of the offsets, checksum
_CRC_BYTES = 4
_BROKEN = (
    McapError,
    CRCValidationError,
    zstandard.ZstdError,
    zlib.error,
    RuntimeError,
    struct.error,
    UnicodeDecodeError,
    ValueError,
    MemoryError,
)


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """A chunk, or a message outside chunks.

    Attributes:
        start_ns: the first log time in it.
        offset: where its record begins in the file.
    """

    start_ns: int
    offset: int


@dataclass(slots=True)
class Contents:
    """What a recording file holds, without its messages.

    Attributes:
        parts: in file order.
        schemas: by schema id.
        channels: by channel id.
        counts: messages by channel id.
        start_ns: the first log time, None without messages.
        end_ns: the last log time, None without messages.
        unclosed_at: the end of the last complete record if the file has no end, else None.
    """

    parts: list[Part] = field(default_factory=list)
    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    start_ns: int | None = None
    end_ns: int | None = None
    unclosed_at: int | None = None


def contents_of(path: Path, stream: IO[bytes]) -> Contents:
    """Return the contents from the file's index, or by reading the file where there is none.

    Raises:
        DamagedRecordingError: The file is no recording, or a complete record in it is not whole.
    """
    return _indexed(path, stream) or _scanned(path, stream)


def messages_at(path: Path, stream: IO[bytes], offset: int) -> list[Message]:
    """Return the messages of the chunk at an offset, in file order.

    Raises:
        DamagedRecordingError: The chunk fails its checksum or cannot be decompressed.
    """
    stream.seek(offset)
    reader = StreamReader(
        stream, skip_magic=True, emit_chunks=True, record_size_limit=_RECORD_LIMIT
    )
    try:
        record = next(reader.records)
    except _BROKEN as error:
        raise DamagedRecordingError(path, offset, _reason(error)) from error
    if not isinstance(record, Chunk | Message):
        raise DamagedRecordingError(path, offset, "no messages are where the index says")
    return [each for each in _inside(path, offset, record) if isinstance(each, Message)]


def _indexed(path: Path, stream: IO[bytes]) -> Contents | None:
    size = stream.seek(0, 2)
    if size < 2 * len(_MAGIC):
        return None
    stream.seek(-len(_MAGIC), 2)
    if stream.read(len(_MAGIC)) != _MAGIC:
        return None
    if not _index_is_whole(stream, size):
        return None
    stream.seek(0)
    try:
        summary = SeekingReader(stream, record_size_limit=_RECORD_LIMIT).get_summary()
    except _BROKEN as error:
        raise DamagedRecordingError(
            path, size, f"the index is unreadable: {_reason(error)}"
        ) from error
    if summary is None or summary.statistics is None:
        return None
    statistics = summary.statistics
    if statistics.chunk_count != len(summary.chunk_indexes) or (
        statistics.message_count and not summary.chunk_indexes
    ):
        return None
    some = statistics.message_count > 0
    return Contents(
        parts=[
            Part(each.message_start_time, each.chunk_start_offset)
            for each in sorted(summary.chunk_indexes, key=lambda each: each.chunk_start_offset)
        ],
        schemas=dict(summary.schemas),
        channels=dict(summary.channels),
        counts=dict(statistics.channel_message_counts),
        start_ns=statistics.message_start_time if some else None,
        end_ns=statistics.message_end_time if some else None,
    )


def _index_is_whole(stream: IO[bytes], size: int) -> bool:
    """Whether the index fits its checksum; a checksum of 0 says that there is none."""
    footer_at = size - len(_MAGIC) - FOOTER_SIZE
    if footer_at < len(_MAGIC):
        return False
    stream.seek(footer_at)
    _, _, start, _, expected = _FOOTER.unpack(stream.read(FOOTER_SIZE))
    if not len(_MAGIC) <= start <= footer_at:
        return False
    stream.seek(start)
    covered = stream.read(footer_at + FOOTER_SIZE - _CRC_BYTES - start)
    return not expected or zlib.crc32(covered) == expected


def _scanned(path: Path, stream: IO[bytes]) -> Contents:
    found = Contents()
    for offset, record in _records(path, stream, found):
        part_start: int | None = None
        if isinstance(record, Statistics):
            _agree(path, offset, record, found)
        for each in _inside(path, offset, record):
            if isinstance(each, Schema):
                found.schemas[each.id] = each
            elif isinstance(each, Channel):
                found.channels[each.id] = each
            elif isinstance(each, Message):
                time = each.log_time
                part_start = time if part_start is None else min(part_start, time)
                found.counts[each.channel_id] = found.counts.get(each.channel_id, 0) + 1
                found.start_ns = time if found.start_ns is None else min(found.start_ns, time)
                found.end_ns = time if found.end_ns is None else max(found.end_ns, time)
        if part_start is not None:
            found.parts.append(Part(part_start, offset))
    return found


def _agree(path: Path, offset: int, statistics: Statistics, found: Contents) -> None:
    """Insist on every message: a record whose kind is damaged is passed over in silence."""
    there = sum(found.counts.values())
    if there != statistics.message_count:
        what = f"{there} of its {statistics.message_count} messages are found"
        raise DamagedRecordingError(path, offset, what)


def _records(path: Path, stream: IO[bytes], found: Contents) -> Iterator[tuple[int, McapRecord]]:
    """Yield each complete record with its offset; note in `found` where an unclosed file ends."""
    stream.seek(0)
    start = stream.read(len(_MAGIC))
    if start != _MAGIC:
        if start and not _MAGIC.startswith(start):
            raise DamagedRecordingError(path, 0, "not an MCAP file")
        found.unclosed_at = 0
        return
    stream.seek(0)
    reader = StreamReader(stream, emit_chunks=True, record_size_limit=_RECORD_LIMIT)
    records = reader.records
    offset = len(_MAGIC)
    while True:
        try:
            record = next(records)
        except (EndOfFile, struct.error):
            found.unclosed_at = offset
            return
        except (InvalidMagic, *_BROKEN) as error:
            raise DamagedRecordingError(path, offset, _reason(error)) from error
        yield offset, record
        if isinstance(record, Footer):
            if stream.read(len(_MAGIC)) != _MAGIC:
                found.unclosed_at = offset
            return
        offset = stream.tell()


def _inside(path: Path, offset: int, record: McapRecord) -> list[McapRecord]:
    if not isinstance(record, Chunk):
        return [record]
    try:
        return breakup_chunk(record, validate_crc=True)
    except _BROKEN as error:
        raise DamagedRecordingError(path, offset, _reason(error)) from error


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
