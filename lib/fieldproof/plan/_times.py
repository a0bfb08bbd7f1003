"""Whether the times of a scenario can come to pass."""

from collections.abc import Iterator

from fieldproof.model import Draft, Duration, Mode, Problem


def mode_of(draft: Draft) -> Mode | None:
    """Return how time passes; None when that could not be read."""
    return draft.time.mode if draft.time and "mode" not in draft.lost(("time",)) else None


def tick_problems(draft: Draft, step: Duration) -> Iterator[Problem]:
    """Yield that the tick of lockstep is no number of physics steps."""
    time = draft.time
    if time is None or mode_of(draft) != "lockstep" or "tick_s" in draft.lost(("time",)):
        return
    if time.tick.ns % step.ns:
        what = f"must be a multiple of the world's physics step (got {time.tick})"
        yield Problem(what, ("time", "tick_s"), f"the step is {step}")


def late_problems(draft: Draft) -> Iterator[Problem]:
    """Yield what could only begin after the timeline's budget has ended it."""
    budget = draft.budget
    if budget is None or "timeout_s" in draft.lost(("budget",)):
        return
    parts = (
        ("timeline", "at", draft.timeline),
        ("assertions", "after_s", draft.assertions),
        ("kpis", "after_s", draft.kpis),
    )
    for section, key, items in parts:
        for place, item in enumerate(items):
            begin = getattr(item, key, None)
            if isinstance(begin, Duration) and begin > budget.timeout_s:
                what = f"is after the timeline's end (got {begin})"
                yield Problem(
                    what, (section, place, key), f"budget.timeout_s is {budget.timeout_s}"
                )
