from collections.abc import Iterable, Mapping
from typing import Any

from fieldproof_reports._report import report_of
from fieldproof_reports._text import first_and_rest, one_line, seconds

_WORDS = {"passed": "PASS", "failed": "FAIL", "skipped": "SKIP", "pending": "WAIT"}


def render_terminal(record: Mapping[str, Any], *, reports: Iterable[str] = ()) -> str:
    """Return the summary for a terminal: the verdict, each assertion, where the reports are.

    Args:
        record: run.json.
        reports: paths to name at the end.

    Raises:
        RecordVersionError: The record is of a newer version.
    """
    lines = summary_lines(report_of(record))
    lines += [f"  {one_line(path)}" for path in reports]
    return "\n".join(lines) + "\n"


def summary_lines(report: Mapping[str, Any]) -> list[str]:
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
        lines.append(f"  {word}  {one_line(each['name']):<{width}}  {reason}{when}".rstrip())
    lines += [
        f"  {one_line(each['status']).upper()}  {one_line(each['name'])}  "
        f"{one_line(each.get('detail') or '')}".rstrip()
        for each in report["timeline"]
        if each["status"] != "ok"
    ]
    lines += [f"  {one_line(problem)}" for problem in report["problems"]]
    lines += [
        f"  evidence: {one_line(gap.get('text') or gap)}" for gap in report["evidence"]["gaps"]
    ]
    return lines
