"""Recordings: the messages of a run as MCAP, their canonical order and their digest."""

from fieldproof.recording._canonical import VERDICT_TOPICS, recording_digest, rewrite_canonical
from fieldproof.recording._errors import (
    DamagedRecordingError,
    RecordingError,
    TopicError,
    UnclosedRecordingError,
    UndecodableMessageError,
    UnknownTypeError,
    UnsupportedTypeError,
    WriterClosedError,
)
from fieldproof.recording._metadata import METADATA_VERSION
from fieldproof.recording._qos import OfferedQos
from fieldproof.recording._reader import RecordedMessage, RecordedTopic, RecordingReader
from fieldproof.recording._types import (
    MessageField,
    MessageTypes,
    TypeDefinition,
    share_folders,
)
from fieldproof.recording._writer import SIDE_CHANNEL_TYPE, RecordingWriter

__all__ = [
    "METADATA_VERSION",
    "SIDE_CHANNEL_TYPE",
    "VERDICT_TOPICS",
    "DamagedRecordingError",
    "MessageField",
    "MessageTypes",
    "OfferedQos",
    "RecordedMessage",
    "RecordedTopic",
    "RecordingError",
    "RecordingReader",
    "RecordingWriter",
    "TopicError",
    "TypeDefinition",
    "UnclosedRecordingError",
    "UndecodableMessageError",
    "UnknownTypeError",
    "UnsupportedTypeError",
    "WriterClosedError",
    "recording_digest",
    "rewrite_canonical",
    "share_folders",
]
