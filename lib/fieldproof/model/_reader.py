"""Reads YAML 1.2 into JSON data, every value with its position.

PyYAML's scanner and parser find the structure; what a scalar means, which keys are allowed and
how far an alias may expand is decided here. Of YAML 1.2 three things are refused on purpose:
a key given twice, a key that is not text, and the merge key `<<` (it left the language with 1.2
and would make it unclear which position a value has; an anchor may stand for a whole value).
"""

import pathlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import yaml

from fieldproof.model._files import LARGEST_BYTES, read_plain_file
from fieldproof.model._problems import Path, Problem, ScenarioError, nearest, printable, shown
from fieldproof.model._scalars import ScalarError, plain_scalar, tagged_scalar
from fieldproof.model._source import Document, InPart, Node, SourceMap

DEEPEST = 64
LARGEST_EXPANSION = 4 << 20
_MOST_PROBLEMS = 100

_Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
)
_FORBIDDEN_IN_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_COLLECTION_TAGS = {
    "[": {None, "!", "tag:yaml.org,2002:seq"},
    "{": {None, "!", "tag:yaml.org,2002:map"},
}


def read_yaml_file(path: pathlib.Path, *, file: str | None = None) -> Document:
    """Return the document in a file; positions name it as `file`, or as the path given.

    Raises:
        OSError: The file cannot be read.
        ScenarioError: It is no plain file or no UTF-8, or `read_yaml` refuses it.
    """
    return read_yaml_file_in_part(path, file=file).whole()


def read_yaml_file_in_part(path: pathlib.Path, *, file: str | None = None) -> InPart:
    """Return what of the document in a file can be read; raises as `read_yaml_in_part` does."""
    file = file or str(path)
    raw = read_plain_file(path, file=file)
    try:
        return read_yaml_in_part(raw.decode("utf-8-sig"), file=file)
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8", "replace")
        what = f"is not UTF-8 (byte 0x{raw[error.start]:02x})"
        raise ScenarioError(Problem(what, (), "", file, *_position(before))) from error


def read_yaml(text: str, *, file: str) -> Document:
    """Return the one document in a text as JSON data with the position of every value.

    Args:
        text: At most 1 MiB in UTF-8, nested at most 64 deep; aliases may expand it to at most
            4 MiB.
        file: What positions name the text.

    Raises:
        ScenarioError: It is no YAML, or leaves what is allowed; carries every problem found
            before the structure is lost.
    """
    return read_yaml_in_part(text, file=file).whole()


def read_yaml_in_part(text: str, *, file: str) -> InPart:
    """Return what of a text can be read, with its faults, where its structure can be told.

    Raises:
        ScenarioError: It cannot, or the text leaves what is allowed.
    """
    text = text.removeprefix("\ufeff")
    if len(text) > LARGEST_BYTES or len(text.encode("utf-8", "replace")) > LARGEST_BYTES:
        raise ScenarioError(_too_large(file))
    forbidden = _FORBIDDEN.search(text)
    if forbidden:
        what = f"holds the character U+{ord(forbidden[0]):04X}"
        hint = "write text in UTF-8 without control characters"
        raise ScenarioError(Problem(what, (), hint, file, *_position(text[: forbidden.start()])))
    builder = _Builder(file)
    try:
        for event in _events(text):
            builder.take(event)
    except yaml.YAMLError as error:
        builder.problems.append(_syntax_problem(error, text, file))
        builder.torn = True
    except _TooMuch as error:
        builder.problems.append(error.problem)
        builder.torn = True
    if builder.root is None and not builder.problems:
        builder.problems.append(Problem("holds nothing", (), "", file, 1, 1))
    if builder.root is None or builder.torn:
        raise ScenarioError(builder.problems)
    return InPart(
        Document(builder.root.value, SourceMap(file, builder.root)),
        tuple(builder.problems),
        frozenset(builder.spoiled),
        frozenset(builder.gaps),
    )


class _TooMuch(Exception):  # noqa: N818 - carries a problem out of the parser's loop
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


@dataclass(slots=True)
class _Measured:
    """A node with what it weighs once aliases are expanded, in characters, and its height."""

    node: Node
    weight: int
    height: int


