"""Writing to somebody who may have gone: `fieldproof run ... | head -1`."""

from __future__ import annotations

import os
from typing import TextIO

import click


def say(text: str, stream: TextIO, *, newline: bool = True) -> None:
    """Write a line; once nobody reads any more, this and all that follows goes nowhere.

    The run goes on and its exit code still says what became of it.
    """
    try:
        click.echo(text, file=stream, nl=newline)
        stream.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # also for what is flushed when the process ends
        os.close(nowhere)
