from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from fieldproof.assertions._result import FAILED, PASSED
from fieldproof.assertions._temporal import (
    METRICS,
    TemporalChecker,
    TemporalSpec,
    planned_signals,
    worded,
)
from fieldproof.assertions._type import AssertionSpec, AssertionType
from fieldproof.kpis import number
from fieldproof.model import PositiveDuration
from fieldproof.plan import PlanContext, PlannedAssertion
from fieldproof.samples import NS_PER_S, Sample, to_ns


class Eventually(TemporalSpec):
    """A condition over signals comes to hold."""

    type: Literal["eventually"]
    for_s: PositiveDuration | None = Field(
        default=None, description="How long it must hold without a break, once it does."
    )


class EventuallyType(AssertionType):
    """A condition over signals comes to hold, and goes on holding for as long as asked.

    It is evaluated as that of `always` is. A sample that comes out of order is left out.
    Passes at the first evaluation of the window at which it holds; with `for_s`, once it has held
    that long since such an evaluation, with none between at which it did not. The clock counts:
    signals that are silent meanwhile have kept their values. The end of `for_s` must lie in the
    window.
    Fails at the window's end; when a field does not exist, also after it did; and when the
    condition cannot take the values.
    No data: fails at the window's end if it was never evaluated, and names the signals without a
    value.
    NaN: compares as in IEEE 754, so that `speed < 1` does not hold.
    End of the timeline: ends a window that is still open.
    """

    type: ClassVar[str] = "eventually"
    Spec: ClassVar[AssertionSpec] = Eventually
    summary: ClassVar[str] = "A condition over several signals comes to hold."
    metrics: ClassVar[Mapping[str, str]] = METRICS

    def plan(self, spec: Eventually, context: PlanContext) -> PlannedAssertion:
        """Return the assertion with its signals resolved."""
        return planned_signals(spec, context)

    def checker(self, planned: PlannedAssertion) -> "EventuallyChecker":
        """Return the checker."""
        return EventuallyChecker(planned)


class EventuallyChecker(TemporalChecker):
    """Looks for the first evaluation that holds, and for the end of its hold."""

    late_counts = False

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, Eventually)
        self._for = planned.spec.for_s

    def judge(self, sample: Sample, t: float, shown: Mapping[str, Any], *, holds: bool) -> None:
        """Pass where it holds, or wait until it has held."""
        if self._for is not None:
            self.due_s = min(self.until_s, self._held_at_s())
        elif holds:
            self.satisfied(t)
            what = f"{self.text} held at {number(t)} s: {worded(shown)}"
            self.decide(PASSED, what, t, sample.sim, shown)

    def on_tick(self, t: float) -> None:
        """Pass what has held long enough; end the window."""
        self._pass_if_held(t)
        if not self.done:
            super().on_tick(t)

    def on_close(self, t: float, when: str) -> None:
        """Fail, unless it has held up to now."""
        self._pass_if_held(t)
        what = f"{self.text} never held {when}"
        if self._for is not None:
            longest, _ = self.metrics()["longest_hold_s"]
            asked = f"for {self._for.to_number()} s {when}"
            what = f"{self.text} never held {asked}: {number(longest, self._for.seconds)} s at most"
        self.resolve(FAILED, f"{what} (last {worded(self.last())})", t)

    def _held_at_s(self) -> float:
        if self.held_since_s is None or self._for is None:
            return float("inf")
        return (to_ns(self.held_since_s) + self._for.ns) / NS_PER_S

    def _pass_if_held(self, t: float) -> None:
        held_at_s = self._held_at_s()
        if self._for is None or held_at_s > min(t, self.until_s):
            return
        self.satisfied(held_at_s)
        what = f"{self.text} held for {self._for.to_number()} s up to {number(held_at_s)} s"
        self.hold_lasts(held_at_s)
        self.decide(PASSED, what, held_at_s, None, self.last())
