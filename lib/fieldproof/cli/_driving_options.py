"""What the driving commands' options may be: numbers with their ranges, and the usual agent."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldproof.cli._errors import reported, stop
from fieldproof.cli._exit_codes import INTERRUPTED, INVALID

if TYPE_CHECKING:
    from fieldproof.driving.agents import AgentReference, Limits

PATH = click.Path(path_type=Path)
RUNS = click.option(
    "--runs", "runs_folder", type=PATH, default="runs", show_default=True, help="Folder of runs."
)
BASELINES = click.option(
    "--baselines", type=PATH, default="baselines", show_default=True, help="Folder of baselines."
)

AGENT = "examples/agents/rule_based_agent.py"
"""The usual agent, as seen from the folder of a checkout."""


class FiniteRange(click.FloatRange):
    """A range of numbers that not-a-number is outside of, as it is of every range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or end the command with the range."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{number} is not in the range {self._describe_range()}.", param, ctx)
        return number


TIMEOUT = FiniteRange(min=0.001, max=86_400)
"""Seconds, at most a day."""

MEMORY_MB = click.IntRange(min=64, max=1 << 24)
"""At most 16 TiB."""

PERCENT = FiniteRange(min=0, max=1_000_000)
"""How much worse a figure may be, as in a suite's gates."""

JOBS = click.IntRange(min=0, max=10_000)


@contextmanager
def driving_reported(*, undecided: int | None = None) -> Iterator[None]:
    """Turn what a person can act on into text and an exit code, that of invalid input first.

    Args:
        undecided: the exit code for all of it, where 1 says something else.
    """
    from fieldproof.driving.agents import AgentError
    from fieldproof.driving.artefacts import ArtefactError
    from fieldproof.runs import UnknownRunError

    with reported(undecided=undecided):
        try:
            yield
        except (AgentError, ArtefactError, UnknownRunError) as error:
            stop(str(error), INVALID)


def limits_of(options: dict[str, Any]) -> Limits:
    """Return the agent's limits that a command was given."""
    from fieldproof.driving.agents import Limits

    return Limits(act_s=options["agent_timeout"], memory_mb=options["agent_memory_mb"])


def agent_options(command: Any) -> Any:
    """Give a command the options of the agent's limits."""
    for option in (
        click.option(
            "--agent-timeout",
            type=TIMEOUT,
            default=5.0,
            show_default=True,
            help="Seconds that an answer of the agent may take.",
        ),
        click.option(
            "--agent-memory-mb",
            type=MEMORY_MB,
            default=2048,
            show_default=True,
            help="Memory that the agent may have.",
        ),
    ):
        command = option(command)
    return command


def loaded_agent(
    name: str, limits: Limits, *, needs: str, asked: Callable[[], bool]
) -> AgentReference:
    """Return the agent that a command was given, once it could be loaded.

    Args:
        name: as it was given.
        limits: what it may take.
        needs: the method that it must have, `act` or `predict`.
        asked: whether somebody asks for the end, which ends the command with its exit code.

    Raises:
        AgentError: There is none, or it cannot be loaded; says why.
    """
    from fieldproof.driving.agents import AgentInterruptedError, check_agent

    reference = agent_of(name)
    try:
        check_agent(reference, limits, needs=needs, host=os.environ, asked=asked)
    except AgentInterruptedError:
        stop("interrupted before anything was run", INTERRUPTED)
    return reference


def agent_of(name: str) -> AgentReference:
    """Return the agent that a command was given; the usual one also from outside of the checkout.

    Raises:
        AgentError: There is none; says what to do.
    """
    import fieldproof
    from fieldproof.driving.agents import AgentError, find_agent

    if name != AGENT or Path(AGENT).is_file():
        return find_agent(name)
    beside = Path(fieldproof.__file__).resolve().parents[2] / AGENT
    if not beside.is_file():
        raise AgentError(
            f"{AGENT}: the usual agent is not here, since it is part of a checkout only; name an "
            f"agent (FILE.py, FILE.py:CLASS, MODULE:CLASS or a name), or run this in a checkout"
        )
    return find_agent(str(beside))
