"""Reads one field of a decoded message, named as a scenario names it: `twist.twist.linear.x`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

_STEP = re.compile(r"\.?([A-Za-z_][A-Za-z0-9_]*)|\[(\d+)\]")


class FieldError(Exception):
    """The message has no such field; the text says where the path ends and what there is."""


class ShortListError(FieldError):
    """A list of the message ends before the element; that of another message may not."""


@dataclass(frozen=True, slots=True)
class FieldPath:
    """A parsed field path.

    Attributes:
        text: the path as written.
        steps: attribute names and list indices, outermost first.
    """

    text: str
    steps: tuple[str | int, ...]

    @classmethod
    def parse(cls, text: str) -> FieldPath:
        """Parse names separated by dots with optional `[index]`; raises FieldError."""
        steps: list[str | int] = []
        position = 0
        while position < len(text):
            match = _STEP.match(text, position)
            if match is None or (text[position] == "." and position == 0):
                raise FieldError(f"{text!r} is not a field path (at character {position + 1})")
            name, index = match.groups()
            steps.append(name if name is not None else int(index))
            position = match.end()
        if not steps or isinstance(steps[0], int):
            raise FieldError(f"{text!r} is not a field path: it must start with a field's name")
        return cls(text, tuple(steps))

    def read(self, message: Any) -> Any:
        """The field's value as plain Python: number, boolean, string, or a list of these.

        Raises:
            FieldError: a step leads nowhere, or the path ends at a whole message.
        """
        value = message
        done = ""
        for step in self.steps:
            if isinstance(step, int):
                value = _element(value, step, done, self.text)
                done += f"[{step}]"
            else:
                value = _attribute(value, step, done, self.text)
                done += f".{step}" if done else step
        return _plain(value, self.text)


def _attribute(value: Any, name: str, done: str, path: str) -> Any:
    fields = getattr(type(value), "__dataclass_fields__", {})
    known = [field for field in fields if not field.startswith("__")]
    if name in known:
        return getattr(value, name)
    where = f"{done!r} of the message" if done else "the message"
    has = f"it has {', '.join(known)}" if known else "it is no message"
    raise FieldError(f"no field {name!r} in {where} ({path}): {has}")


def _element(value: Any, index: int, done: str, path: str) -> Any:
    if not isinstance(value, (list, tuple, np.ndarray)):
        raise FieldError(f"{done!r} is not a list ({path})")
    if index >= len(value):
        what = f"{done!r} has {len(value)} elements, there is no [{index}] ({path})"
        raise ShortListError(what)
    return value[index]


def _plain(value: Any, path: str) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item, path) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise FieldError(f"{path!r} is a whole {type(value).__name__}: name one of its fields")
