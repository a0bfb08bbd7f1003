from dataclasses import dataclass, field
from typing import Any

from fieldproof.model._problems import Path, Problem


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
