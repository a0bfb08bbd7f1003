from dataclasses import dataclass, field
from typing import Any

from fieldproof.model._problems import Path, Problem, ScenarioError


@dataclass(slots=True)
class Node:
    """One value of a document and where it stands; lines and columns count from 1.

    Attributes:
        value: The value as JSON data.
        line: Line of its first character.
        column: Column of its first character.
        text_column: Column where a text's own characters start when they stand on one line as
            they are; 0 otherwise.
        items: The nodes of a list.
        entries: The nodes of a mapping.
        keys: Line and column of each key of a mapping.
    """

    value: Any
    line: int
    column: int
    text_column: int = 0
    items: list["Node"] = field(default_factory=list)
    entries: dict[str, "Node"] = field(default_factory=dict)
    keys: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceMap:
    """Where each value of a document stands.

    Attributes:
        file: The file as the user named it.
        root: The document.
    """

    file: str
    root: Node = field(repr=False)

    def locate(self, path: Path) -> tuple[int, int]:
        """Return line and column of the value at a path, or of its closest part that exists."""
        node, _ = self._walk(path)
        return node.line, node.column

    def place(self, problem: Problem, *, on_key: bool = False, offset: int = 0) -> Problem:
        """Return the problem with the position of its path.

        Args:
            problem: Its path starts at the document's root.
            on_key: The key at the end of the path is meant, rather than its value.
            offset: Characters into the text at the path.
        """
        node, rest = self._walk(problem.path)
        line, column = node.line, node.column
        if on_key and problem.path:
            parent, _ = self._walk(problem.path[:-1])
            line, column = parent.keys.get(str(problem.path[-1]), (line, column))
        elif offset and not rest and node.text_column:
            column = node.text_column + offset
        return problem.placed(file=self.file, line=line, column=column)

    def _walk(self, path: Path) -> tuple[Node, Path]:
        node = self.root
        for depth, part in enumerate(path):
            inner = None
            if isinstance(part, str):
                inner = node.entries.get(part)
            elif 0 <= part < len(node.items):
                inner = node.items[part]
            if inner is None:
                return node, path[depth:]
            node = inner
        return node, ()


@dataclass(frozen=True, slots=True)
class Document:
    """A document that was read: its value as JSON data, and where everything in it stands."""

    value: Any
    source: SourceMap


@dataclass(frozen=True, slots=True)
class InPart:
    """A document whose structure is sound, and what is wrong with its keys and values.

    Attributes:
        document: All that could be read; refused keys are absent.
        problems: With positions.
        spoiled: Paths of values that do not stand for what was written.
        gaps: Paths of mappings with refused keys.
    """

    document: Document
    problems: tuple[Problem, ...] = ()
    spoiled: frozenset[Path] = frozenset()
    gaps: frozenset[Path] = frozenset()

    def brings(self, problem: Problem) -> bool:
        """Return whether a problem found since only follows from those of reading."""
        path = problem.path
        if problem.file not in {"", self.document.source.file}:
            return False
        if any(path[:depth] in self.spoiled for depth in range(len(path) + 1)):
            return True
        return problem.what == "is missing" and path[:-1] in self.gaps

    def whole(self) -> Document:
        """Return the document if nothing is wrong with it; raises `ScenarioError` otherwise."""
        if self.problems:
            raise ScenarioError(self.problems)
        return self.document
