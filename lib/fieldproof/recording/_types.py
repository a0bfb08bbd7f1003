import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosbags.interfaces import Nodetype
from rosbags.serde import SerdeError
from rosbags.typesys import Stores, TypesysError, get_types_from_msg, get_typestore

from fieldproof.recording._errors import (
    UndecodableMessageError,
    UnknownTypeError,
    UnsupportedTypeError,
)

if TYPE_CHECKING:
    from rosbags.interfaces.typing import FieldDesc, Typesdict

_ROOT_OF_ACTION = ("_Goal", "_Result", "_Feedback", "_FeedbackMessage")
_NO_FIELDS: "list[tuple[str, FieldDesc]]" = [
    ("structure_needs_at_least_one_member", (Nodetype.BASE, ("uint8", 0)))
]


@dataclass(frozen=True, slots=True)
class TypeDefinition:
    """What a recording says about one message type.

    Attributes:
        type_name: `package/msg/Name` or `package/action/Name_Part`.
        text: the concatenated `.msg` text of the type and of all that it contains.
        type_hash: the RIHS01 hash of REP-2016, empty for the parts of an action, whose hash
            depends on names that the text does not carry.
    """

    type_name: str
    text: str
    type_hash: str


def share_folders(environment: Mapping[str, str], prefix: Path) -> tuple[Path, ...]:
    """Return the existing `share` folders, nearest first, in which ROS packages are installed.

    Args:
        environment: where AMENT_PREFIX_PATH is looked up.
        prefix: the interpreter's own prefix, searched last.
    """
    prefixes = [
        Path(part) for part in environment.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if part
    ]
    folders = [each / "share" for each in (*prefixes, prefix)]
    return tuple(dict.fromkeys(folder for folder in folders if folder.is_dir()))


@dataclass(frozen=True, slots=True)
class MessageField:
    """One field of a message type.

    Attributes:
        type_name: the message type of its value, or a plain type such as `float64`.
        is_list: whether its value is a list of these.
        length: how long the list always is; None where messages differ.
    """

    type_name: str
    is_list: bool = False
    length: int | None = None


class MessageTypes:
    """Definitions of ROS 2 message types, and the CDR codec that follows from them.

    A type is looked up once, when it is first asked for: in the definitions given, then in the
    share folders (`<share>/<package>/msg/<Name>.msg` and `action/<Name>.action`), then among the
    standard types of ROS 2 Jazzy.
    """

    def __init__(
        self, folders: Sequence[Path] = (), *, definitions: Mapping[str, str] | None = None
    ) -> None:
        """Remember where to look.

        Args:
            folders: share folders, nearest first.
            definitions: concatenated `.msg` text by type name, as a recording's schemas hold it.
                With definitions, a type that none of them describes is unknown.
        """
        self._folders = tuple(folders)
        self._definitions = definitions
        self._store = get_typestore(Stores.EMPTY)
        self._standard = None if definitions is not None else get_typestore(Stores.ROS2_JAZZY)

    def definition(self, type_name: str) -> TypeDefinition:
        """Return the definition of a type.

        Raises:
            UnknownTypeError: Nothing describes the type, or a type that it contains.
            UnsupportedTypeError: The description cannot be parsed.
        """
        self.require(type_name)
        text, _ = self._store.generate_msgdef(type_name, ros_version=2)
        type_hash = self._store.hash_rihs01(type_name) if "/msg/" in type_name else ""
        return TypeDefinition(type_name=type_name, text=text, type_hash=type_hash)

    def decode(self, type_name: str, data: bytes) -> object:
        """Return the message that CDR bytes (4 bytes of encapsulation first) stand for.

        Raises:
            UnknownTypeError: Nothing describes the type.
            UndecodableMessageError: The bytes are not of that type.
        """
        self.require(type_name)
        try:
            return self._store.deserialize_cdr(data, type_name)
        except (SerdeError, IndexError, AssertionError) as error:
            raise UndecodableMessageError(type_name, str(error)) from error

    def encode(self, type_name: str, message: object) -> bytes:
        """Return a message as little-endian CDR whose padding is zero."""
        self.require(type_name)
        return bytes(self._store.serialize_cdr(message, type_name, little_endian=True))

    def canonical(self, type_name: str, data: bytes) -> bytes:
        """Return the same message as little-endian CDR whose padding is zero.

        Publishers leave what happens to be in memory between the fields; two messages are equal
        exactly when their canonical bytes are.
        """
        return self.encode(type_name, self.decode(type_name, data))

    def message_class(self, type_name: str) -> type:
        """Return the dataclass of a type, to make messages with."""
        self.require(type_name)
        return self._store.types[type_name]

    def fields(self, type_name: str) -> dict[str, MessageField]:
        """Return the fields of a type by name, in order.

        Raises:
            UnknownTypeError: Nothing describes the type, or a type that it contains.
            UnsupportedTypeError: The description cannot be parsed.
        """
        self.require(type_name)
        _, described = self._store.fielddefs[type_name]
        hidden = _NO_FIELDS[0][0]
        return {name: _field(how) for name, how in described if name != hidden}

    def require(self, type_name: str) -> None:
        """Make sure that a type is known.

        Raises:
            UnknownTypeError: Nothing describes the type, or a type that it contains.
            UnsupportedTypeError: The description cannot be parsed.
        """
        if type_name in self._store.fielddefs:
            return
        found: Typesdict = {}
        wanted = [type_name]
        while wanted:
            name = wanted.pop()
            if name in found or name in self._store.fielddefs:
                continue
            found.update(self._look_up(name))
            wanted += _contained(found, name)
            if any(each.endswith("/wstring") for each in wanted):
                raise UnsupportedTypeError(name, "wide strings are not supported")
        try:
            self._store.register(found)
        except TypesysError as error:
            raise UnsupportedTypeError(type_name, str(error)) from error

    def _look_up(self, type_name: str) -> "Typesdict":
        if self._definitions is not None:
            if type_name not in self._definitions:
                raise UnknownTypeError(type_name)
            return _parse(type_name, self._definitions[type_name])
        text = self._installed_text(type_name)
        if text is not None:
            return _parse(type_name, text)
        if self._standard is not None and type_name in self._standard.fielddefs:
            return {type_name: self._standard.fielddefs[type_name]}
        raise UnknownTypeError(type_name, self._folders)

    def _installed_text(self, type_name: str) -> str | None:
        package, kind, name = _parts(type_name)
        for folder in self._folders:
            message = folder / package / kind / f"{name}.msg"
            if message.is_file():
                return message.read_text(encoding="utf-8")
            for part in _ROOT_OF_ACTION:
                action = folder / package / "action" / f"{name.removesuffix(part)}.action"
                if name.endswith(part) and action.is_file():
                    return _action_part(type_name, part, action.read_text(encoding="utf-8"))
        return None


