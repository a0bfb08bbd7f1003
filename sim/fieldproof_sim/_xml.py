from __future__ import annotations

import difflib
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.parsers import expat

from fieldproof_sim._problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path


@dataclass(slots=True)
class Element:
    """An XML element that knows the line its tag starts on."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def first(self, tag: str) -> Element | None:
        """Return the first child of that tag."""
        return next(self.all(tag), None)

    def all(self, tag: str) -> Iterator[Element]:
        """Yield the children of that tag in order."""
        return (child for child in self.children if child.tag == tag)


def parse_xml(source: bytes) -> Element:
    """Parse a document into its root element.

    Entities beyond XML's own are refused by not being expanded; namespaces are kept as prefixes.

    Raises:
        expat.ExpatError: not well-formed; `lineno` says where.
    """
    root: list[Element] = []
    stack: list[Element] = []
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, parser.CurrentLineNumber)
        (stack[-1].children if stack else root).append(element)
        stack.append(element)

    def end(_tag: str) -> None:
        stack.pop()

    def characters(text: str) -> None:
        stack[-1].text += text

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.Parse(source, True)
    return root[0]


@dataclass(slots=True)
class Reader:
    """Collects what is wrong with one file while values are read from its elements."""

    file: Path
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)

    def error(self, element: Element, what: str) -> None:
        """Note a problem that makes the file unusable."""
        self.problems.append(Problem(self.file, element.line, what))

    def warn(self, element: Element, what: str) -> None:
        """Note something left out that does not change physics."""
        self.warnings.append(Problem(self.file, element.line, what))

    def check_children(
        self,
        element: Element,
        known: Collection[str],
        *,
        ignored: Collection[str] = (),
        cosmetic: Collection[str] = (),
    ) -> None:
        """Report each child outside the subset.

        `known` and `ignored` pass in silence, `cosmetic` earns a warning; anything else, and
        anything prefixed with a namespace as a warning, may change physics and is an error.
        """
        for child in element.children:
            if child.tag in known or child.tag in ignored:
                continue
            if child.tag in cosmetic or ":" in child.tag:
                self.warn(child, f"<{child.tag}> in <{element.tag}> is left out")
                continue
            near = difflib.get_close_matches(child.tag, list(known), n=1)
            hint = f" (did you mean <{near[0]}>?)" if near else ""
            self.error(child, f"<{child.tag}> in <{element.tag}> is not supported{hint}")

    def attribute(self, element: Element, name: str) -> str:
        """Return a required attribute, or "" after noting that it is missing."""
        value = element.attributes.get(name, "")
        if not value:
            self.error(element, f"<{element.tag}> needs the attribute {name}")
        return value

    def numbers(self, element: Element, text: str, count: int) -> tuple[float, ...]:
        """Read exactly `count` finite numbers, or zeros after noting the problem."""
        parts = text.split()
        try:
            values = tuple(float(part) for part in parts)
        except ValueError:
            values = ()
        if len(values) != count or not all(map(math.isfinite, values)):
            noun = "a number" if count == 1 else f"{count} numbers"
            shown = text.strip() or "nothing"
            self.error(element, f"<{element.tag}> needs {noun} (got {shown})")
            return (0.0,) * count
        return values

    def number(self, parent: Element, tag: str, default: float) -> float:
        """Read a child that holds one number."""
        child = parent.first(tag)
        return default if child is None else self.numbers(child, child.text, 1)[0]

    def positive(self, element: Element, text: str, count: int) -> tuple[float, ...]:
        """Read `count` numbers above zero; ones stand in after a problem was noted."""
        before = len(self.problems)
        values = self.numbers(element, text, count)
        if len(self.problems) == before and min(values) <= 0:
            self.error(element, f"<{element.tag}> must be positive (got {text.strip()})")
        return values if min(values) > 0 else (1.0,) * count

    def flag(self, parent: Element, tag: str, *, default: bool) -> bool:
        """Read a child that holds true, false, 1 or 0."""
        child = parent.first(tag)
        if child is None:
            return default
        value = {"true": True, "1": True, "false": False, "0": False}.get(child.text.strip())
        if value is None:
            self.error(child, f"<{tag}> must be true or false (got {child.text.strip()})")
            return default
        return value

    def unique(self, elements: list[Element], key: Callable[[Element], str]) -> None:
        """Note every element whose key an earlier one has."""
        seen: dict[str, int] = {}
        for element in elements:
            name = key(element)
            if name in seen:
                self.error(element, f"the name {name} is taken (line {seen[name]})")
            seen.setdefault(name, element.line)
