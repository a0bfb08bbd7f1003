from collections.abc import Iterable, Mapping
from typing import Any

from fieldproof_reports._report import report_of
from fieldproof_reports._text import first_and_rest, one_line, seconds

_NOWHERE: Mapping[str, str] = {}
_WORDS = {"passed": "PASS", "failed": "FAIL", "skipped": "SKIP", "pending": "WAIT"}


def render_terminal(
    record: Mapping[str, Any],
    *,
    reports: Iterable[str] = (),
    assertions_at: Mapping[str, str] = _NOWHERE,
    timeline_at: Mapping[str, str] = _NOWHERE,
) -> str:
    """Return the summary for a terminal: the verdict, each assertion, where the reports are.

    Args:
        record: run.json.
        reports: paths to name at the end.
        assertions_at: where assertions stand, by name, such as `scenarios/x.yaml:31`; told of
            those that have not passed.
        timeline_at: the same of timeline entries, by label.

    Raises:
        RecordVersionError: The record is of a newer version.
    """
    lines = summary_lines(report_of(record), assertions_at=assertions_at, timeline_at=timeline_at)
    lines += [f"  {one_line(path)}" for path in reports]
    return "\n".join(lines) + "\n"


def summary_lines(
    report: Mapping[str, Any],
    *,
    assertions_at: Mapping[str, str] = _NOWHERE,
    timeline_at: Mapping[str, str] = _NOWHERE,
) -> list[str]:
    """Return the lines of the summary of a report."""
    first, rest = first_and_rest(report["reason"])
    lines = [f"{report['verdict']}  {one_line(report['scenario']['name'])}: {first}"]
    lines += [f"  {line}" for line in rest]
    assertions = report["assertions"]
    width = max((len(one_line(each["name"])) for each in assertions), default=0)
    for each in assertions:
        word = _WORDS.get(each["status"], one_line(each["status"]).upper())
        at = seconds(each.get("t_s"))
        when = f" (at {at})" if at else ""
        reason = one_line(each.get("reason") or "")
        place = "" if each["status"] == "passed" else _place(assertions_at, each["name"])
        line = f"  {word}  {one_line(each['name']):<{width}}  {reason}{when}"
        lines.append(f"{line.rstrip()}{place}")
    lines += [
        f"  {one_line(each['status']).upper()}  {one_line(each['name'])}  "
        f"{one_line(each.get('detail') or '')}".rstrip()
        + _place(timeline_at, each["name"].partition("#")[0])
        for each in report["timeline"]
        if each["status"] != "ok"
    ]
    lines += [f"  {one_line(problem)}" for problem in report["problems"]]
    lines += [
        f"  evidence: {one_line(gap.get('text') or gap)}" for gap in report["evidence"]["gaps"]
    ]
    return lines


def _place(places: Mapping[str, str], name: str) -> str:
    return f"  {one_line(places[name])}" if name in places else ""
