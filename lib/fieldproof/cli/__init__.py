"""The command line of Fieldproof."""

from fieldproof.cli._main import main

__all__ = ["main"]
