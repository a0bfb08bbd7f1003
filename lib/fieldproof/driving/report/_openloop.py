"""The report of an open-loop run, from its files."""

from collections.abc import Mapping, Sequence
from typing import Any

from fieldproof.driving.report._html import render_html
from fieldproof.driving.report._junit import render_openloop_junit
from fieldproof.driving.report._markdown import render_markdown
from fieldproof.driving.report._parts import Lines, Part, Report, Section, Table
from fieldproof_reports.text import number

_MOST_MISSING = 100


def render_openloop(
    summary: Mapping[str, Any],
    metrics: Mapping[str, Any],
    missing: Sequence[Mapping[str, Any]],
) -> dict[str, str]:
    """Return report.html, report.md and junit.xml by name.

    Args:
        summary: the content of summary.json.
        metrics: the content of metrics.json.
        missing: the lines of predictions.jsonl without a prediction.
    """
    definitions = metrics["definitions"]
    rows = [
        (key, "" if value is None else number(value), definitions.get(key, ""))
        for key, value in metrics["openloop"].items()
    ]
    sections = [Section("Figures", [Table(["Figure", "Value", "Definition"], rows)])]
    if missing:
        lost = [(one["sample_id"], one["fault"]) for one in missing[:_MOST_MISSING]]
        sections.append(Section("Missing samples", [Table(["Sample", "Why"], lost)], mark="fail"))
    shown = {
        key: value
        for key, value in summary["provenance"].items()
        if isinstance(value, str | int | bool) and value != ""
    }
    parts: list[Part] = [Table(["", ""], [(key, str(value)) for key, value in shown.items()])]
    if summary["provenance"]["collection_errors"]:
        parts.append(Lines(summary["provenance"]["collection_errors"]))
    sections.append(Section("Provenance", parts))
    title = f"{summary['task']} on {summary['provenance']['dataset_path']}"
    report = Report(str(summary["status"]).upper(), title, summary["reason"], sections)
    return {
        "report.html": render_html(report),
        "report.md": render_markdown(report),
        "junit.xml": render_openloop_junit(summary, missing),
    }
