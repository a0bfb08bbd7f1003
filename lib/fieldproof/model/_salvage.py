"""What can still be said of a part of a file that has faults: all of it that is sound.

A fault must not hide another one, and must not bring others that are only its consequences. So
what could be read goes on to be checked, and a complaint about something that could not be read
is dropped.
"""

import difflib
import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, create_model

from fieldproof.model._fields import known_keys
from fieldproof.model._problems import Path, Problem
from fieldproof.model._source import InPart
from fieldproof.model._validate import Finding, adapter_of, examined, value_at

_Model = TypeVar("_Model", bound=BaseModel)

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Salvage(Generic[_Model]):
    """A part of a file as far as it is sound.

    Attributes:
        value: The model with the fields that could be read. Of the others those that every such
            part has are at their defaults, and the rest are absent: to ask for one of them raises
            AttributeError.
        lost: Names of the keys that could not be read, and of those that unknown ones may mean.
        suspects: Those, and the names of keys further inside that could not be read.
        findings: What is wrong with the sound rest, seen from the part.
        whole: Whether the value is one that a file without the faults would give.
    """

    value: _Model
    lost: frozenset[str] = frozenset()
    suspects: frozenset[str] = frozenset()
    findings: tuple[Finding, ...] = ()
    whole: bool = True

    def blames(self, problem: Problem) -> bool:
        """Return whether a problem found since speaks of what was lost."""
        return _speaks_of(problem, self.suspects)


def salvaged(
    kind: type[_Model],
    data: Mapping[str, Any],
    findings: Iterable[Finding],
    *,
    base: type[BaseModel] | None = None,
) -> Salvage[_Model]:
    """Return what of a part with faults is sound.

    Args:
        kind: What the part is read as.
        data: The part.
        findings: What is wrong with it as a whole, at least one.
        base: What has the fields that every such part has.
    """
    known = list(findings)
    values: dict[str, Any] = {}
    for key in kind.model_fields.keys() & data.keys():
        value, found = examined(_only(kind, key), {key: data[key]})
        if not found:
            values[key] = getattr(value, key)
    paths = [one.problem.path for one in known]
    paths = [path for path in paths if path and path[0] not in values]
    pruned, inside = _pruned(kind, data, paths)
    lost = {key for depth, key in inside if depth == 0}
    more: list[Finding] = []
    for key, field in kind.model_fields.items():
        if key in pruned and key not in values:
            value, found = examined(_only(kind, key), {key: pruned[key]})
            if found:
                lost.add(key)
                names = {name for _, name in inside}
                more += [one for one in found if not _speaks_of(one.problem, names)]
            else:
                values[key] = getattr(value, key)
        elif field.is_required() and key not in values:
            lost.add(key)
    sound = {key: pruned[key] for key in values}
    suspects = lost | {key for _, key in inside}
    whole, found = _as_whole(kind, sound, lost)
    more += [one for one in found if not _speaks_of(one.problem, suspects)]
    told = {(one.problem.path, one.problem.what) for one in known}
    more = [one for one in more if (one.problem.path, one.problem.what) not in told]
    if isinstance(whole, kind):
        return Salvage(whole, frozenset(lost), frozenset(suspects), tuple(more))
    value = kind.model_construct(**values)
    common = base.model_fields if base else {}
    for key in lost - values.keys() - common.keys():
        value.__dict__.pop(key, None)
    return Salvage(value, frozenset(lost), frozenset(suspects), tuple(more), whole=False)


def read_in_part(model: type[_Model], read: InPart) -> tuple[Salvage[_Model] | None, list[Problem]]:
    """Return a whole document as far as it is sound, with everything wrong with it, in order."""
    source, data = read.document.source, read.document.value
    value, findings = examined(model, data)
    part = Salvage(value) if isinstance(value, model) else None
    if part is None and isinstance(data, Mapping):
        part = salvaged(model, data, findings)
        findings = [*findings, *part.findings]
    placed = [one.placed(source) for one in findings]
    problems = [*read.problems, *(one for one in placed if not read.brings(one))]
    return part, sorted(problems, key=lambda one: (one.line, one.column))


def _pruned(
    kind: type[BaseModel], data: Mapping[str, Any], paths: Iterable[Path]
) -> tuple[dict[str, Any], set[tuple[int, str]]]:
    """Return data without the values at some paths, and what is missed: names, and how deep."""
    adapter = adapter_of(kind)
    whole: Any = data
    missed: set[tuple[int, str]] = set()
    for path in paths:
        key, depth = path[-1], len(path) - 1
        around = value_at(whole, path[:-1])
        if not (isinstance(key, str) and isinstance(around, Mapping) and key in around):
            continue
        keys = known_keys(adapter, path[:-1])
        if key in keys and len(path) == 1:
            continue  # whether its value can be read by itself is seen then
        if key in keys:
            missed.add((depth, key))
        else:
            close = difflib.get_close_matches(key[:200], keys - around.keys(), n=2)
            missed.update((depth, name) for name in close)
        whole = _without(whole, path)
    return dict(whole), missed


def _without(data: Any, path: Path) -> Any:
    key, *rest = path
    if isinstance(data, list):
        return [_without(one, tuple(rest)) if at == key else one for at, one in enumerate(data)]
    if rest:
        return {**data, key: _without(data[key], tuple(rest))}
    return {name: value for name, value in data.items() if name != key}


def _as_whole(
    kind: type[BaseModel], data: Mapping[str, Any], lost: Iterable[str]
) -> tuple[Any, list[Finding]]:
    """Return what sound fields are together, and where they do not agree.

    Where one was lost they are no model of the kind, and only compared.
    """
    absent = {key for key in lost if key in kind.model_fields and key not in data}
    if not absent:
        return examined(kind, data)
    try:
        return None, examined(_relaxed(kind, frozenset(absent)), data)[1]
    except Exception:  # noqa: BLE001 - a plugin's validator, which needs what is absent
        return None, []


@functools.lru_cache(maxsize=1024)
def _only(kind: type[BaseModel], key: str) -> type[BaseModel]:
    """Return a kind with one field of another, to read that by itself."""
    field = kind.model_fields[key]
    fields: dict[str, Any] = {key: (field.annotation, field)}
    return create_model(kind.__name__, __config__=kind.model_config, **fields)


@functools.lru_cache(maxsize=256)
def _relaxed(kind: type[BaseModel], absent: frozenset[str]) -> type[BaseModel]:
    """Return a kind whose validators see None for fields that are absent."""
    fields: dict[str, Any] = dict.fromkeys(absent, (Any, None))
    return create_model(kind.__name__, __base__=kind, **fields)


def _speaks_of(problem: Problem, names: Iterable[str]) -> bool:
    return not set(names).isdisjoint(_words(problem))


def _words(problem: Problem) -> Iterator[str]:
    yield from _WORD.findall(f"{problem.what} {problem.hint}")
    yield from (str(part) for part in problem.path)
