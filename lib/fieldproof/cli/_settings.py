"""The flags for what a scenario leaves open, and which of them it makes void."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from fieldproof.cli._workspace import Workspace
    from fieldproof.model import Overlay

_FLAGS: Mapping[str, str] = {
    "mode": "--mode",
    "tick_s": "--tick",
    "rtf": "--rtf",
    "seed": "--seed",
    "record": "--record",
    "topics": "--topic",
    "timeout_s": "--timeout",
}
_OPTIONS = (
    click.option(
        "--mode",
        type=click.Choice(["lockstep", "sim", "realtime"]),
        help="How time passes, for a scenario without time.mode.",
    ),
    click.option(
        "--tick",
        "tick_s",
        metavar="DURATION",
        help="The tick of lockstep, for one without time.tick_s.",
    ),
    click.option(
        "--rtf",
        type=float,
        metavar="X",
        help="The target real-time factor of mode sim, for one without time.rtf.",
    ),
    click.option("--seed", type=int, metavar="N", help="The seed, for one without time.seed."),
    click.option(
        "--record/--no-record",
        default=None,
        help="Whether topics are recorded, for one without outputs.record.",
    ),
    click.option(
        "--topic",
        "topics",
        metavar="TOPIC",
        multiple=True,
        help="What is recorded, for one without outputs.topics; may be repeated.",
    ),
    click.option(
        "--timeout",
        "timeout_s",
        metavar="DURATION",
        help="How long the timeline may last (90s, 5m), for one without budget.timeout_s.",
    ),
)


def settings(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags; the command gets their values as keywords for `overlay_of`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def overlay_of(**given: Any) -> Overlay:
    """Return the values of the flags that were given.

    Raises:
        click.UsageError: names each flag whose value is refused, and why.
    """
    from fieldproof.model import Overlay, ScenarioError, validated

    values = {key: value for key, value in given.items() if value not in {None, ()}}
    for key in ("tick_s", "timeout_s"):
        if key in values:
            values[key] = _number_or_text(values[key])
    if "topics" in values:
        values["topics"] = list(values["topics"])
    try:
        return validated(Overlay, values)
    except ScenarioError as error:
        lines = []
        for problem in error.problems:
            hint = f" ({problem.hint})" if problem.hint else ""
            lines.append(f"{_FLAGS[str(problem.path[0])]}: {problem.what}{hint}")
        raise click.UsageError("; ".join(lines)) from error


def _number_or_text(text: str) -> float | str:
    """Return a bare number as one: of seconds, as in a scenario."""
    try:
        return float(text)
    except ValueError:
        return text


def without_effect(workspace: Workspace, scenario: Path) -> Iterator[str]:
    """Yield a sentence for each flag that a scenario makes void.

    A scenario that cannot be read has none; what is wrong with it is told elsewhere.
    """
    from fieldproof.model import ScenarioError, overlay_words, read_yaml_file

    given = workspace.flags.given()
    if not given:
        return
    try:
        data = read_yaml_file(scenario).value
    except (OSError, ScenarioError):
        return
    if not isinstance(data, dict):
        return
    filled, unused = workspace.settings.filled(data)
    for key in unused:
        if key not in given:
            continue
        (place,) = overlay_words((key,))
        section, _, name = place.partition(".")
        part = data.get(section)
        flag = "--no-record" if given[key] is False else _FLAGS[key]
        if isinstance(part, dict) and name in part:
            yield f"{flag} has no effect: the scenario sets {place} itself"
        else:
            time = filled.get("time")
            mode = time.get("mode", "sim") if isinstance(time, dict) else "sim"
            yield f"{flag} has no effect: it does not go with time.mode {mode}"
