"""A report as one HTML file that needs nothing else and fetches nothing."""

import html
from collections.abc import Iterator

from fieldproof.driving.report._parts import Lines, Report, Section, Sketch, Table
from fieldproof_reports.text import clean, one_line

_STYLE = """
:root { color-scheme: light dark; --line: #8886; --good: #1a7f37; --bad: #cf222e; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem }
h1 small { font-weight: normal }
.pass { color: var(--good) } .fail { color: var(--bad) }
table { border-collapse: collapse; margin: .5rem 0 1rem; display: block; overflow-x: auto }
th, td { border: 1px solid var(--line); padding: .2rem .6rem; text-align: left }
th, td { vertical-align: top }
pre { border: 1px solid var(--line); padding: .5rem; overflow-x: auto }
summary { cursor: pointer; font-weight: 600 }
details { border: 1px solid var(--line); padding: .4rem .8rem; margin: .4rem 0 }
svg { max-width: 100%; height: auto; border: 1px solid var(--line) }
polyline { fill: none; stroke: #888; stroke-width: 1.5; vector-effect: non-scaling-stroke }
polyline.ego { stroke: #0969da; stroke-width: 2.5 }
circle { fill: #888 } circle.ego { fill: #0969da }
""".strip()
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_WIDTH, _HEIGHT, _MARGIN = 640.0, 240.0, 12.0
_MARKS = {"PASS": "pass"}


def render_html(report: Report) -> str:
    """Return a report as an HTML document; every text in it is escaped."""
    mark = _MARKS.get(report.verdict, "fail")
    title = f"{report.verdict}: {report.title}"
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(title)}</title>",
        f"<style>\n{_STYLE}\n</style>",
        "</head>",
        "<body>",
        f'<h1><span class="{mark}">{_text(report.verdict)}</span> {_text(report.title)}</h1>',
        f"<p>{_text(report.reason)}</p>",
    ]
    for section in report.sections:
        lines += _section(section)
    return "\n".join([*lines, "</body>", "</html>"]) + "\n"


def _section(section: Section) -> Iterator[str]:
    title = f'<span class="{section.mark}">{_text(section.title)}</span>'
    if section.folded:
        yield "<details>"
        yield f"<summary>{title}</summary>"
    else:
        yield f"<h2>{title}</h2>"
    for part in section.parts:
        match part:
            case Table():
                yield from _table(part)
            case Lines():
                text = "\n".join(html.escape(clean(line)) for line in part.lines)
                yield f"<pre>{text}</pre>"
            case Sketch():
                yield from _sketch(part)
    if section.folded:
        yield "</details>"


def _table(table: Table) -> Iterator[str]:
    yield "<table>"
    if any(table.header):
        cells = "".join(f"<th>{_text(cell)}</th>" for cell in table.header)
        yield f"<thead><tr>{cells}</tr></thead>"
    yield "<tbody>"
    for row in table.rows:
        cells = "".join(
            f'<td class="{cell}">{cell}</td>'
            if cell in {"pass", "fail"}
            else f"<td>{_text(cell)}</td>"
            for cell in row
        )
        yield f"<tr>{cells}</tr>"
    yield "</tbody></table>"


def _sketch(sketch: Sketch) -> Iterator[str]:
    points = [point for way in sketch.ways.values() for point in way]
    if not points:
        return
    low_x, high_x = min(p[0] for p in points), max(p[0] for p in points)
    low_y, high_y = min(p[1] for p in points), max(p[1] for p in points)
    room = (_WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN)
    scale = min(room[0] / max(high_x - low_x, 1.0), room[1] / max(high_y - low_y, 1.0))

    def place(point: tuple[float, float]) -> tuple[str, str]:
        x = _MARGIN + (point[0] - low_x) * scale
        y = _HEIGHT - _MARGIN - (point[1] - low_y) * scale
        return f"{x:.1f}", f"{y:.1f}"

    size = f"{_WIDTH:.0f} {_HEIGHT:.0f}"
    yield f'<svg viewBox="0 0 {size}" role="img" aria-label="ways seen from above">'
    for name, way in sketch.ways.items():
        placed = [place((point[0], point[1])) for point in way]
        kind = ' class="ego"' if name == "ego" else ""
        text = " ".join(",".join(point) for point in placed)
        end = placed[-1]
        yield f'<polyline{kind} points="{text}"><title>{_text(name)}</title></polyline>'
        label = f"<title>{_text(name)}</title>"
        yield f'<circle{kind} cx="{end[0]}" cy="{end[1]}" r="4">{label}</circle>'
    yield "</svg>"


def _text(value: object) -> str:
    return html.escape(one_line(value))
