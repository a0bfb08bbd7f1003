"""When a message says it was made, read off its bytes."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import fields

from fieldproof.observe._fields import FieldError, FieldPath
from fieldproof.recording import MessageTypes

_SECOND_NS = 1_000_000_000
_HEADER = "std_msgs__msg__Header"
_SEC, _NANOSEC = FieldPath.parse("header.stamp.sec"), FieldPath.parse("header.stamp.nanosec")
# a header that comes first lies behind the four bytes that say how the message is encoded
_OFFSET = 4
_FORMATS = {b"\x00\x00": struct.Struct(">iI"), b"\x00\x01": struct.Struct("<iI")}

STAMP = "header.stamp"
"""The field that the age of a message is measured from."""


class StampReader:
    """Reads `header.stamp` of serialised messages.

    Where the header comes first, as it does in nearly every stamped type, nothing is decoded.

    Args:
        types: describes the message types.
    """

    def __init__(self, types: MessageTypes) -> None:
        self._types = types
        self._readers: dict[str, Callable[[bytes], int]] = {}

    def read(self, type_name: str, cdr: bytes) -> int:
        """The stamp in nanoseconds.

        Raises:
            FieldError: messages of the type carry no header; says what they have.
            RecordingError: the type is not known, or the bytes are none of its messages.
        """
        reader = self._readers.get(type_name)
        if reader is None:
            reader = self._readers[type_name] = self._reader(type_name)
        return reader(cdr)

    def _reader(self, type_name: str) -> Callable[[bytes], int]:
        known = [
            field for field in fields(self._types.message_class(type_name)) if field.name[0] != "_"
        ]
        if ("header", _HEADER) not in [(field.name, field.type) for field in known]:
            names = ", ".join(field.name for field in known)
            raise FieldError(
                f"{type_name} has no {STAMP}, its messages have no age (it has {names})"
            )
        if known[0].name != "header":
            return lambda cdr: self._decoded(type_name, cdr)

        def first(cdr: bytes) -> int:
            form = _FORMATS.get(cdr[:2])
            if form is None or len(cdr) < _OFFSET + form.size:
                return self._decoded(type_name, cdr)
            sec, nanosec = form.unpack_from(cdr, _OFFSET)
            return int(sec) * _SECOND_NS + int(nanosec)

        return first

    def _decoded(self, type_name: str, cdr: bytes) -> int:
        message = self._types.decode(type_name, cdr)
        return int(_SEC.read(message)) * _SECOND_NS + int(_NANOSEC.read(message))
