from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fieldproof.assertions._result import VERDICTS, Result
from fieldproof.kpis import Metrics, evidence_of, figure_of, window_of
from fieldproof.model import Duration, legible, printable
from fieldproof.plan import PlannedAssertion
from fieldproof.samples import Sample, Subject

EXCERPT = 6
_LONGEST_REASON = 2000


class Checker:
    """Follows the stream for one assertion until it can give its verdict.

    The evaluator calls the `on_` hooks in the order of the stream. Times are seconds after the
    timeline's start; a sample from before it has a negative time. A checker goes on measuring
    after its verdict: `on_sample` and `on_action` are called until the timeline ends, `on_tick`,
    `on_verdict` and `on_finish` only until the verdict.

    Attributes:
        planned: The assertion as the plan holds it.
        result: The verdict, once given.
        due_s: The earliest time at which `on_tick` is wanted; None for every time that passes.
            A checker that knows its next deadline sets it and costs nothing in between.
    """

    def __init__(self, planned: PlannedAssertion) -> None:
        self.planned = planned
        self.result: Result | None = None
        self.due_s: float | None = None
        self.when_resolved: Callable[[Checker], None] = _nobody
        self._notes: deque[tuple[float, float | None, Mapping[str, Any]]] = deque(maxlen=EXCERPT)

    @property
    def done(self) -> bool:
        """Whether the verdict is given."""
        return self.result is not None

    def subjects(self) -> Iterable[Subject] | None:
        """Return the subjects of the samples it wants; None for every sample."""
        return None

    def depends_on(self) -> Iterable[str]:
        """Return the names of the assertions whose verdicts must come before its own."""
        return ()

    def on_sample(self, sample: Sample, t: float) -> None:
        """Take a sample."""

    def on_tick(self, t: float) -> None:
        """Learn that time has moved on to `t`; comes before the samples of that time."""

    def on_action(self, label: str, event: str, t: float, status: str) -> None:
        """Learn that a timeline entry's occurrence was `started`, or `finished` with a status."""

    def on_verdict(self, result: Result, t: float) -> None:
        """Learn the verdict of another assertion."""

    def on_finish(self, t: float) -> None:
        """Give a verdict if there is none: the timeline has completed."""

    def evidence(self) -> Mapping[str, Any]:
        """Return what every verdict of this checker shows, whichever way it went."""
        return {}

    def metrics(self) -> Metrics:
        """Return what was measured until now: a value and its unit by name."""
        return {}

    def note(self, t: float, sample: Sample, **fields: Any) -> None:
        """Keep a sample for the excerpt, which holds the last six noted before the verdict."""
        if self.result is None:
            self._notes.append((t, sample.sim, fields))

    def note_at(self, t: float, sim: float | None, **fields: Any) -> None:
        """Do the same for something that is no sample, at a time on the timeline and simulated."""
        if self.result is None:
            self._notes.append((t, sim, fields))

    def resolve(
        self, status: str, reason: str, t: float | None, sim: float | None = None, **evidence: Any
    ) -> None:
        """Give the verdict; only the first one counts.

        Args:
            status: `passed`, `failed` or `skipped`.
            reason: Why, in a sentence.
            t: When, in seconds after the timeline's start.
            sim: Simulation time of the deciding sample, in seconds.
            evidence: What it rests on, as JSON data; joins `evidence()` and the excerpt.

        Raises:
            ValueError: The status is no verdict.
            TypeError: The evidence is no JSON data.
        """
        if self.result is not None:
            return
        if status not in VERDICTS:
            raise ValueError(f"{status!r} is no verdict")
        excerpt = [{"t_s": at, "sim_s": sim_s, **kept} for at, sim_s, kept in self._notes]
        shown = {**self.evidence(), **evidence, "excerpt": excerpt}
        measured = {name: value for name, (value, _) in self.metrics().items()}
        self.result = Result(
            name=self.planned.spec.name,
            type=self.planned.spec.type,
            status=status,
            reason=printable(legible(reason, most=_LONGEST_REASON)),
            t_s=t,
            sim_s=sim,
            evidence=evidence_of(shown),
            metrics={name: figure_of(value) for name, value in measured.items()},
            on_fail=getattr(self.planned.spec, "on_fail", "continue"),
        )
        self._notes.clear()
        self.when_resolved(self)


class WindowedChecker(Checker):
    """A checker whose specification has a window: `after_s` to `within_s`, both included.

    The window ends with the timeline when `within_s` is absent. Derived classes say what its end
    means in `on_window_end`.
    """

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        within: Duration | None = getattr(planned.spec, "within_s", None)
        self._within_text = f"within {within.to_number()} s" if within else ""
        self.after_s, self.until_s = window_of(planned.spec)
        self.due_s = self.until_s

    def in_window(self, t: float) -> bool:
        """Return whether a time lies in the window."""
        return self.after_s <= t <= self.until_s

    def on_tick(self, t: float) -> None:
        """End the window once time has passed its last moment."""
        if t > self.until_s:
            self.on_window_end(self.until_s, self._within_text)

    def on_finish(self, t: float) -> None:
        """End the window with the timeline."""
        self.on_window_end(t, "before the timeline ended")

    def on_window_end(self, t: float, when: str) -> None:
        """Give a verdict if there is none.

        Args:
            t: The window's end, in seconds after the timeline's start.
            when: The same for a sentence: `within 24 s`, or `before the timeline ended`.
        """


def _nobody(_checker: Checker) -> None:
    """Tell nobody of a verdict."""
