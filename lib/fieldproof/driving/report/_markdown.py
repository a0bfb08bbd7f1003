from collections.abc import Iterator

from fieldproof.driving.report._parts import Lines, Report, Section, Table
from fieldproof_reports.text import block, escape, table


def render_markdown(report: Report) -> str:
    """Return a report in GitHub's dialect; every text in it is escaped."""
    paragraphs = [f"# {escape(report.verdict)}: {escape(report.title)}", escape(report.reason)]
    for section in report.sections:
        paragraphs += _section(section)
    return "\n\n".join(paragraphs) + "\n"


def _section(section: Section) -> Iterator[str]:
    level = "###" if section.folded else "##"
    yield f"{level} {escape(section.title)}"
    for part in section.parts:
        match part:
            case Table():
                rows = [[escape(cell) for cell in row] for row in part.rows]
                yield table([escape(cell) for cell in part.header], rows)
            case Lines():
                yield block(part.lines)
            case _:
                continue
