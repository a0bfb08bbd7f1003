import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from xml.etree import ElementTree as ET

from fieldproof_reports._report import report_of
from fieldproof_reports._terminal import summary_lines
from fieldproof_reports._text import clean, compact, number, one_line

Kind = Literal["passed", "failure", "error", "skipped"]

_TIMESTAMP_CHARACTERS = 19  # YYYY-MM-DDTHH:MM:SS, the schemas allow no zone


@dataclass(slots=True)
class _Case:
    """One testcase.

    Attributes:
        type_name: the `type` of a failure or an error.
        message: why it did not pass, on one line.
        body: the message again, and what led to it.
    """

    class_name: str
    name: str
    time_s: float
    kind: Kind = "passed"
    type_name: str = ""
    message: str = ""
    body: str = ""


@dataclass(slots=True)
class _Names:
    """Makes every pair of class and name unique and fit for an attribute."""

    taken: set[tuple[str, str]] = field(default_factory=set)

    def claim(self, class_name: str, name: str) -> tuple[str, str]:
        first = (one_line(class_name) or "unnamed", one_line(name) or "unnamed")
        pair, count = first, 1
        while pair in self.taken:
            count += 1
            pair = (first[0], f"{first[1]} ({count})")
        self.taken.add(pair)
        return pair


def render_junit(record: Mapping[str, Any]) -> str:
    """Return junit.xml: one suite with a testcase per assertion, per timeline entry, and the run.

    A failed assertion is a failure, an undecided one skipped; a timeline entry that is not ok is
    a failure, one that never ran skipped; the run is a failure when it failed and an error when
    nothing can be said about the software under test. Texts stand in the `message` attribute and
    in the element's body, but for skipped ones, to which some schemas allow no attribute.

    Raises:
        RecordVersionError: The record is of a newer version.
    """
    report = report_of(record)
    cases = _cases(report)
    length = _length(report)
    counts = {
        kind: str(sum(case.kind == kind for case in cases))
        for kind in ("failure", "error", "skipped")
    }
    shared = {
        "tests": str(len(cases)),
        "failures": counts["failure"],
        "errors": counts["error"],
    }
    name = one_line(report["scenario"]["name"]) or "unnamed"
    root = ET.Element("testsuites", {"name": name, **shared, "time": _decimal(length)})
    about = {
        "name": name,
        **shared,
        "skipped": counts["skipped"],
        "time": _decimal(length),
        "hostname": one_line(report.get("host") or "") or "localhost",
        "id": "0",
        "package": "fieldproof",
    }
    if report.get("started_at"):
        about["timestamp"] = one_line(report["started_at"])[:_TIMESTAMP_CHARACTERS]
    suite = ET.SubElement(root, "testsuite", about)
    properties = ET.SubElement(suite, "properties")
    for key, value in _properties(report).items():
        ET.SubElement(properties, "property", {"name": one_line(key), "value": one_line(value)})
    for case in cases:
        _add_case(suite, case)
    ET.SubElement(suite, "system-out").text = "\n".join(summary_lines(report))
    ET.SubElement(suite, "system-err").text = "\n".join(map(one_line, report["problems"]))
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _add_case(suite: ET.Element, case: _Case) -> None:
    element = ET.SubElement(
        suite,
        "testcase",
        {"classname": case.class_name, "name": case.name, "time": _decimal(case.time_s)},
    )
    if case.kind == "skipped":
        ET.SubElement(element, "skipped").text = case.body
    elif case.kind != "passed":
        attributes = {"message": case.message, "type": case.type_name}
        ET.SubElement(element, case.kind, attributes).text = case.body


def _cases(report: Mapping[str, Any]) -> list[_Case]:
    scenario, names = report["scenario"]["name"], _Names()
    cases = [_run_case(report, names)]
    for each in report["assertions"]:
        class_name, name = names.claim(f"{scenario}.assertions", each["name"])
        case = _Case(class_name, name, _time(each.get("t_s")))
        if each["status"] != "passed":
            case.kind = "failure" if each["status"] == "failed" else "skipped"
            case.type_name = one_line(each.get("type") or "assertion")
            case.message = one_line(each.get("reason") or each["status"])
            case.body = _assertion_body(each)
        cases.append(case)
    for each in report["timeline"]:
        class_name, name = names.claim(f"{scenario}.timeline", each["name"])
        case = _Case(class_name, name, _time(each.get("duration_s")))
        if each["status"] != "ok":
            detail = one_line(each.get("detail") or "")
            case.kind = "skipped" if each["status"] == "skipped" else "failure"
            case.type_name = one_line(each.get("action") or "timeline")
            case.message = f"{one_line(each['status'])}: {detail}" if detail else each["status"]
            case.body = f"{case.message}\n{compact(each)}"
        cases.append(case)
    return [*cases[1:], cases[0]]


def _run_case(report: Mapping[str, Any], names: _Names) -> _Case:
    class_name, name = names.claim(report["scenario"]["name"], "run")
    case = _Case(class_name, name, _length(report))
    if report["status"] != "passed":
        case.kind = "failure" if report["status"] == "failed" else "error"
        case.type_name = one_line(report["status"])
        case.message = one_line(report["reason"])
        gaps = [gap.get("text") or compact(gap) for gap in report["evidence"]["gaps"]]
        case.body = "\n".join(
            clean(line) for line in (report["reason"], *report["problems"], *gaps)
        )
    return case


def _assertion_body(assertion: Mapping[str, Any]) -> str:
    evidence = dict(assertion.get("evidence") or {})
    excerpt = evidence.pop("excerpt", None) or []
    lines = [clean(str(assertion.get("reason") or assertion["status"]))]
    if assertion.get("source"):
        lines.append(f"source: {one_line(assertion['source'])}")
    lines += [f"{one_line(key)}: {compact(value)}" for key, value in sorted(evidence.items())]
    if excerpt:
        lines.append("excerpt:")
        lines += [f"  {compact(sample)}" for sample in excerpt]
    return "\n".join(lines)


def _properties(report: Mapping[str, Any]) -> dict[str, str]:
    scenario, durations = report["scenario"], report["durations"]
    recordings = [each["path"] for each in report["artefacts"] if each["kind"] == "recording"]
    facts = {
        "run_id": report.get("run_id"),
        "verdict": report["verdict"],
        "status": report["status"],
        "exit_code": report["exit_code"],
        "reason": report["reason"],
        "scenario.path": scenario.get("path"),
        "scenario.sha256": scenario.get("sha256"),
        "world": report.get("world"),
        "engine_version": report.get("engine_version"),
        "determinism": report.get("determinism"),
        "duration.wall_s": durations["wall_s"],
        "duration.timeline_s": durations["timeline_s"],
        "duration.sim_s": durations["sim_s"],
        "recording": recordings[0] if recordings else None,
    }
    kpis = {f"kpi.{name}": _kpi_value(kpi) for name, kpi in sorted(report["kpis"].items())}
    return {key: number(value) for key, value in (facts | kpis).items() if value is not None}


def _kpi_value(kpi: Any) -> Any:
    return kpi.get("value") if isinstance(kpi, Mapping) else kpi


def _length(report: Mapping[str, Any]) -> float:
    durations = report["durations"]
    for key in ("wall_s", "timeline_s", "sim_s"):
        if durations[key] is not None:
            return _time(durations[key])
    return 0.0


def _time(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return max(0.0, float(value))


def _decimal(time_s: float) -> str:
    return f"{time_s:.3f}"
