from collections.abc import Mapping
from typing import Any, ClassVar, Literal

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
from fieldproof.plan import PlanContext, PlannedAssertion
from fieldproof.samples import Sample


class Never(TemporalSpec):
    """A condition over signals holds at no time."""

    type: Literal["never"]


class NeverType(AssertionType):
    """A condition over signals never holds.

    It is evaluated as that of `always` is, with samples out of order, gaps and vanished fields
    taken in the same way.
    Passes at the window's end if it held at no evaluation.
    Fails at the first at which it holds; when a field does not exist, also after it did; and when
    the condition cannot take the values.
    No data: fails at the window's end if it was never evaluated, and names the signals without a
    value.
    NaN: compares as in IEEE 754: `speed > 1` does not hold of it, and so does not fail. Where a
    speed that is no number shall fail, write `isnan(speed) or speed > 1`.
    End of the timeline: ends a window that is still open.
    """

    type: ClassVar[str] = "never"
    Spec: ClassVar[AssertionSpec] = Never
    summary: ClassVar[str] = "A condition over several signals holds at no time."
    metrics: ClassVar[Mapping[str, str]] = METRICS

    def plan(self, spec: Never, context: PlanContext) -> PlannedAssertion:
        """Return the assertion with its signals resolved."""
        return planned_signals(spec, context)

    def checker(self, planned: PlannedAssertion) -> "NeverChecker":
        """Return the checker."""
        return NeverChecker(planned)


class NeverChecker(TemporalChecker):
    """Looks for the first evaluation that holds."""

    def judge(self, sample: Sample, t: float, shown: Mapping[str, Any], *, holds: bool) -> None:
        """Fail where it holds."""
        if holds:
            self.satisfied(t)
            what = f"{self.text} held at {number(t)} s: {worded(shown)}"
            self.decide(FAILED, what, t, sample.sim, shown)

    def on_close(self, t: float, when: str) -> None:  # noqa: ARG002
        """Pass."""
        self.resolve(PASSED, f"{self.text} held at none of {self.evaluations} evaluations", t)