@dataclass(slots=True)
class _Open:
    """A list or mapping that is being read."""

    node: Node
    bracket: str
    anchor: str | None
    path: tuple[str | int, ...]
    weight: int = 1
    height: int = 0
    key: str | None = None
    awaits_key: bool = True


class _Builder:
    """Takes parse events in order and builds nodes, without recursion.

    `torn` tells that the nodes do not stand for the text.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Node | None = None
        self.problems: list[Problem] = []
        self.spoiled: set[Path] = set()
        self.gaps: set[Path] = set()
        self.torn = False
        self._stack: list[_Open] = []
        self._anchors: dict[str, _Measured | None] = {}

    def take(self, event: Any) -> None:
        match event:
            case yaml.ScalarEvent():
                self._scalar(event)
            case yaml.AliasEvent():
                self._alias(event)
            case yaml.SequenceStartEvent():
                self._start(event, [], "[")
            case yaml.MappingStartEvent():
                self._start(event, {}, "{")
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                self._end()
            case yaml.DocumentStartEvent():
                self._document(event)

    def _refuse(self, what: str, event: Any, hint: str = "") -> None:
        mark = event.start_mark
        path = self._path()
        self.problems.append(Problem(what, path, hint, self.file, mark.line + 1, mark.column + 1))
        if len(self.problems) >= _MOST_PROBLEMS:
            raise _TooMuch(replace(self.problems[-1], what="and more; reading stopped here"))

    def _path(self) -> tuple[str | int, ...]:
        if not self._stack:
            return ()
        top = self._stack[-1]
        if top.bracket == "[":
            return (*top.path, len(top.node.items))
        return (*top.path, top.key) if top.key is not None else top.path

    def _document(self, event: Any) -> None:
        if self.root is not None:
            self._refuse("starts a second document; one is read", event)
            self.torn = True
        if event.version not in {None, (1, 2)}:
            self._refuse("declares another version of YAML than 1.2", event)

    def _scalar(self, event: Any) -> None:
        text: str = event.value
        quoted = event.style not in {None, ""}
        if self._expects_key():
            self._key(event, text, quoted=quoted)
            return
        value: Any = text
        try:
            if event.tag is not None and event.tag != "!":
                value = tagged_scalar(event.tag, text)
            elif not quoted and event.tag is None:
                value = plain_scalar(text)
        except ScalarError as error:
            self._refuse(str(error), event)
            self.spoiled.add(self._path())
        self._check_text(text, event)
        start, end = event.start_mark, event.end_mark
        node = Node(value, start.line + 1, start.column + 1)
        around = 1 if event.style in {"'", '"'} else 0
        same_line = start.line == end.line
        if same_line and end.column - start.column == len(text) + 2 * around:
            node.text_column = node.column + around
        measured = _Measured(node, 1 + len(text), 0)
        if event.anchor is not None:
            self._anchors[event.anchor] = measured
        self._add(measured, event)

    def _check_text(self, text: str, event: Any) -> None:
        forbidden = _FORBIDDEN_IN_TEXT.search(text)
        if forbidden:
            self._refuse(f"holds the character U+{ord(forbidden[0]):04X}", event)
            self.spoiled.add(self._path())

    def _expects_key(self) -> bool:
        top = self._stack[-1] if self._stack else None
        return top is not None and top.bracket == "{" and top.awaits_key

    def _key(self, event: Any, text: str, *, quoted: bool) -> None:
        top = self._stack[-1]
        top.awaits_key = False
        top.key = None
        try:
            meaning = text if quoted or event.tag is not None else plain_scalar(text)
        except ScalarError:
            meaning = None
        if text == "<<" and not quoted:
            hint = "merge keys left YAML with 1.2; repeat the keys, or anchor the whole value"
            self._refuse("merges another mapping", event, hint)
            self.torn = True
        elif not isinstance(meaning, str):
            self._refuse(f"a key must be text (got {shown(text)})", event, "quote it")
            self.gaps.add(self._path())
        elif event.anchor is not None:
            self._refuse("a key cannot have an anchor", event)
            self.gaps.add(self._path())
        elif text in top.node.keys:
            line, column = top.node.keys[text]
            self._refuse(
                f"the key {shown(text)} is given twice", event, f"first at {line}:{column}"
            )
        else:
            self._check_text(text, event)
            mark = event.start_mark
            top.node.keys[text] = (mark.line + 1, mark.column + 1)
            top.weight += 1 + len(text)
            top.key = text

    def _alias(self, event: Any) -> None:
        if self._expects_key():
            self._refuse("a key must be text (got an alias)", event)
            self.gaps.add(self._path())
            self._stack[-1].awaits_key, self._stack[-1].key = False, None
            return
        mark = event.start_mark
        line, column = mark.line + 1, mark.column + 1
        target = self._anchors.get(event.anchor)
        if target is None:
            if event.anchor in self._anchors:
                self._refuse(f"the anchor {event.anchor} contains itself", event)
            else:
                hint = nearest(event.anchor, self._anchors)
                self._refuse(f"unknown anchor {shown(event.anchor)}", event, hint)
            self.spoiled.add(self._path())
            target = _Measured(Node(None, line, column), 1, 0)
        self._add(
            replace(target, node=replace(target.node, line=line, column=column, text_column=0)),
            event,
        )

    def _start(self, event: Any, empty: Any, bracket: str) -> None:
        if self._expects_key():
            self._refuse("a key must be text (got a list or a mapping)", event)
            raise _TooMuch(self.problems.pop())
        if len(self._stack) >= DEEPEST:
            self._refuse(f"is nested deeper than {DEEPEST}", event)
            raise _TooMuch(self.problems.pop())
        if event.tag not in _COLLECTION_TAGS[bracket]:
            self._refuse(
                f"has the tag {shown(event.tag)}, and only those of plain data are read", event
            )
            self.spoiled.add(self._path())
        mark = event.start_mark
        node = Node(empty, mark.line + 1, mark.column + 1)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._stack.append(_Open(node, bracket, event.anchor, self._path()))

    def _end(self) -> None:
        done = self._stack.pop()
        measured = _Measured(done.node, done.weight, done.height + 1)
        if done.anchor is not None:
            self._anchors[done.anchor] = measured
        self._add(measured, None)

    def _add(self, measured: _Measured, event: Any) -> None:
        if not self._stack:
            if self.root is None:
                self.root = measured.node
            return
        top = self._stack[-1]
        top.weight += measured.weight
        top.height = max(top.height, measured.height)
        if isinstance(event, yaml.AliasEvent):
            if len(self._stack) + measured.height > DEEPEST:
                self._refuse(f"is nested deeper than {DEEPEST}", event)
                raise _TooMuch(self.problems.pop())
            if sum(one.weight for one in self._stack) > LARGEST_EXPANSION:
                self._refuse("aliases expand the document beyond 4 MiB", event)
                raise _TooMuch(self.problems.pop())
        if top.bracket == "[":
            top.node.items.append(measured.node)
            top.node.value.append(measured.node.value)
            return
        if top.key is not None:
            top.node.entries[top.key] = measured.node
            top.node.value[top.key] = measured.node.value
        top.key = None
        top.awaits_key = True


def _events(text: str) -> Iterator[Any]:
    loader = _Loader(text)
    try:
        while loader.check_event():
            yield loader.get_event()
    finally:
        loader.dispose()


def _position(before: str) -> tuple[int, int]:
    lines = re.split("\r\n|\r|\n", before)
    return len(lines), len(lines[-1]) + 1


def _too_large(file: str) -> Problem:
    return Problem("is larger than 1 MiB", (), "", file, 1, 1)


def _syntax_problem(error: yaml.YAMLError, text: str, file: str) -> Problem:
    if not isinstance(error, yaml.MarkedYAMLError):
        reason = printable(" ".join(str(error).split()))
        return Problem(f"is no YAML: {reason[:200]}", (), "", file, 1, 1)
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line, mark.column) if mark else (0, 0)
    lines = re.split("\r\n|\r|\n", text)
    here = lines[line][column : column + 1] if line < len(lines) else ""
    if here == "\t":
        what, hint = "a tab stands where only spaces may", "indent with spaces"
    else:
        reason = printable(" ".join((error.problem or error.context or "unreadable").split()))
        what, hint = f"is no YAML: {reason[:200]}", _opened(error)
    return Problem(what, (), hint, file, line + 1, column + 1)


def _opened(error: yaml.MarkedYAMLError) -> str:
    mark = error.context_mark
    if mark is None or error.context is None:
        return ""
    return printable(f"{error.context} at {mark.line + 1}:{mark.column + 1}")
