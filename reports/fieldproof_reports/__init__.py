"""Reports of a run, rendered from its record and nothing else."""

from collections.abc import Mapping
from typing import Any

from fieldproof_reports._junit import render_junit
from fieldproof_reports._markdown import render_markdown
from fieldproof_reports._report import (
    SCHEMA_VERSION,
    RecordVersionError,
    render_json,
    report_of,
    verdict_word,
)
from fieldproof_reports._terminal import render_terminal

__all__ = [
    "SCHEMA_VERSION",
    "RecordVersionError",
    "render_all",
    "render_json",
    "render_junit",
    "render_markdown",
    "render_terminal",
    "report_of",
    "verdict_word",
]


def render_all(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the text of every report by its file name.

    Raises:
        RecordVersionError: The record is of a newer version.
    """
    return {
        "report.json": render_json(record),
        "report.md": render_markdown(record),
        "junit.xml": render_junit(record),
    }
