import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fieldproof_reports._report import report_of
from fieldproof_reports._text import clean, compact, first_and_rest, number, one_line, seconds, size

_SPECIAL = re.compile(r"([\\`*\[\]#|~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")
_BACKTICKS = re.compile(r"`+")


def render_markdown(record: Mapping[str, Any]) -> str:
    """Return report.md, in GitHub's dialect.

    Raises:
        RecordVersionError: The record is of a newer version.
    """
    report = report_of(record)
    sections = [
        _head(report),
        _problems(report),
        _assertions(report),
        _excerpts(report),
        _kpis(report),
        _collectors(report),
        _timeline(report),
        _phases(report),
        _evidence(report),
        _artefacts(report),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def escape(text: object) -> str:
    """Return text that Markdown shows as it is, on one line and within a table cell."""
    line = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", line)


def code(text: object) -> str:
    """Return text as a code span that can stand in a table cell."""
    line = one_line(text)
    if not line or "|" in line:  # a span has no way to say a bar after a backslash
        return escape(line)
    fence = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith(("`", "\\")) else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def block(lines: Iterable[str]) -> str:
    """Return lines as a fenced block that nothing in them can end."""
    text = "\n".join(clean(line) for line in lines)
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{text}\n{fence}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; its cells are Markdown already."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def _head(report: Mapping[str, Any]) -> str:
    scenario, durations, time = report["scenario"], report["durations"], report["time"]
    vehicles = ", ".join(
        f"{code(each['name'])} ({code(each['robot'])})" for each in report["vehicles"]
    )
    facts = [
        ("Status", f"{escape(report['status'])}, exit code {report['exit_code']}"),
        ("Run", code(report["run_id"] or "")),
        ("Scenario", code(scenario.get("path") or scenario["name"])),
        ("Scenario SHA-256", code(scenario.get("sha256") or "")),
        ("World", code(report["world"] or "")),
        ("Vehicles", vehicles),
        ("Time", _time(time)),
        ("Determinism", escape(report["determinism"] or "")),
        ("Started", escape(report["started_at"] or "")),
        ("Ended", escape(report["ended_at"] or "")),
        ("Wall clock", seconds(durations["wall_s"])),
        ("Timeline", seconds(durations["timeline_s"])),
        ("Simulated", seconds(durations["sim_s"])),
        ("Fieldproof", escape(report["engine_version"] or "")),
        ("Recovered", escape(report["recovered"] or "")),
    ]
    return "\n\n".join(
        [
            f"# {escape(report['verdict'])}: {escape(scenario['name'])}",
            *_reason(report["reason"]),
            table(["", ""], [(name, value) for name, value in facts if value]),
        ]
    )


def _reason(reason: str) -> list[str]:
    first, rest = first_and_rest(reason)
    return [f"**Reason:** {escape(first)}", *([block(rest)] if rest else [])]


def _time(time: Mapping[str, Any]) -> str:
    parts = [escape(time.get("mode") or "")]
    if time.get("tick_ns") and time.get("mode") == "lockstep":
        parts.append(f"tick {number(time['tick_ns'] / 1e9)} s")
    if time.get("seed") is not None:
        parts.append(f"seed {number(time['seed'])}")
    return ", ".join(part for part in parts if part)


def _problems(report: Mapping[str, Any]) -> str:
    if not report["problems"]:
        return ""
    return "## Problems\n\n" + block(one_line(problem) for problem in report["problems"])


def _assertions(report: Mapping[str, Any]) -> str:
    rows = [
        (
            escape(each["status"]),
            code(each["name"]),
            code(each.get("type") or ""),
            seconds(each.get("t_s")),
            escape(each.get("reason") or ""),
            code(each.get("source") or ""),
        )
        for each in report["assertions"]
    ]
    if not rows:
        return ""
    header = ["Verdict", "Assertion", "Type", "At", "Reason", "Source"]
    return "## Assertions\n\n" + table(header, rows)


def _excerpts(report: Mapping[str, Any]) -> str:
    parts = []
    for each in report["assertions"]:
        if each["status"] == "failed":
            evidence = dict(each.get("evidence") or {})
            excerpt = evidence.pop("excerpt", None) or []
            lines = [
                f"{one_line(key)}: {compact(value)}" for key, value in sorted(evidence.items())
            ]
            if excerpt:
                lines += ["last samples:", *(f"  {compact(sample)}" for sample in excerpt)]
            if lines:
                parts.append(f"### {escape(each['name'])}\n\n{block(lines)}")
    return "\n\n".join(parts)


def _kpis(report: Mapping[str, Any]) -> str:
    rows = []
    for name, kpi in sorted(report["kpis"].items()):
        entry = kpi if isinstance(kpi, Mapping) else {"value": kpi}
        rows.append(
            (
                code(name),
                escape(number(entry.get("value"))),
                escape(entry.get("unit") or ""),
                escape(entry.get("source") or ""),
            )
        )
    if not rows:
        return ""
    return "## KPIs\n\n" + table(["KPI", "Value", "Unit", "Source"], rows)


def _collectors(report: Mapping[str, Any]) -> str:
    rows = [
        (
            escape(each["status"]),
            code(each["name"]),
            code(each.get("type") or ""),
            escape(each.get("reason") or ""),
        )
        for each in report["kpi_collectors"]
    ]
    if not rows:
        return ""
    return "## Collectors\n\n" + table(["Status", "Collector", "Type", "Reason"], rows)


def _timeline(report: Mapping[str, Any]) -> str:
    rows = [
        (
            escape(each["status"]),
            code(each["name"]),
            code(each.get("action") or ""),
            code(each.get("vehicle") or ""),
            seconds(each.get("t_s")),
            seconds(each.get("duration_s")),
            escape(each.get("detail") or ""),
        )
        for each in report["timeline"]
    ]
    if not rows:
        return ""
    header = ["Status", "Entry", "Action", "Vehicle", "At", "Took", "Detail"]
    return "## Timeline\n\n" + table(header, rows)


def _phases(report: Mapping[str, Any]) -> str:
    rows = [
        (escape(each["name"]), escape(each["status"]), seconds(each.get("duration_s")))
        for each in report["phases"]
    ]
    if not rows:
        return ""
    return "## Phases\n\n" + table(["Phase", "Status", "Took"], rows)


def _evidence(report: Mapping[str, Any]) -> str:
    evidence = report["evidence"]
    gaps, topics = evidence["gaps"], evidence["topics"]
    parts = ["Complete." if evidence["complete"] else "Incomplete."]
    if gaps:
        parts.append(table(["Gap"], [[escape(gap.get("text") or compact(gap))] for gap in gaps]))
    if topics:
        rows = [
            (code(name), number(counts.get("messages")), number(counts.get("lost")))
            for name, counts in sorted(topics.items())
        ]
        parts.append(table(["Topic", "Messages", "Lost"], rows))
    return "## Evidence\n\n" + "\n\n".join(parts)


def _artefacts(report: Mapping[str, Any]) -> str:
    rows = [
        (code(each["path"]), escape(each["kind"]), size(each["size"]))
        for each in report["artefacts"]
    ]
    if not rows:
        return ""
    return "## Artefacts\n\n" + table(["File", "Kind", "Size"], rows)