def _field(described: Any) -> MessageField:
    kind, rest = described
    if kind not in {Nodetype.ARRAY, Nodetype.SEQUENCE}:
        return MessageField(_named(described))
    element, length = rest
    fixed = length if kind == Nodetype.ARRAY else None
    return MessageField(_named(element), is_list=True, length=fixed)


def _named(described: Any) -> str:
    kind, rest = described
    return str(rest if kind == Nodetype.NAME else rest[0])


def _parts(type_name: str) -> tuple[str, str, str]:
    parts = type_name.split("/")
    if len(parts) != 3 or not all(part.isidentifier() for part in parts):  # noqa: PLR2004
        raise UnknownTypeError(type_name)
    return parts[0], parts[1], parts[2]


def _action_part(type_name: str, part: str, text: str) -> str:
    """Return the `.msg` text of one of the messages that an action is made of.

    Inside a definition the parts go as `package/Name_Part`: that form has no room for `action`.
    """
    package, _, name = _parts(type_name)
    if part == "_FeedbackMessage":
        feedback = f"{package}/{name.removesuffix('Message')}"
        return f"unique_identifier_msgs/UUID goal_id\n{feedback} feedback\n"
    sections: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip() == "---":
            sections.append([])
        else:
            sections[-1].append(line)
    index = _ROOT_OF_ACTION.index(part)
    if index >= len(sections):
        raise UnsupportedTypeError(type_name, "the action file has too few sections")
    return "\n".join(sections[index]) + "\n"


def _parse(type_name: str, text: str) -> "Typesdict":
    # A bare name in an action file means a message of the package, as it does in a message file.
    parsed_as = type_name.replace("/action/", "/msg/")
    try:
        types = get_types_from_msg(text, parsed_as)
    except TypesysError as error:
        raise UnsupportedTypeError(type_name, str(error).splitlines()[0]) from error
    found = {name: (constants, fields or _NO_FIELDS) for name, (constants, fields) in types.items()}
    found[type_name] = found.pop(parsed_as)
    return found


def _contained(types: "Typesdict", type_name: str) -> list[str]:
    elements = [
        description[1][0] if description[0] in {Nodetype.ARRAY, Nodetype.SEQUENCE} else description
        for _, description in types[type_name][1]
    ]
    return [str(rest) for kind, rest in elements if kind == Nodetype.NAME]
