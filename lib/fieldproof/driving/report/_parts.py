"""A report as a tree of parts, which each form renders in its own way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Table:
    """A table of plain text.

    Attributes:
        header: its columns.
        rows: its cells; a row may be shorter than the header.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Lines:
    """Text that stands as it is, line by line."""

    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Sketch:
    """Ways seen from above.

    Attributes:
        ways: points in metres of the ego and of every actor, by name; `ego` is the ego.
    """

    ways: Mapping[str, Sequence[Sequence[float]]]


Part = Table | Lines | Sketch


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it.

    Attributes:
        title: the heading.
        parts: in their order.
        mark: `pass`, `fail` or empty, for its colour.
        folded: whether it is closed at first, where that can be.
    """

    title: str
    parts: Sequence[Part] = field(default=())
    mark: str = ""
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report.

    Attributes:
        verdict: PASS, FAIL or INCOMPLETE.
        title: of what.
        reason: the verdict's sentence.
        sections: in their order.
    """

    verdict: str
    title: str
    reason: str
    sections: Sequence[Section]
