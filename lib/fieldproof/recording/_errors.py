from pathlib import Path


class RecordingError(Exception):
    """A recording cannot be written or read as asked."""


class UnknownTypeError(RecordingError):
    """No definition of a message type was found.

    Attributes:
        type_name: the type asked for, such as `nav2_msgs/msg/Costmap`.
        searched: the share folders that were looked through.
    """

    def __init__(self, type_name: str, searched: tuple[Path, ...] = ()) -> None:
        folders = ", ".join(str(folder) for folder in searched) or "no share folder"
        super().__init__(f"no definition of message type {type_name!r} (looked in {folders})")
        self.type_name = type_name
        self.searched = searched


class UnsupportedTypeError(RecordingError):
    """A message definition uses something that cannot be parsed, wide strings for one.

    Attributes:
        type_name: the type whose definition was being read.
        reason: what the parser made of it.
    """

    def __init__(self, type_name: str, reason: str) -> None:
        super().__init__(f"the definition of message type {type_name!r} cannot be used: {reason}")
        self.type_name = type_name
        self.reason = reason


class UndecodableMessageError(RecordingError):
    """The bytes of a message do not match its type.

    Attributes:
        type_name: the type that the bytes were said to be of.
        reason: where decoding stopped.
    """

    def __init__(self, type_name: str, reason: str) -> None:
        super().__init__(f"a message is not a valid {type_name}: {reason}")
        self.type_name = type_name
        self.reason = reason


class TopicError(RecordingError):
    """A topic is written without being declared, or declared twice with different types.

    Attributes:
        topic: the topic's absolute name.
    """

    def __init__(self, topic: str, reason: str) -> None:
        super().__init__(f"topic {topic!r}: {reason}")
        self.topic = topic


class WriterClosedError(RecordingError):
    """A message came after the recording was closed or had failed."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"recording {path} is closed")
        self.path = path


class DamagedRecordingError(RecordingError):
    """A file is no recording, or a part of it that should be whole is not.

    Attributes:
        path: the file.
        offset: the byte at which the unreadable part begins.
        reason: what is wrong with it.
    """

    def __init__(self, path: Path, offset: int, reason: str) -> None:
        super().__init__(f"recording {path} is damaged at byte {offset}: {reason}")
        self.path = path
        self.offset = offset
        self.reason = reason


class UnclosedRecordingError(RecordingError):
    """A recording ends without its index: whoever wrote it was stopped.

    Attributes:
        path: the file.
        offset: the first byte that belongs to no complete record.
    """

    def __init__(self, path: Path, offset: int) -> None:
        super().__init__(
            f"recording {path} was never closed: everything up to byte {offset} is readable"
        )
        self.path = path
        self.offset = offset
