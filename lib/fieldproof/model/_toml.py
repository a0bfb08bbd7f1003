import pathlib
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from fieldproof.model._files import read_plain_file
from fieldproof.model._overlay import Workspace
from fieldproof.model._problems import Problem, ScenarioError
from fieldproof.model._source import Document, Node, SourceMap
from fieldproof.model._validate import validate_document

_TABLE = re.compile(r"\s*\[\s*([A-Za-z0-9_.-]+)\s*\]")
_KEY = re.compile(r"(\s*)([A-Za-z0-9_-]+)\s*=\s*")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def read_workspace_file(path: pathlib.Path, *, file: str | None = None) -> Workspace:
    """Return what a workspace's fieldproof.toml says.

    Args:
        path: The file.
        file: What positions name; the path when absent.

    Raises:
        OSError: The file cannot be read.
        ScenarioError: With everything that is wrong with it.
    """
    file = file or str(path)
    raw = read_plain_file(path, file=file)
    try:
        text = raw.decode("utf-8")
        data = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise ScenarioError(Problem("is not UTF-8", file=file)) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ScenarioError(_syntax_problem(str(error), file, raw)) from error
    try:
        return validate_document(Workspace, Document(data, SourceMap(file, _located(data, text))))
    except ScenarioError as error:
        raise ScenarioError(sorted(error.problems, key=lambda one: one.line)) from None


def _syntax_problem(said: str, file: str, raw: bytes) -> Problem:
    place = _PLACE.search(said)
    what = said[: place.start()] if place else said
    if place and place[1]:
        line, column = int(place[1]), int(place[2])
    else:
        line, column = max(raw.count(b"\n"), 1), 1
    return Problem(f"is no TOML: {what[:1].lower()}{what[1:]}", (), "", file, line, column)


def _located(data: Mapping[str, Any], text: str) -> Node:
    """Return where the tables and keys of a plain TOML document stand.

    Only the forms that the file needs are looked for: a table's header and a bare key on a line
    of its own. What is written otherwise has the position of the table that it is in.
    """
    root = Node(data, 1, 1)
    here = root
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _TABLE.match(line):
            here = root
            for part in header[1].split("."):
                value = here.value.get(part) if isinstance(here.value, Mapping) else None
                column = line.index("[") + 1
                here.keys.setdefault(part, (number, column))
                here = here.entries.setdefault(part, Node(value, number, column))
        elif key := _KEY.match(line):
            value = here.value.get(key[2]) if isinstance(here.value, Mapping) else None
            here.keys[key[2]] = (number, len(key[1]) + 1)
            here.entries[key[2]] = Node(value, number, key.end() + 1)
    return root
