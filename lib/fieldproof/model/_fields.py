import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo

from fieldproof.model._problems import Path


def field_type(field: FieldInfo) -> Any:
    """Return the type of a model's field with its constraints, to read a value by itself."""
    kind: Any = field.annotation
    for metadata in field.metadata:
        kind = Annotated[kind, metadata]
    return kind


def known_keys(adapter: TypeAdapter[Any], path: Path) -> set[str]:
    """Return the keys that a mapping at a path may have, by the types along the way."""
    kinds = _branches(adapter._type)  # noqa: SLF001 - pydantic offers no other way to it
    for part in path:
        kinds = [inner for kind in kinds for inner in _step(kind, part)]
    return {key for kind in kinds if _is_model(kind) for key in kind.model_fields}


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _branches(kind: Any) -> list[Any]:
    """Return the alternatives of an annotation, without its metadata."""
    if get_origin(kind) is Annotated:
        return _branches(get_args(kind)[0])
    if get_origin(kind) in {Union, types.UnionType}:
        return [branch for one in get_args(kind) for branch in _branches(one)]
    return [kind]


def _step(kind: Any, part: str | int) -> list[Any]:
    if _is_model(kind):
        found = kind.model_fields.get(part)
        return _branches(found.annotation) if found is not None else []
    origin, arguments = get_origin(kind), get_args(kind)
    if not isinstance(origin, type) or not arguments:
        return []
    if issubclass(origin, Mapping):
        return _branches(arguments[1])
    if issubclass(origin, Sequence):
        return [branch for one in arguments if one is not ... for branch in _branches(one)]
    return []


def find_value(part: object, value: object) -> Path | None:
    """Return the path within a model to a value: to the same object, or to an equal text."""
    for path, inner in parts_of(part):
        if inner is value or (isinstance(value, str) and inner == value):
            return path
    return None


def parts_of(part: object) -> Iterator[tuple[Path, object]]:
    """Yield a model and everything in it, each with its path, the outer before the inner."""
    yield (), part
    items: Iterable[tuple[str | int, object]] = ()
    if isinstance(part, BaseModel):
        held = part.__dict__  # of a part that was salvaged, not every field is there
        items = [(key, held[key]) for key in type(part).model_fields if key in held]
    elif isinstance(part, Mapping):
        items = part.items()
    elif isinstance(part, list | tuple):
        items = enumerate(part)
    for key, item in items:
        if isinstance(item, BaseModel | Mapping | list | tuple):
            for path, inner in parts_of(item):
                yield (key, *path), inner
        else:
            yield (key,), item
