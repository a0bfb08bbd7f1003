"""What an entry of a scenario takes, read off its model: keys, types in words, defaults, units."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from fieldproof import model
from fieldproof.model import Duration

_UNITS = {
    "s": "s",
    "ms": "ms",
    "m": "m",
    "rad": "rad",
    "hz": "Hz",
    "mps": "m/s",
    "mps2": "m/s2",
    "radps": "rad/s",
    "kg": "kg",
    "pct": "%",
    "mb": "MB",
    "n": "N",
}
_WORDS: dict[Any, str] = {
    metadata: word
    for alias, word in (
        (model.Name, "name"),
        (model.Label, "label"),
        (model.TopicName, "topic"),
        (model.MessageType, "message type"),
        (model.FieldPath, "field path"),
        (model.FileName, "file name"),
        (model.Namespace, "namespace"),
        (model.ValueCondition, "condition"),
        (model.PositiveDuration, "duration > 0"),
        (model.NonNegativeDuration, "duration >= 0"),
    )
    for metadata in get_args(alias)[1:2]
}
_SIMPLE: dict[Any, str] = {
    model.Placement: "placement",
    model.Signal: "signal",
    model.When: "signal and condition",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "text",
    Duration: "duration",
    Any: "anything",
}


_LISTS = {list, tuple, set, frozenset, Sequence}
_DURATIONS = {Duration, Duration | None}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One key of an entry.

    Attributes:
        name: The key.
        type: What it takes, in words.
        required: Whether it must be given.
        default: What it is when absent, as JSON data; None also where absence means nothing.
        unit: Its unit, where it has one; durations are given in seconds.
        description: What it is for.
    """

    name: str
    type: str
    required: bool
    default: Any
    unit: str
    description: str

    def to_data(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {key: getattr(self, key) for key in self.__slots__}


def parameters(entry: type[BaseModel], *, leaving_out: Iterable[str] = ()) -> tuple[Parameter, ...]:
    """Return the keys of an entry in the order in which its model declares them.

    Args:
        entry: The model of the entry.
        leaving_out: Keys that are told elsewhere.
    """
    return tuple(
        Parameter(
            name=name,
            type=type_words(field.annotation, field.metadata),
            required=field.is_required(),
            default=_default(field),
            unit="s" if field.annotation in _DURATIONS else unit_of(name),
            description=field.description or "",
        )
        for name, field in entry.model_fields.items()
        if name not in set(leaving_out)
    )


def unit_of(name: str) -> str:
    """Return the unit that a key's ending stands for; empty when it has none."""
    head, _, ending = name.rpartition("_")
    return _UNITS.get(ending, "") if head else ""


def type_words(annotation: Any, metadata: Sequence[Any] = ()) -> str:
    """Return what a field takes, in words, its bounds included."""
    for one in metadata:
        if _is_known(one):
            return _WORDS[one]
    if get_origin(annotation) is Annotated:
        inner, *more = get_args(annotation)
        return type_words(inner, [*more, *metadata])
    flat = list(_flat(metadata))
    if get_origin(annotation) in _LISTS:
        return _list_words(get_args(annotation), flat)
    bounds = _bounds(flat)
    return _bare(annotation) + (f" {bounds}" if bounds else "")


def _is_known(metadata: Any) -> bool:
    try:
        return metadata in _WORDS
    except TypeError:  # it has no hash
        return False


def _bare(annotation: Any) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in {Union, types.UnionType}:
        words = [type_words(one) for one in arguments if one is not type(None)]
        return " or ".join(dict.fromkeys(words))
    if origin is Literal:
        return " | ".join(map(str, arguments))
    if annotation in _SIMPLE:
        return _SIMPLE[annotation]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"mapping of {', '.join(annotation.model_fields)}"
    if dict in {origin, annotation} or origin is Mapping:
        return "mapping"
    return getattr(annotation, "__name__", str(annotation)).lower()


def _list_words(arguments: Sequence[Any], metadata: Iterable[Any]) -> str:
    items = [type_words(one) for one in arguments if one is not Ellipsis]
    least, most = _lengths(metadata)
    count = f"{least}" if least == most else f"{least or 0} to {most}"
    if most is None:
        count = f"at least {least}" if least else ""
    inner = " and ".join(dict.fromkeys(items)) or "anything"
    return f"list of {count}: {inner}" if count else f"list of {inner}"


def _lengths(metadata: Iterable[Any]) -> tuple[int | None, int | None]:
    least = most = None
    for one in metadata:
        least = one.min_length if isinstance(one, MinLen) else least
        most = one.max_length if isinstance(one, MaxLen) else most
    return least, most


def _bounds(metadata: Sequence[Any]) -> str:
    words = []
    for kind, sign in ((Ge, ">="), (Gt, ">"), (Le, "<="), (Lt, "<")):
        limits = [getattr(one, kind.__name__.lower()) for one in metadata if isinstance(one, kind)]
        words += [f"{sign} {limit:.10g}" for limit in limits]
    least, most = _lengths(metadata)
    if most is not None:
        words.append(f"of {f'{least} to' if least else 'at most'} {most} characters")
    return ", ".join(words)


def _flat(metadata: Iterable[Any]) -> Iterator[Any]:
    for one in metadata:
        if isinstance(one, FieldInfo):
            yield from _flat(one.metadata)
        else:
            yield one


def _default(field: FieldInfo) -> Any:
    value = field.get_default(call_default_factory=True, validated_data={})
    if value is PydanticUndefined:
        return None
    if isinstance(value, Duration):
        return value.to_number()
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return list(value) if isinstance(value, tuple | set | frozenset) else value
