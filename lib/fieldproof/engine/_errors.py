"""What goes wrong in a run that is not the software under test's verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class InfrastructureError(Exception):
    """The run could not be carried out; neither a pass nor a fail can be said.

    Attributes:
        what: what happened or did not, naming the thing that was awaited.
        role: the process concerned, empty when none is.
        log_tail: the last lines that the process wrote.
        hint: what to do about it, empty when there is nothing certain to say.
        code: the code of a process's own answer that it could not do what was asked; empty when
            it did not answer.
        answer: the text of that answer.
    """

    what: str
    role: str = ""
    log_tail: Sequence[str] = field(default_factory=tuple)
    hint: str = ""
    code: str = ""
    answer: str = ""

    def __str__(self) -> str:
        """The account in a few lines: what, what to do, the process's last words."""
        lines = [self.what]
        if self.hint:
            lines.append(f"  {self.hint}")
        if self.log_tail:
            lines.append(f"  last lines of {self.role}:")
            lines.extend(f"    {line}" for line in self.log_tail)
        return "\n".join(lines)


class InterruptedRunError(Exception):
    """The user or the system asked the run to end (SIGINT, SIGTERM)."""
