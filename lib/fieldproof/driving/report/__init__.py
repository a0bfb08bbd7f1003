"""Reports of suites and of open-loop runs, rendered from their files: HTML, Markdown, JUnit."""

from fieldproof.driving.report._html import render_html
from fieldproof.driving.report._junit import render_openloop_junit, render_suite_junit
from fieldproof.driving.report._openloop import render_openloop
from fieldproof.driving.report._suite import render_suite

__all__ = [
    "render_html",
    "render_openloop",
    "render_openloop_junit",
    "render_suite",
    "render_suite_junit",
]
