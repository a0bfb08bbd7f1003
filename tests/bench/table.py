"""The results as a table for people. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.bench.figures import Result, Summary

_HEAD = ("figure", "value", "unit", "at least", "aim", "median", "min", "max", "n", "others", "")
_QUIET = 0.3  # cores; more than a desktop needs for itself


def render(
    results: Sequence[Result], machine: Mapping[str, Any], details: Mapping[str, float]
) -> str:
    """The table, the notes under it and the machine that it holds for; ends in a newline."""
    rows = [_HEAD, *(_row(result) for result in results)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [_line(row, widths) for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths).rstrip())
    notes = [f"{result.figure.name}: {result.note}" for result in results if result.note]
    more = [f"{name}: {number(value)}" for name, value in details.items()]
    return "\n".join([*lines, "", *notes, *_warning(results), *more, machine_line(machine), ""])


def _warning(results: Sequence[Result]) -> list[str]:
    most = max((result.others or 0.0 for result in results), default=0.0)
    if most < _QUIET:
        return []
    return [f"other processes kept up to {most:.1f} cores busy: an idle machine gives better times"]


def _row(result: Result) -> tuple[str, ...]:
    figure = result.figure
    spread = ["-", "-", "-", "0"]
    if result.samples and figure.unit == "runs":
        spread = ["-", "-", "-", str(len(result.samples))]
    elif result.samples:
        summary = Summary.of(result.samples)
        spread = [*map(number, (summary.median, summary.least, summary.most)), str(summary.count)]
    return (
        figure.what,
        "-" if result.value is None else number(result.value),
        figure.unit,
        number(figure.at_least),
        number(figure.aim),
        *spread,
        "-" if result.others is None else f"{result.others:.1f}",
        result.verdict,
    )


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    left = {0, 2, len(row) - 1}
    cells = [
        cell.ljust(width) if index in left else cell.rjust(width)
        for index, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def machine_line(machine: Mapping[str, Any]) -> str:
    """The machine in a sentence; what is not known is left out."""
    before, after = (
        "/".join(f"{load:.1f}" for load in machine[key]) for key in ("load_before", "load_after")
    )
    parts = [
        f"machine: {machine['cores']} cores",
        machine["processor"],
        f"{machine['memory_gb']:g} GB",
        machine["system"],
        machine["nix"],
        f"load {before} before, {after} after",
    ]
    return ", ".join(part for part in parts if part)


def number(value: float) -> str:
    """Three significant digits or a whole number; never an exponent for what is measured here."""
    if value and abs(value) < 100:
        return f"{value:.3g}"
    return f"{value:.0f}"
