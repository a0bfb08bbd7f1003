"""What stands on standard output when a live run has ended."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fieldproof.cli._places import Places, places_of
from fieldproof.runs import read_manifest
from fieldproof_reports import render_terminal

if TYPE_CHECKING:
    from fieldproof.engine.live import LiveRun

_COLOURS = {"PASS": "green", "FAIL": "red", "FAILED": "red", "ERROR": "red", "TIMEOUT": "red"}


def summary(done: LiveRun, scenario: Path) -> str:
    """Return the verdict, each assertion, what failed with its line, and where the evidence is."""
    record, folder = done.record, _short(done.directory.path)
    failed = [one for one in (*record["assertions"], *record["timeline"]) if _is_bad(one["status"])]
    places = places_of(record, done.directory, scenario) if failed else Places()
    text = render_terminal(record, assertions_at=places.assertions, timeline_at=places.timeline)
    lines = [
        *map(_coloured, text.splitlines()),
        f"  report    {folder / 'report.md'}",
        f"  junit     {folder / 'junit.xml'}",
        f"  kpis      {len(record['kpis'])} in {folder / 'kpis.jsonl'}",
        f"  run       {folder}",
        f"  evidence  {read_manifest(done.directory).evidence_digest}",
    ]
    return "\n".join(lines)


def _is_bad(status: str) -> bool:
    return status not in {"passed", "ok"}


def _short(folder: Path) -> Path:
    """Return a path relative to where the user is, when that is shorter."""
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder


def _coloured(line: str) -> str:
    """Return a line with its first word in the colour of what it says."""
    bare = line.lstrip()
    word = bare.split(" ", 1)[0]
    colour = _COLOURS.get(word)
    if colour is None:
        return line
    return line[: len(line) - len(bare)] + click.style(word, fg=colour) + bare[len(word) :]
