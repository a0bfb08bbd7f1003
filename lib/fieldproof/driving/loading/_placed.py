"""Reading a part of a document as a model, with the positions of what is wrong with it."""

import pathlib
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from fieldproof.model import (
    Document,
    Path,
    Problem,
    ScenarioError,
    Strict,
    read_yaml_file,
    shown,
    validated,
)

_Model = TypeVar("_Model", bound=Strict)
_ON_KEY = "unknown key"


def mapping_in(path: pathlib.Path, file: str | None) -> Document:
    """Return the document in a file, which must be a mapping.

    Raises:
        OSError: The file cannot be read.
        ScenarioError: It is no YAML, or no mapping.
    """
    document = read_yaml_file(path, file=file)
    if not isinstance(document.value, Mapping):
        what = f"must be a mapping (got {shown(document.value)})"
        raise ScenarioError(document.source.place(Problem(what)))
    return document


def part_of(document: Document, model: type[_Model], data: Any, path: Path) -> _Model:
    """Return the model that a part of a document stands for.

    Raises:
        ScenarioError: With every problem in it and its position.
    """
    try:
        return validated(model, data)
    except ScenarioError as error:
        raise ScenarioError(placed(document, error.problems, path)) from None


def placed(document: Document, problems: Iterable[Problem], path: Path = ()) -> list[Problem]:
    """Return problems of a part of a document with their positions."""
    return [
        one
        if one.file
        else document.source.place(one.under(path), on_key=one.what.startswith(_ON_KEY))
        for one in problems
    ]


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Return problems once each, in the order of their files."""
    unique = dict.fromkeys(problems)
    return sorted(unique, key=lambda one: (one.file, one.line, one.column))
