"""How errors leave the command: what a person reads, and the exit code that CI reads."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import click

from fieldproof.cli._exit_codes import FAILED, INVALID
from fieldproof.cli._output import tell


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
        for problem in error.problems:
            tell(str(problem))
        count = len(error.problems)
        stop(
            f"{count} problem{'' if count == 1 else 's'}, nothing was started", undecided or INVALID
        )
    except (InfrastructureError, RunError, OSError) as error:
        stop(str(error), undecided or FAILED)


def stop(message: str, code: int) -> NoReturn:
    """Print a message to standard error and end with an exit code."""
    tell(click.style(message, fg="red"))
    sys.exit(code)
