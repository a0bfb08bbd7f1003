import functools
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from fieldproof.model._fields import known_keys
from fieldproof.model._problems import Path, Problem, ScenarioError, nearest, shown
from fieldproof.model._source import Document, SourceMap

_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem whose position is still to be found."""

    problem: Problem
    on_key: bool = False
    offset: int = 0

    def placed(self, source: SourceMap, prefix: Path = ()) -> Problem:
        """Return the problem with its position, its path seen from the document's root."""
        return source.place(self.problem.under(prefix), on_key=self.on_key, offset=self.offset)


def validated(model: type[_Model], data: object) -> _Model:
    """Return the model that JSON data stands for; lists are taken where tuples are meant.

    Raises:
        ScenarioError: With every problem, paths relative to the data, and no positions.
    """
    result, findings = examined(model, data)
    if not isinstance(result, model):
        raise ScenarioError(one.problem for one in findings)
    return result


def validate_document(model: type[_Model], document: Document) -> _Model:
    """Return the model that a whole document stands for.

    Raises:
        ScenarioError: With every problem and its position.
    """
    result, findings = examined(model, document.value)
    if not isinstance(result, model):
        raise ScenarioError(one.placed(document.source) for one in findings)
    return result


@functools.lru_cache(maxsize=512)
def adapter_of(kind: Any) -> TypeAdapter[Any]:
    """Return the adapter of a type, made once."""
    return TypeAdapter(kind)


def examined(kind: Any, data: object) -> tuple[Any, list[Finding]]:
    """Return what JSON data stands for as a type, or None and everything wrong with it."""
    adapter = adapter_of(kind)
    try:
        return adapter.validate_json(json.dumps(data)), []
    except ValidationError as error:
        details = error.errors(include_url=False)
        return None, list(_findings(details, data, adapter))


def _findings(
    details: Iterable[ErrorDetails], data: object, adapter: TypeAdapter[Any]
) -> Iterable[Finding]:
    by_path: dict[Path, list[ErrorDetails]] = {}
    for detail in details:
        by_path.setdefault(_real_path(detail, data), []).append(detail)
    for path, group in by_path.items():
        yield from _alternatives(path, group, data, adapter)


def _real_path(detail: ErrorDetails, data: object) -> Path:
    """Return the location without what pydantic adds to it, such as the branch of a union."""
    loc = detail["loc"]
    tail: Path = ()
    if detail["type"] == "missing":
        tail = loc[-1:]
    elif detail["type"] == "refused":
        tail = tuple(detail["ctx"]["tail"])
    path: list[str | int] = []
    here = data
    for part in loc[: len(loc) - len(tail)]:
        inside = isinstance(here, Mapping) and part in here
        if isinstance(here, list) and isinstance(part, int) and part < len(here):
            inside = True
        if inside:
            here = value_at(here, (part,))
            path.append(part)
    return (*path, *tail)


def _alternatives(
    path: Path, group: list[ErrorDetails], data: object, adapter: TypeAdapter[Any]
) -> Iterator[Finding]:
    """Yield what is wrong at one path; the branches of a union become one sentence."""
    value = value_at(data, path)
    specific = [one for one in group if one["type"] not in _WANTED]
    if not specific and len(group) > 1:
        *most, last = dict.fromkeys(_WANTED[one["type"]] for one in group)
        wanted = f"{', '.join(most)} or {last}" if most else last
        yield Finding(Problem(f"must be {wanted} (got {shown(value)})", path))
        return
    for detail in specific or group:
        if detail["type"] == "extra_forbidden":
            hint = nearest(str(path[-1]), known_keys(adapter, path[:-1]))
            yield Finding(Problem("unknown key", path, hint), on_key=True)
        elif detail["type"] == "missing":
            yield Finding(Problem("is missing", path))
        elif detail["type"] == "refused":
            context = detail["ctx"]
            problem = Problem(context["what"], path, context["hint"])
            yield Finding(problem, offset=context["offset"])
        else:
            what, hint = _worded(detail, value)
            yield Finding(Problem(what, path, hint))


def value_at(data: object, path: Path) -> object:
    """Return the part of JSON data at a path; None where there is none."""
    for part in path:
        if isinstance(data, Mapping):
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            return None
    return data


_WANTED: Mapping[str, str] = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a whole number of 64 bits",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "none_required": "nothing",
    "finite_number": "a finite number",
}

_BOUNDS: Mapping[str, tuple[str, str]] = {
    "greater_than": ("above", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("below", "lt"),
    "less_than_equal": ("at most", "le"),
    "multiple_of": ("a multiple of", "multiple_of"),
}

_SIZES: Mapping[str, tuple[str, str, str]] = {
    "too_short": ("at least", "min_length", "items"),
    "too_long": ("at most", "max_length", "items"),
    "string_too_short": ("at least", "min_length", "characters"),
    "string_too_long": ("at most", "max_length", "characters"),
}


def _worded(detail: ErrorDetails, value: object) -> tuple[str, str]:
    """Return what is wrong and a hint, for the errors of pydantic's own types."""
    kind, context = detail["type"], detail.get("ctx") or {}
    got = f"(got {shown(value)})"
    hint = ""
    if kind in _WANTED:
        what, hint = f"must be {_WANTED[kind]} {got}", _retyped(kind, value)
    elif kind in _BOUNDS:
        what = f"must be {_bound(kind, context)} {got}"
    elif kind in _SIZES:
        word, key, unit = _SIZES[kind]
        number = context[key]
        unit = unit.removesuffix("s") if number == 1 else unit
        size = f" (got {len(value)})" if isinstance(value, list | str | dict) else ""
        what = f"must have {word} {number} {unit}{size}"
    elif kind == "literal_error":
        choices = [one.strip("'") for one in context["expected"].replace(" or ", ", ").split(", ")]
        what = f"must be {choices[0]} {got}"
        if len(choices) > 1:
            what = f"must be one of {', '.join(choices)} {got}"
            hint = nearest(str(value), choices) if _is_near(value, choices) else ""
    elif kind == "string_pattern_mismatch":
        what = f"must match {context['pattern']} {got}"
    else:
        message = detail["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
        what = message[:1].lower() + message[1:]
    return what, hint


def _bound(kind: str, context: Mapping[str, Any]) -> str:
    word, key = _BOUNDS[kind]
    if context[key] == 0 and word in {"above", "at least"}:
        return "positive" if word == "above" else "zero or more"
    return f"{word} {context[key]:g}"


def _is_near(value: object, choices: list[str]) -> bool:
    return nearest(str(value), choices).startswith("nearest")


def _retyped(kind: str, value: object) -> str:
    """Return how to write what was meant, where the type alone tells."""
    if kind == "string_type" and isinstance(value, bool | int | float):
        return "quote it"
    if kind == "bool_type" and isinstance(value, str):
        return "write true or false"
    if kind in {"float_type", "int_type"} and isinstance(value, str) and _is_number(value):
        return "write it without quotes"
    return ""


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
