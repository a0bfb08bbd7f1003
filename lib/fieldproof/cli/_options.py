"""Options and arguments that several commands have, and what a shell offers to complete them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from fieldproof.cli._terminal import colour_choice

_Command = Callable[..., Any]
_PATH = click.Path(path_type=Path)
_MOST_OFFERED = 200
_NAME = re.compile(r"\w[\w-]*")


def colour(command: _Command) -> _Command:
    """Add `--color` and `--no-color`, which count before the environment."""
    return click.option(
        "--color/--no-color",
        "_colour",
        default=None,
        expose_value=False,
        callback=_choose_colour,
        help="Colour, or none; by default where a terminal is. NO_COLOR and FORCE_COLOR count too.",
    )(command)


def _choose_colour(context: click.Context, _option: click.Parameter, given: bool | None) -> None:  # noqa: FBT001 - click's call
    if given is not None or context.parent is None:
        context.color = colour_choice(os.environ, given=given)


def folders(command: _Command) -> _Command:
    """Add `--worlds` and `--robots`."""
    for name in ("robots", "worlds"):
        command = click.option(
            f"--{name}",
            type=_PATH,
            help=f"Folder of {name}; {name} by default, or what fieldproof.toml says.",
        )(command)
    return command


def runs_folder(command: _Command) -> _Command:
    """Add `--runs`."""
    return click.option(
        "--runs",
        "runs",
        type=_PATH,
        help="Folder of runs; runs by default, or what fieldproof.toml says.",
    )(command)


def as_json(text: str) -> Callable[[_Command], _Command]:
    """Return the option `--json`."""
    return click.option("--json", "as_json", is_flag=True, help=text)


class ScenarioFile(click.Path):
    """The file of a scenario, or its name in the usual folder, as make and Nix take it."""

    def __init__(self, *folders: str, allow_dash: bool = True) -> None:
        """Take the folders in which a name is looked for, the usual one first."""
        super().__init__(path_type=Path, allow_dash=allow_dash)
        self._folders = folders

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        """Return the path of the file, which need not be there."""
        text = os.fspath(value)
        is_name = _NAME.fullmatch(text) is not None and not Path(text).exists()
        if not is_name:
            return super().convert(value, param, ctx)
        paths = [Path(folder, f"{text}.yaml") for folder in self._folders]
        found = [path for path in paths if path.is_file()]
        if not found:
            from fieldproof.model import nearest

            hint = nearest(text, [file.stem for one in paths for file in one.parent.glob("*.yaml")])
            what = f"there is no file {text} and no {paths[0]}"
            self.fail(f"{what} ({hint})" if hint else what, param, ctx)
        return found[0]


SCENARIO_FILE = ScenarioFile("scenarios", "scenarios/suites", "scenarios/driving")
"""Of a driving suite or scenario the file is found as well, so that it can be said what it is."""
SUITE_FILE = ScenarioFile("scenarios/suites", allow_dash=False)


def complete_scenarios(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the scenarios of the workspace first, then whatever files there are."""
    found = sorted(map(str, Path("scenarios").glob("*.yaml")))
    fitting = [path for path in found if path.startswith(incomplete)]
    fitting += [path for path in found if Path(path).stem.startswith(incomplete)]
    items = [CompletionItem(path) for path in list(dict.fromkeys(fitting))[:_MOST_OFFERED]]
    return items or [CompletionItem(incomplete, type="file")]


def complete_runs(
    context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer `latest` and the runs of the folder."""
    from fieldproof.cli._workspace import workspace_of
    from fieldproof.model import ScenarioError
    from fieldproof.runs import RunsFolder

    try:
        folder = RunsFolder(workspace_of(runs=context.params.get("runs")).runs)
    except (OSError, ScenarioError):
        return []
    names = ["latest", *(run.run_id for run in reversed(list(folder.runs())))]
    return [CompletionItem(name) for name in names if name.startswith(incomplete)][:_MOST_OFFERED]


def complete_actions(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the actions that are known."""
    from fieldproof.events import event_types

    kinds = event_types()
    return [
        CompletionItem(name, help=getattr(kinds[name], "summary", None))
        for name in sorted(kinds)
        if name.startswith(incomplete)
    ]


def complete_assertions(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the assertion types that are known."""
    from fieldproof.assertions import assertion_types

    kinds = assertion_types()
    return [
        CompletionItem(name, help=kinds[name].summary)
        for name in sorted(kinds)
        if name.startswith(incomplete)
    ]
