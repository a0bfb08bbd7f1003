"""The conditions that entries wait for, and what was seen of their signals meanwhile."""

from dataclasses import dataclass, field
from typing import Any

from fieldproof.model import ConditionEvaluationError, shown
from fieldproof.samples import NO_VALUE, Sample, Subject, subject_of
from fieldproof.timeline._entries import Watched

_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What a sample says to one who waits.

    Attributes:
        index: Who waits.
        error: Why the signal cannot be read; empty where its condition holds.
    """

    index: int
    error: str = ""


class Watching:
    """Looks at samples for those who wait, each under an index of its own."""

    def __init__(self) -> None:
        self._waits: dict[Subject, dict[int, _Wait]] = {}
        self._subjects: dict[int, Subject] = {}

    def __contains__(self, index: int) -> bool:
        return index in self._subjects

    def begin(self, index: int, when: Watched, within_ns: int | None) -> None:
        """Wait for a condition, up to and with a moment of the timeline; None for no limit."""
        subject = self._subjects[index] = when.signal.subject
        self._waits.setdefault(subject, {})[index] = _Wait(when, within_ns)

    def end(self, index: int) -> None:
        """Wait no longer."""
        del self._waits[self._subjects.pop(index)][index]

    def clear(self) -> None:
        """Let nobody wait any longer."""
        self._waits.clear()
        self._subjects.clear()

    def take(self, sample: Sample, t_ns: int) -> list[Answer] | None:
        """Return what a sample answers; None when nobody waits for anything of its kind."""
        subject = subject_of(sample)
        if sample.kind == "field_error":
            subject = ("value", *subject[1:])
        waits = self._waits.get(subject)
        if not waits:
            return None
        return [
            answer
            for index, wait in waits.items()
            if wait.within_ns is None or t_ns <= wait.within_ns
            if (answer := wait.look(index, sample, t_ns)) is not None
        ]

    def seen(self, index: int) -> str:
        """Return what was seen of a signal so far, in words."""
        return self._waits[self._subjects[index]][index].seen()


@dataclass(slots=True)
class _Wait:
    when: Watched
    within_ns: int | None
    looks: int = 0
    last: Any = field(default=NO_VALUE)
    last_ns: int = 0
    unfit: int = 0
    why_unfit: str = ""
    too_short: str = ""

    def look(self, index: int, sample: Sample, t_ns: int) -> Answer | None:
        if sample.kind == "field_error":
            if sample.data.get("short"):  # the list may be longer in the next message
                self.too_short = sample.data["message"]
                return None
            return Answer(index, f"{self.when.signal_words} cannot be read: {_message(sample)}")
        value = self.when.signal.value_of(sample)
        if value is NO_VALUE:
            return None
        self.looks, self.last, self.last_ns = self.looks + 1, value, t_ns
        try:
            return Answer(index) if self.when.condition({"value": value}) else None
        except ConditionEvaluationError as error:
            self.unfit, self.why_unfit = self.unfit + 1, str(error)
            return None

    def seen(self) -> str:
        parts = []
        if self.looks:
            times = "once" if self.looks == 1 else f"{self.looks} times"
            at_s = round(self.last_ns / _NS, 3)
            parts.append(f"looked at {times}, last {shown(self.last)} at {at_s:g} s")
        elif not self.too_short:
            parts.append(f"no value of {self.when.signal_words} was seen")
        if self.unfit:
            which = "it" if self.unfit == self.looks else f"{self.unfit} of them"
            parts.append(f"the condition cannot take {which}: {self.why_unfit}")
        if self.too_short:
            parts.append(self.too_short)
        return "; ".join(parts)


def _message(sample: Sample) -> str:
    message: str = sample.data["message"]
    return message
