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


class Always(TemporalSpec):
    """A condition over signals holds throughout."""

    type: Literal["always"]


class AlwaysType(AssertionType):
    """A condition over signals always holds.

    It is evaluated in the window whenever one of the signals is seen, once all have a value; a
    value from before the window is one. A sample that comes out of order is judged with the values
    at hand, and not kept. In a gap nothing is evaluated, nor while a model is gone whose pose is
    read.
    Passes at the window's end if it held at every evaluation.
    Fails at the first at which it does not hold; when a field does not exist, also after it did;
    and when the condition cannot take the values, such as text compared with a number.
    No data: fails at the window's end if it was never evaluated, and names the signals without a
    value.
    NaN: compares as in IEEE 754, so that `speed < 1` does not hold.
    End of the timeline: ends a window that is still open.
    """

    type: ClassVar[str] = "always"
    Spec: ClassVar[AssertionSpec] = Always
    summary: ClassVar[str] = "A condition over several signals holds throughout."
    metrics: ClassVar[Mapping[str, str]] = METRICS

    def plan(self, spec: Always, context: PlanContext) -> PlannedAssertion:
        """Return the assertion with its signals resolved."""
        return planned_signals(spec, context)

    def checker(self, planned: PlannedAssertion) -> "AlwaysChecker":
        """Return the checker."""
        return AlwaysChecker(planned)


class AlwaysChecker(TemporalChecker):
    """Looks for the first evaluation that does not hold."""

    def judge(self, sample: Sample, t: float, shown: Mapping[str, Any], *, holds: bool) -> None:
        """Fail where it does not hold."""
        if holds:
            self.satisfied(t)
        else:
            what = f"{self.text} did not hold at {number(t)} s: {worded(shown)}"
            self.decide(FAILED, what, t, sample.sim, shown)

    def on_close(self, t: float, when: str) -> None:  # noqa: ARG002
        """Pass."""
        self.resolve(PASSED, f"{self.text} held at all of {self.evaluations} evaluations", t)
