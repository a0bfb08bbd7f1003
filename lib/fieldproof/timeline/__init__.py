"""When the entries of a timeline happen, decided from a given clock and given samples."""

from fieldproof.timeline._entries import Entry, Trigger, Watched
from fieldproof.timeline._occurrences import (
    CANCELLED,
    FAILED,
    OK,
    RUNNING,
    SKIPPED,
    TIMEOUT,
    Change,
    Occurrence,
)
from fieldproof.timeline._scheduler import Scheduler

__all__ = [
    "CANCELLED",
    "FAILED",
    "OK",
    "RUNNING",
    "SKIPPED",
    "TIMEOUT",
    "Change",
    "Entry",
    "Occurrence",
    "Scheduler",
    "Trigger",
    "Watched",
]
