import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from fieldproof_reports._text import clean_value

SCHEMA_VERSION = 1
"""The newest version of run.json that can be rendered, and the version of report.json."""


class RecordVersionError(Exception):
    """A record was written by a newer Fieldproof.

    Attributes:
        version: the version it says.
        known: the newest that can be rendered.
    """

    def __init__(self, version: object, known: int = SCHEMA_VERSION) -> None:
        super().__init__(
            f"the run record has version {version!r}, reports are made of versions up to {known}"
        )
        self.version = version
        self.known = known


def verdict_word(status: str) -> str:
    """Return the word that stands at the top of every report."""
    return {"passed": "PASS", "failed": "FAIL"}.get(status, status.upper())


def report_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report as data: the record with clean texts, the verdict's word and counts.

    Args:
        record: run.json, with or without what an envelope adds.

    Raises:
        RecordVersionError: The record is of a newer version.
    """
    version = record.get("schema_version")
    if not isinstance(version, int) or version > SCHEMA_VERSION:
        raise RecordVersionError(version)
    report: dict[str, Any] = clean_value(record)
    report["schema_version"] = SCHEMA_VERSION
    report["kind"] = "report"
    report["verdict"] = verdict_word(report["status"])
    report["counts"] = {
        part: dict(sorted(Counter(each["status"] for each in report[part]).items()))
        for part in ("assertions", "timeline")
    }
    return report


def render_json(record: Mapping[str, Any]) -> str:
    """Return report.json: sorted keys, two spaces of indentation, a final newline.

    Raises:
        RecordVersionError: The record is of a newer version.
    """
    text = json.dumps(
        report_of(record), sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False
    )
    return text + "\n"
