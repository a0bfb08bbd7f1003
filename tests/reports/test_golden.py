"""Every report of every outcome against a stored one, compared as parsed.

FIELDPROOF_UPDATE_GOLDEN=1 writes the stored ones anew.
"""

import json
import os
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from fieldproof_reports import render_all, render_terminal

from .conftest import RECORDS

GOLDEN = Path(__file__).parent / "golden"


def tree(element):
    return (
        element.tag,
        element.attrib,
        (element.text or "").strip(),
        [tree(each) for each in element],
    )


def rows(text):
    """Markdown as its lines, tables as their cells."""
    return [
        [cell.strip() for cell in line.split("|")] if line.startswith("|") else line.rstrip()
        for line in text.splitlines()
        if line.strip()
    ]


PARSERS = {
    "report.json": json.loads,
    "report.md": rows,
    "junit.xml": lambda text: tree(ET.fromstring(text)),
    "terminal.txt": str.splitlines,
}


def rendered(record):
    paths = ["runs/latest/report.md", "runs/latest/junit.xml"]
    return render_all(record) | {"terminal.txt": render_terminal(record, reports=paths)}


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize("ending", RECORDS)
def test_a_report_is_as_stored(ending, name):
    text = rendered(RECORDS[ending])[name]
    path = GOLDEN / ending / name
    if os.environ.get("FIELDPROOF_UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    parse = PARSERS[name]
    assert parse(text) == parse(path.read_text(encoding="utf-8"))


def test_nothing_is_stored_that_no_test_reads():
    stored = {str(path.relative_to(GOLDEN)) for path in GOLDEN.rglob("*") if path.is_file()}
    assert stored == {f"{ending}/{name}" for ending in RECORDS for name in PARSERS}
