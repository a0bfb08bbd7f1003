"""Writing to somebody who may have gone: `fieldproof run ... | head -1`."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from typing import Any, TextIO

import click

_NOBODY_READS = {errno.EPIPE, errno.EIO}
"""The other end of a pipe is closed, or the terminal is."""


def show(text: str, *, newline: bool = True) -> None:
    """Write a result to standard output; once nobody reads any more, it goes nowhere.

    The command goes on and its exit code still says what became of it.

    Raises:
        OSError: It cannot be written for another reason, such as a full disk.
    """
    try:
        click.echo(text, nl=newline)
        sys.stdout.flush()
    except OSError as error:
        if error.errno not in _NOBODY_READS:
            raise
        send_nowhere(sys.stdout)


def show_json(value: Any) -> None:
    """Write a result as JSON: sorted keys, two spaces of indentation."""
    import json

    show(json.dumps(value, indent=2, sort_keys=True))


def tell(text: str) -> None:
    """Write a line to standard error; when that is gone or full, it goes nowhere."""
    try:
        click.echo(text, err=True)
        sys.stderr.flush()
    except OSError:
        send_nowhere(sys.stderr)


def warn(text: str) -> None:
    """Write a warning to standard error."""
    tell(click.style("warning: ", fg="yellow") + text)


def send_nowhere(stream: TextIO) -> None:
    """Let this stream and all that is still in it go nowhere, until the process ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)
    with suppress(OSError):
        stream.flush()
