"""How errors leave the command: what a person reads, and the exit code that CI reads."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import click

from fieldproof.cli._exit_codes import FAILED, INVALID
from fieldproof.cli._output import tell, warn

if TYPE_CHECKING:
    from fieldproof.model import Problem


@contextmanager
def reported(*, undecided: int | None = None) -> Iterator[None]:
    """Turn the errors that a person can act on into text and an exit code; others pass.

    Args:
        undecided: the exit code for all of them instead of their own.
    """
    from fieldproof.engine import InfrastructureError
    from fieldproof.model import ScenarioError
    from fieldproof.runs import RunError

    try:
        yield
    except ScenarioError as error:
        if any(map(_may_be_a_plugins, error.problems)):
            warn_of_plugins()
        for problem in error.problems:
            tell(str(problem))
        count = len(error.problems)
        stop(
            f"{count} problem{'' if count == 1 else 's'}, nothing was started", undecided or INVALID
        )
    except (InfrastructureError, RunError, OSError) as error:
        stop(str(error), undecided or FAILED)


def warn_of_plugins() -> None:
    """Say of every plugin that was left out what is wrong with it."""
    from fieldproof.cli._catalogue import plugin_problems

    for one in plugin_problems():
        warn(f"plugin left out: {one}")


def _may_be_a_plugins(problem: Problem) -> bool:
    """Return whether a problem is a name that a plugin which was left out may have."""
    return problem.path[-1:] in {("action",), ("type",)} and problem.what.startswith("unknown ")


def stop(message: str, code: int) -> NoReturn:
    """Print a message to standard error and end with an exit code."""
    tell(click.style(message, fg="red"))
    sys.exit(code)
