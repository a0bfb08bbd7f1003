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
    """Yield the windows that could only open after the timeline's budget has ended it.

    An entry may come that late: it never does, and the run ends as `timeout`, which tells.
    """
    budget = draft.budget
    if budget is None or "timeout_s" in draft.lost(("budget",)):
        return
    for section, items in (("assertions", draft.assertions), ("kpis", draft.kpis)):
        for place, item in enumerate(items):
            begin = getattr(item, "after_s", None)
            if isinstance(begin, Duration) and begin > budget.timeout_s:
                what = f"is after the timeline's end (got {begin})"
                path, hint = (section, place, "after_s"), f"budget.timeout_s is {budget.timeout_s}"
                yield Problem(what, path, hint)
