"""What becomes of an entry each time that it happens, and what is decided on the way."""

from dataclasses import dataclass
from typing import Literal

from fieldproof.timeline._entries import Entry

RUNNING = "running"
OK = "ok"
FAILED = "failed"
TIMEOUT = "timeout"
SKIPPED = "skipped"
CANCELLED = "cancelled"
ENDED = frozenset({OK, FAILED, TIMEOUT, CANCELLED})

Kind = Literal["triggered", "skipped", "failed", "settled"]


@dataclass(slots=True)
class Occurrence:
    """One time that an entry happens, or the note that it never did.

    Attributes:
        label: The entry's label, or `label#n` from the second occurrence on.
        entry: The entry.
        number: Counted from 1.
        status: `running`, `ok`, `failed`, `timeout`, `cancelled`, or `skipped` if it never ran.
        detail: What became of it, for people.
        due_ns: When it was to start, nanoseconds after the timeline's start; None if it never ran.
        started_ns: When it was handed out to be started; None if it never ran.
        ended_ns: When it ended or that it never runs was decided; None while it runs.
    """

    label: str
    entry: Entry
    number: int
    status: str = RUNNING
    detail: str = ""
    due_ns: int | None = None
    started_ns: int | None = None
    ended_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """Something the scheduler decided, for the run's log.

    Attributes:
        kind: `triggered` when `after` or `when` fired; `skipped` when an entry can no longer
            happen; `failed` when the signal that it waits for cannot be read; `settled` when the
            timeline's end decided what became of an occurrence.
        label: The occurrence's label.
        t_ns: When, in nanoseconds after the timeline's start.
        detail: Why, for people.
    """

    kind: Kind
    label: str
    t_ns: int
    detail: str
