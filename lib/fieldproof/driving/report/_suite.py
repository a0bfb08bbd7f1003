"""The report of a suite's run, from its files."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fieldproof.driving.report._html import render_html
from fieldproof.driving.report._junit import render_suite_junit
from fieldproof.driving.report._markdown import render_markdown
from fieldproof.driving.report._parts import Lines, Part, Report, Section, Sketch, Table
from fieldproof_reports.text import number

Ways = Mapping[str, Mapping[str, Sequence[Sequence[float]]]]
"""Points of everybody by name, by scenario."""

_ORIGIN = re.compile("marketplace_|metric_group$|domain_metrics$|domain_metadata$")
_MOST_DETAILS = 200
"""Scenarios that are shown one by one; of more, those that failed come first."""
_AS_THEN = (
    "As they were when the run ended; `fieldproof failures list` shows what became of them since."
)


def render_suite(
    summary: Mapping[str, Any],
    metrics: Mapping[str, Any],
    regression: Mapping[str, Any],
    failures: Mapping[str, Any],
    ways: Ways | None = None,
) -> dict[str, str]:
    """Return report.html, report.md and junit.xml by name.

    Args:
        summary: the content of summary.json.
        metrics: the content of metrics.json.
        regression: the content of regression.json.
        failures: the content of failures.json.
        ways: for the sketches of the HTML report.
    """
    report = suite_report(summary, metrics, regression, failures, ways or {})
    return {
        "report.html": render_html(report),
        "report.md": render_markdown(report),
        "junit.xml": render_suite_junit(summary, metrics, regression),
    }


def suite_report(
    summary: Mapping[str, Any],
    metrics: Mapping[str, Any],
    regression: Mapping[str, Any],
    failures: Mapping[str, Any],
    ways: Ways,
) -> Report:
    """Return the report as a tree."""
    sections = [_figures(summary, metrics), _gates(summary, regression), _regression(regression)]
    sections += [_scenarios(metrics), _failures(failures), _provenance(summary)]
    entries = sorted(metrics["scenarios"].values(), key=lambda one: one["status"] == "success")
    shown = [_scenario(one, ways.get(one["scenario_id"])) for one in entries[:_MOST_DETAILS]]
    sections += shown
    return Report(
        str(summary["status"]).upper(),
        summary.get("suite_name") or summary["suite_id"],
        summary["reason"],
        [section for section in sections if section.parts],
    )


def _figures(summary: Mapping[str, Any], metrics: Mapping[str, Any]) -> Section:
    counts = summary["assertions"]
    rows = [
        ("Run", summary.get("run_id") or "hermetic"),
        ("Suite", summary["suite_id"]),
        ("Agent", summary["provenance"]["agent_path"]),
        ("Agent version", summary["agent_version"] or ""),
        ("Wall clock", _unit(summary["duration_seconds"], "s")),
        ("Assertions", ", ".join(f"{value} {key}" for key, value in counts.items())),
    ]
    rows += [(key, number(value)) for key, value in metrics["aggregate"].items()]
    return Section("Figures", [Table(["", ""], [row for row in rows if row[1] != ""])])


def _gates(summary: Mapping[str, Any], regression: Mapping[str, Any]) -> Section:
    rows = [(name, number(value)) for name, value in summary["gates"].items()]
    parts: list[Part] = [Table(["Gate", "Limit"], rows)] if rows else []
    if regression["failures"]:
        parts.append(Lines(regression["failures"]))
    return Section("Gates", parts, mark=regression["status"])


def _regression(regression: Mapping[str, Any]) -> Section:
    if regression["baseline"] is None:
        return Section("Baseline")
    rows = [
        (
            name,
            number(delta["current"]),
            number(delta["baseline"]),
            number(delta["delta"]),
            "" if delta["percent"] is None else f"{delta['percent']:.2f} %",
            "fail" if delta["regressed"] else "pass",
        )
        for name, delta in regression["deltas"].items()
    ]
    header = ["Figure", "Now", "Baseline", "Difference", "Percent", ""]
    parts: list[Part] = [Table(header, rows)]
    if regression["scenarios"]:
        changes = [(one["scenario_id"], one["change"]) for one in regression["scenarios"]]
        parts.append(Table(["Scenario", "Change"], changes))
    return Section(f"Against the baseline {regression['baseline']}", parts)


def _scenarios(metrics: Mapping[str, Any]) -> Section:
    rows = [
        (
            "pass" if one["status"] == "success" else "fail",
            name,
            one["ended_by"],
            _unit(one["metrics"]["duration_seconds"], "s"),
            number(one["metrics"]["safety_score"]),
            one["reasons"][0]["text"] if one["reasons"] else "",
        )
        for name, one in metrics["scenarios"].items()
    ]
    header = ["", "Scenario", "Ended by", "After", "Safety score", "Reason"]
    return Section("Scenarios", [Table(header, rows)])


def _failures(failures: Mapping[str, Any]) -> Section:
    rows = [
        (
            one["failure_id"],
            one["severity"],
            one["scenario_id"] or one["sample_id"] or "",
            _unit(one["timestamp"], "s"),
            one["status"],
            one.get("reason") or one["notes"],
        )
        for one in failures["failures"]
    ]
    if not rows:
        return Section("Failures")
    header = ["Failure", "Severity", "Scenario", "At", "Status", "Reason"]
    return Section("Failures", [Table(header, rows), Lines([_AS_THEN])])


def _provenance(summary: Mapping[str, Any]) -> Section:
    shown = {
        key: value
        for key, value in summary["provenance"].items()
        if isinstance(value, str | int | bool) and value != ""
    }
    rows = [(key, str(value)) for key, value in shown.items()]
    parts: list[Part] = [Table(["", ""], rows)]
    origins = summary["marketplace"][:_MOST_DETAILS]
    if origins:
        keys = list(dict.fromkeys(key for one in origins for key in one))
        cells = [[_text(one.get(key)) for key in keys] for one in origins]
        parts.append(Table(keys, cells))
    errors = summary["provenance"]["collection_errors"]
    if errors:
        parts.append(Lines(errors))
    return Section("Provenance", parts)


def _scenario(
    entry: Mapping[str, Any], ways: Mapping[str, Sequence[Sequence[float]]] | None
) -> Section:
    return Section(
        f"{entry['scenario_id']}: {entry['name']}",
        list(_details(entry, ways)),
        mark="pass" if entry["status"] == "success" else "fail",
        folded=True,
    )


def _details(
    entry: Mapping[str, Any], ways: Mapping[str, Sequence[Sequence[float]]] | None
) -> Iterator[Part]:
    if entry["reasons"]:
        yield Table(
            ["Severity", "At", "Reason"],
            [
                (one["severity"], _unit(one["timestamp"], "s"), one["text"])
                for one in entry["reasons"]
            ],
        )
    fault = entry["agent_fault"]
    if fault is not None and fault["trace"]:
        yield Lines(fault["trace"].splitlines())
    if ways:
        yield Sketch(ways)
    if entry["assertions"]:
        yield Table(
            ["", "Assertion", "Type", "Severity", "Message"],
            [
                (one["status"], one["name"], one["type"], one["severity"], one["message"])
                for one in entry["assertions"]
            ],
        )
    if entry["events"]:
        yield Table(
            ["At", "Event", "Actor", "Distance"],
            [
                (
                    _unit(one["timestamp"], "s"),
                    one["type"],
                    one.get("actor_id") or one.get("traffic_light_id") or "",
                    _unit(one.get("distance"), "m"),
                )
                for one in entry["events"]
            ],
        )
    figures = [(key, number(value)) for key, value in entry["metrics"].items()]
    about = [("tags", ", ".join(entry["tags"])), ("episode", entry["episode_path"])]
    about += [(key, _text(entry[key])) for key in sorted(entry) if _ORIGIN.match(key)]
    yield Table(["", ""], [*[row for row in about if row[1]], *figures])


def _text(value: Any) -> str:
    """Return what is passed on as text: itself, or as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _unit(value: Any, unit: str) -> str:
    return "" if value is None else f"{value:.3f} {unit}"
