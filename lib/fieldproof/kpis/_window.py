import math
from typing import Any

from pydantic import Field, model_validator

from fieldproof.model import (
    Duration,
    NonNegativeDuration,
    PositiveDuration,
    Problem,
    Strict,
    faults,
)


class Window(Strict):
    """The window of time of an assertion or a collector."""

    after_s: NonNegativeDuration = Field(
        default=Duration(), description="Grace period after the timeline starts."
    )
    within_s: PositiveDuration | None = Field(
        default=None, description="The window's end; the timeline's when absent."
    )

    @model_validator(mode="after")
    def _window_is_open(self) -> "Window":
        if self.within_s is not None and self.within_s <= self.after_s:
            problem = Problem("must be later than after_s", ("within_s",), f"{self.after_s}")
            raise faults(type(self).__name__, [problem])
        return self


def window_of(spec: Any) -> tuple[float, float]:
    """Return the first and the last second of a specification's window, both included.

    What it lacks is 0 for the beginning and infinity for the end.
    """
    after: Duration | None = getattr(spec, "after_s", None)
    within: Duration | None = getattr(spec, "within_s", None)
    return after.seconds if after else 0.0, within.seconds if within else math.inf


def is_occurrence(label: str, entry: str) -> bool:
    """Return whether a label is that of a timeline entry or of one of its repetitions."""
    return label == entry or (label.startswith(entry) and label[len(entry)] == "#")
