"""junit.xml of suites and of open-loop runs; texts stand in the message and in the body."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

from fieldproof_reports.text import clean, number, one_line

_TIMESTAMP_CHARACTERS = 19  # YYYY-MM-DDTHH:MM:SS, the schemas allow no zone


@dataclass(frozen=True, slots=True)
class _Case:
    class_name: str
    name: str
    time_s: float = 0.0
    kind: str = "passed"
    type_name: str = ""
    lines: Sequence[str] = ()


def render_suite_junit(
    summary: Mapping[str, Any], metrics: Mapping[str, Any], regression: Mapping[str, Any]
) -> str:
    """Return junit.xml of a suite: a testcase a scenario, one a gate, and the suite itself.

    A scenario that failed is a failure, one whose simulator could not be used an error. Assertions
    that failed without failing the scenario stand in the suite's output.
    """
    suite = summary["suite_id"]
    cases = [_scenario(suite, one) for one in metrics["scenarios"].values()]
    cases.append(_whole(suite, summary, regression))
    output = [
        f"{one['scenario_id']}: {each['message']}"
        for one in metrics["scenarios"].values()
        for each in one["assertions"]
        if each["status"] == "fail"
    ]
    return _document(suite, summary, cases, metrics["aggregate"], output)


def render_openloop_junit(summary: Mapping[str, Any], missing: Iterable[Mapping[str, Any]]) -> str:
    """Return junit.xml of an open-loop run: the run itself, and a testcase a missing sample."""
    name = f"openloop.{summary['task']}"
    cases = [
        _Case(f"{name}.samples", one["sample_id"], 0.0, "failure", "missing", [one["fault"]])
        for one in missing
    ]
    passed = summary["status"] == "pass"
    kind = "passed" if passed else "failure"
    cases.append(_Case(name, "run", 0.0, kind, summary["status"], [summary["reason"]]))
    return _document(name, summary, cases, summary["openloop"], [])


def _scenario(suite: str, entry: Mapping[str, Any]) -> _Case:
    time_s = entry["metrics"]["duration_seconds"]
    name = entry["scenario_id"]
    if not entry["reasons"]:
        return _Case(suite, name, time_s)
    fault = entry["agent_fault"]
    lines = [one["text"] for one in entry["reasons"]]
    if fault is not None and fault["trace"]:
        lines += fault["trace"].splitlines()
    kind = "failure" if entry.get("simulator_fault") is None else "error"
    return _Case(suite, name, time_s, kind, entry["reasons"][0]["code"], lines)


def _whole(suite: str, summary: Mapping[str, Any], regression: Mapping[str, Any]) -> _Case:
    class_name = f"{suite}.gates"
    if regression["status"] == "pass":
        return _Case(class_name, "suite")
    return _Case(
        class_name, "suite", 0.0, "failure", "gate", [summary["reason"], *regression["failures"]]
    )


def _document(
    name: str,
    summary: Mapping[str, Any],
    cases: Sequence[_Case],
    figures: Mapping[str, Any],
    output: Iterable[str],
) -> str:
    counts = {kind: sum(case.kind == kind for case in cases) for kind in ("failure", "error")}
    time_s = f"{sum(case.time_s for case in cases):.3f}"
    shared = {
        "tests": str(len(cases)),
        "failures": str(counts["failure"]),
        "errors": str(counts["error"]),
    }
    root = ET.Element("testsuites", {"name": one_line(name), **shared, "time": time_s})
    provenance = summary["provenance"]
    about = {
        "name": one_line(name),
        **shared,
        "skipped": "0",
        "time": time_s,
        "hostname": one_line(provenance.get("hostname") or "") or "localhost",
        "id": "0",
        "package": "fieldproof",
    }
    if provenance.get("created_at"):
        about["timestamp"] = one_line(provenance["created_at"])[:_TIMESTAMP_CHARACTERS]
    suite = ET.SubElement(root, "testsuite", about)
    properties = ET.SubElement(suite, "properties")
    facts = {"run_id": summary.get("run_id"), "status": summary["status"]}
    facts |= {"reason": summary["reason"], "agent": provenance["agent_path"]}
    facts |= {f"kpi.{key}": value for key, value in figures.items()}
    for key, value in facts.items():
        if value is not None:
            ET.SubElement(properties, "property", {"name": key, "value": number(value)})
    for case in cases:
        _add(suite, case)
    ET.SubElement(suite, "system-out").text = "\n".join(one_line(line) for line in output)
    ET.SubElement(suite, "system-err").text = ""
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _add(suite: ET.Element, case: _Case) -> None:
    attributes = {"classname": one_line(case.class_name), "name": one_line(case.name)}
    element = ET.SubElement(suite, "testcase", {**attributes, "time": f"{case.time_s:.3f}"})
    if case.kind != "passed":
        about = {"message": one_line(case.lines[0]), "type": one_line(case.type_name)}
        ET.SubElement(element, case.kind, about).text = "\n".join(clean(one) for one in case.lines)
