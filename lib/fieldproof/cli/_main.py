"""The command and its subcommands. None of the imports here is slow: `--help` answers at once."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Any

import click

import fieldproof
from fieldproof.cli._driving import DRIVING_COMMANDS
from fieldproof.cli._evaluate import evaluate
from fieldproof.cli._exit_codes import INTERRUPTED
from fieldproof.cli._listing import assertions, events, schema
from fieldproof.cli._options import colour
from fieldproof.cli._output import tell
from fieldproof.cli._report import report, runs
from fieldproof.cli._run import run
from fieldproof.cli._stage import stage
from fieldproof.cli._validate import validate


class _Commands(click.Group):
    def invoke(self, context: click.Context) -> Any:
        """Carry out a command; one that is interrupted says so by its exit code."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # of whatever encoding the host has
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            tell("interrupted")
            sys.exit(INTERRUPTED)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(fieldproof.__version__, prog_name="fieldproof")
@colour
def main() -> None:
    """Test robot software in simulation and turn a run into evidence."""


for _command in (run, validate, evaluate, report, runs, events, assertions, schema, stage):
    main.add_command(_command)
for _command in DRIVING_COMMANDS:
    main.add_command(_command)
