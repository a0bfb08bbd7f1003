"""Messages from plain data, every field checked: the generated classes check nothing themselves."""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Mapping
from typing import Any

from rosidl_parser.definition import (
    AbstractNestedType,
    AbstractString,
    AbstractWString,
    Array,
    BasicType,
    BoundedSequence,
    NamespacedType,
)

_LARGEST_FLOAT = 2.0**128 - 2.0**104  # of 32 bits
_FLOATS = ("float", "double", "long double")


class FillError(ValueError):
    """Data does not fit a message; the text names the field."""


def filled(message: Any, fields: Mapping[str, Any], where: str = "") -> Any:
    """Fill a message's fields and return it; fields that are not named keep their defaults.

    Args:
        message: an instance of a generated class.
        fields: values by field name, mappings for nested messages, lists for sequences.
        where: path of the message within a larger one, for errors.

    Raises:
        FillError: a field does not exist, or its value has another type or is out of range.
    """
    types = dict(zip(message.get_fields_and_field_types(), message.SLOT_TYPES, strict=True))
    for name, value in fields.items():
        path = f"{where}.{name}" if where else str(name)
        if name not in types:
            raise FillError(f"no field {path} (there are {', '.join(types)})")
        setattr(message, name, _value(types[name], value, path))
    return message


def _value(kind: Any, value: Any, path: str) -> Any:
    if isinstance(kind, AbstractNestedType):
        return _items(kind, value, path)
    if isinstance(kind, NamespacedType):
        if not isinstance(value, Mapping):
            raise FillError(f"{path} must be a mapping of {kind.name}'s fields")
        package, _, *_ = kind.namespaces
        message_class = getattr(importlib.import_module(f"{package}.msg"), kind.name)
        return filled(message_class(), value, path)
    if isinstance(kind, AbstractString | AbstractWString):
        return _checked(value, str, "a text", path)
    assert isinstance(kind, BasicType)
    return _basic(kind.typename, value, path)


def _items(kind: Any, value: Any, path: str) -> list[Any]:
    items = _checked(value, list, "a list", path)
    if isinstance(kind, Array) and len(items) != kind.size:
        raise FillError(f"{path} must have {kind.size} items (got {len(items)})")
    if isinstance(kind, BoundedSequence) and len(items) > kind.maximum_size:
        raise FillError(f"{path} must have at most {kind.maximum_size} items (got {len(items)})")
    return [_value(kind.value_type, item, f"{path}[{n}]") for n, item in enumerate(items)]


def _basic(typename: str, value: Any, path: str) -> Any:
    if typename == "boolean":
        return _checked(value, bool, "true or false", path)
    if typename in _FLOATS:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise FillError(f"{path} must be a number (got {value!r})")
        return _float(typename, value, path)
    if typename == "octet":
        return bytes([_whole("uint8", value, path)])
    return _whole(typename, value, path)


def _float(typename: str, value: float, path: str) -> float:
    largest = _LARGEST_FLOAT if typename == "float" else sys.float_info.max
    if abs(value) > largest and abs(value) != math.inf:
        raise FillError(f"{path} must be at most {largest:.8g} (got {value})")
    return float(value)


def _whole(typename: str, value: Any, path: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise FillError(f"{path} must be a whole number (got {value!r})")
    unsigned = typename.startswith("u")
    bits = int(typename.removeprefix("u").removeprefix("int"))
    low, high = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    if not low <= value <= high:
        raise FillError(f"{path} must be from {low} to {high} (got {value})")
    return value


def _checked(value: Any, kind: type, what: str, path: str) -> Any:
    if not isinstance(value, kind):
        raise FillError(f"{path} must be {what} (got {value!r})")
    return value
