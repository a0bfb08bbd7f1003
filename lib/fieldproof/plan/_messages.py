"""The fields of message types, as far as they are known before anything is published."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from fieldproof.model import ScenarioError, nearest, shown

_STEP = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)|\[([0-9]+)\]")
_DEEPEST = 6
_SHOWN = 4


class MessageField(Protocol):
    """One field of a message type."""

    @property
    def type_name(self) -> str:
        """The message type of its value, such as `std_msgs/msg/Header`, or a plain type."""
        ...

    @property
    def is_list(self) -> bool:
        """Whether its value is a list of these."""
        ...

    @property
    def length(self) -> int | None:
        """How long the list always is; None where messages differ."""
        ...


FieldsOf = Callable[[str], Mapping[str, MessageField] | None]
"""Returns the fields of a message type by name; None for a type that is not known here."""


def unknown_fields(_message_type: str) -> Mapping[str, MessageField] | None:
    """Return None: for plans without the definitions of messages."""
    return None


def check_field(path: str, message_type: str, fields_of: FieldsOf) -> None:
    """Refuse a field that no message of the type has, or that is a whole message itself.

    Args:
        path: The field, such as `twist.twist.linear.x` or `ranges[0]`.
        message_type: The type of the messages; of one that is not known nothing is refused.
        fields_of: What is known of types.

    Raises:
        ScenarioError: Without a path; names the nearest field.
    """
    if fields_of(message_type) is None:
        return
    message = place = _Place("", message_type)
    for name, index in _STEP.findall(path):
        if index:
            place = place.element(int(index))
            continue
        inner = place.field(name, fields_of)
        if inner is None:
            what = f"no field {shown(name)} in {place}"
            raise ScenarioError(what, hint=_nearest(path, message, place, fields_of))
        place = inner
    if not place.is_message:
        return
    below = _leaves(_Place(place.text + "[0]" * place.is_list, place.kind), fields_of)
    names = [text for text, _ in zip(below, range(_SHOWN), strict=False)]
    what = f"{place.text} is a {'list of' if place.is_list else 'whole'} {place.kind}"
    raise ScenarioError(what, hint=f"name a field of it: {', '.join(names)}")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a path has come to; its text is empty for the message itself."""

    text: str
    kind: str
    is_list: bool = False
    length: int | None = None

    def __str__(self) -> str:
        return f"{self.text} ({self.kind})" if self.text else self.kind

    @property
    def is_message(self) -> bool:
        return "/" in self.kind

    def element(self, index: int) -> "_Place":
        if not self.is_list:
            raise ScenarioError(f"{self.text} is no list")
        if self.length is not None and index >= self.length:
            what = f"{self.text} has {self.length} elements"
            raise ScenarioError(what, hint=f"the last is {self.text}[{self.length - 1}]")
        return _Place(f"{self.text}[{index}]", self.kind)

    def field(self, name: str, fields_of: FieldsOf) -> "_Place | None":
        if self.is_list:
            raise ScenarioError(f"{self.text} is a list", hint=f"name an element: {self.text}[0]")
        named = (one for one in self.inner(fields_of) if one.text.rpartition(".")[2] == name)
        return next(named, None)

    def inner(self, fields_of: FieldsOf) -> Iterator["_Place"]:
        """Yield what lies one step below."""
        fields = fields_of(self.kind) if self.is_message else None
        for name, field in (fields or {}).items():
            text = f"{self.text}.{name}" if self.text else name
            yield _Place(text, field.type_name, field.is_list, field.length)


def _nearest(path: str, message: _Place, place: _Place, fields_of: FieldsOf) -> str:
    """Return a hint: a like path of the whole message, or else what there is at the place."""
    hint = nearest(path, _leaves(message, fields_of))
    if hint.startswith("nearest"):
        return hint
    return nearest(path, [one.text for one in place.inner(fields_of)])


def _leaves(place: _Place, fields_of: FieldsOf, depth: int = 0) -> Iterator[str]:
    """Yield the paths below a place at which a value stands, in the order of the type."""
    for inner in place.inner(fields_of):
        if not inner.is_message:
            yield inner.text
        elif depth < _DEEPEST:
            yield from _leaves(
                _Place(inner.text + "[0]" * inner.is_list, inner.kind), fields_of, depth + 1
            )
