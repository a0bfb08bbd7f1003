"""`fieldproof events`, `fieldproof assertions` and `fieldproof schema`: what a scenario may say."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from fieldproof.cli._errors import reported, stop
from fieldproof.cli._exit_codes import FAILED, INVALID
from fieldproof.cli._options import as_json, colour, complete_actions, complete_assertions
from fieldproof.cli._output import show, show_json, warn
from fieldproof.cli._terminal import Terminal

if TYPE_CHECKING:
    from fieldproof.cli._catalogue import Kind, Section
    from fieldproof.cli._parameters import Parameter
    from fieldproof.plan.registry import PluginProblem


@click.command()
@click.argument("actions", metavar="[ACTION]...", nargs=-1, shell_complete=complete_actions)
@as_json("The same as data.")
@colour
def events(actions: tuple[str, ...], *, as_json: bool) -> None:
    """List the actions of a timeline, or the ACTIONs named, with their keys.

    Plugins count as well, and one that cannot be used is named with its distribution. Exit code 0:
    all could be loaded; 2: some plugin could not; 1: there is no such action.
    """
    from fieldproof.cli import _catalogue

    with reported():
        _list([_catalogue.events()], actions, as_json=as_json)


@click.command()
@click.argument("names", metavar="[TYPE]...", nargs=-1, shell_complete=complete_assertions)
@as_json("The same as data.")
@colour
def assertions(names: tuple[str, ...], *, as_json: bool) -> None:
    """List the types of assertions, or the TYPEs named, with their keys and what they measure.

    Collectors of the kpis section stand below them. Plugins count as well, and one that cannot be
    used is named with its distribution. Exit code 0: all could be loaded; 2: some plugin could
    not; 1: there is no such type.
    """
    from fieldproof.cli import _catalogue

    with reported():
        _list([_catalogue.assertions(), _catalogue.collectors()], names, as_json=as_json)


def _list(sections: list[Section], names: tuple[str, ...], *, as_json: bool) -> None:
    """Show the kinds of sections, those of some names only when there are any."""
    from fieldproof.model import nearest

    problems = [one for section in sections for one in section.problems]
    known = {kind.name for section in sections for kind in section.kinds}
    for name in names:
        for problem in problems:
            if problem.name == name:
                stop(f"plugin left out: {problem}", INVALID)
        if name not in known:
            hint = nearest(name, known)
            stop(f"unknown {sections[0].key} {name!r}" + (f" ({hint})" if hint else ""), FAILED)
    if as_json:
        show_json(_data(sections, names, problems))
    else:
        width = _width()
        for section in sections:
            for line in _section_lines(section, names, width):
                show(line)
    for problem in problems:
        warn(f"plugin left out: {problem}")
    if problems:
        sys.exit(INVALID)


def _data(
    sections: list[Section], names: tuple[str, ...], problems: list[PluginProblem]
) -> dict[str, Any]:
    from fieldproof.cli._catalogue import SCHEMA_VERSION

    kinds = {
        section.title: [
            kind.to_data(section.key) for kind in section.kinds if not names or kind.name in names
        ]
        for section in sections
    }
    return {
        "schema_version": SCHEMA_VERSION,
        **kinds,
        "common": {section.part: [one.to_data() for one in section.common] for section in sections},
        "problems": [
            {"name": one.name, "distribution": one.distribution, "what": one.what}
            for one in problems
        ],
    }


def _width() -> int | None:
    """Return how wide lines may be; None where nobody looks at them on a terminal."""
    terminal = Terminal.of(sys.stdout, os.environ, choice=None)
    return max(terminal.size().columns, 60) if sys.stdout.isatty() else None


def _section_lines(section: Section, names: tuple[str, ...], width: int | None) -> Iterator[str]:
    for kind in section.kinds:
        if not names or kind.name in names:
            yield from _kind_lines(kind, width)
    if not names:
        yield click.style(f"every entry of {section.part} has", bold=True)
        yield from _parameter_lines(section.common, width)
        yield ""


def _kind_lines(kind: Kind, width: int | None) -> Iterator[str]:
    from fieldproof.cli._words import table

    yield f"{click.style(kind.name, bold=True)}  ({kind.distribution})"
    yield f"  {kind.summary}"
    yield from _parameter_lines(kind.parameters, width)
    if kind.metrics:
        yield "    measures"
        yield from table(kind.metrics.items(), indent=" " * 6, width=width)
    yield ""


def _parameter_lines(parameters: Iterable[Parameter], width: int | None) -> list[str]:
    from fieldproof.cli._words import table, value_words

    rows = []
    for one in parameters:
        absent = "" if one.default is None else value_words(one.default)
        unit = f" {one.unit}" if one.unit and absent else ""
        rows.append(
            (
                one.name,
                one.type + (f" {one.unit}" if one.unit and "duration" not in one.type else ""),
                "required" if one.required else f"{absent}{unit}" if absent else "-",
                one.description,
            )
        )
    return table(rows, indent="    ", width=width)


_DRIVING = {"driving_scenario": "scenario", "suite": "suite", "pack": "pack"}
"""Kinds of files of driving suites, and what their schemas are called among themselves."""


@click.command()
@click.argument(
    "kind",
    type=click.Choice(["scenario", "world", "robot", *_DRIVING]),
    default="scenario",
    required=False,
)
def schema(kind: str) -> None:
    """Print the JSON Schema of a KIND of file, of scenarios of robots when none is given.

    That of scenarios has all that is installed, plugins included.
    """
    from fieldproof.engine.resolve import installed_schema
    from fieldproof.model import VehicleManifest, World, document_schema

    with reported():
        if kind == "scenario":
            show_json(installed_schema())
        elif kind in _DRIVING:
            from fieldproof.driving.artefacts import schema_of

            show_json(schema_of(_DRIVING[kind]))
        else:
            show_json(document_schema(World if kind == "world" else VehicleManifest))
