from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from fieldproof.assertions._checker import Checker
from fieldproof.assertions._result import FAILED, PASSED
from fieldproof.assertions._type import AssertionSpec, AssertionType
from fieldproof.kpis import Metrics, number, rounded
from fieldproof.model import AssertionBase, Label, PositiveDuration
from fieldproof.plan import PlanContext, PlannedAssertion
from fieldproof.samples import NS_PER_S, Subject, to_ns

_OK = "ok"
_NEVER = float("inf")


class WithinTime(AssertionBase):
    """A timeline entry ends ok within a duration of its start."""

    type: Literal["within_time"]
    action: Label = Field(description="The timeline entry.")
    max_s: PositiveDuration = Field(description="How long after its start it must have ended ok.")


class WithinTimeType(AssertionType):
    """A timeline entry succeeds in time.

    Passes when the entry's first occurrence ends ok no later than `max_s` after its start; an end
    at exactly that moment still counts.
    Fails the moment `max_s` passes, at that moment; and when the entry ends with another status.
    No data: an entry that never starts fails when it is skipped, or at the end.
    NaN: does not arise.
    End of the timeline: fails there if the entry has not started, or has not ended.
    """

    type: ClassVar[str] = "within_time"
    Spec: ClassVar[AssertionSpec] = WithinTime
    summary: ClassVar[str] = "A timeline entry ends ok within a duration of its start."
    metrics: ClassVar[Mapping[str, str]] = {"duration_s": "from the entry's start to its end"}

    def plan(self, spec: WithinTime, context: PlanContext) -> PlannedAssertion:
        """Return the assertion with its entry checked."""
        return PlannedAssertion(spec, resolved={"action": context.action(spec.action)})

    def checker(self, planned: PlannedAssertion) -> "WithinTimeChecker":
        """Return the checker."""
        return WithinTimeChecker(planned)


class WithinTimeChecker(Checker):
    """Waits for an entry's start, then for its end."""

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, WithinTime)
        self._spec = planned.spec
        self._label: str = planned.resolved["action"]
        self._started_s: float | None = None
        self._duration_s: float | None = None
        self._elapsed_s: float | None = None
        self._status: str | None = None
        self.due_s = _NEVER

    def subjects(self) -> tuple[Subject, ...]:
        """None: actions come by `on_action`."""
        return ()

    def on_action(self, label: str, event: str, t: float, status: str) -> None:
        """Follow the entry's first occurrence."""
        if label != self._label or self._status is not None:
            return
        if event == "started" and self._started_s is None:
            self._started_s = t
            self.due_s = (to_ns(t) + self._spec.max_s.ns) / NS_PER_S
        elif event == "finished":
            self._finished(t, status)

    def on_tick(self, t: float) -> None:
        """Fail once the limit has passed."""
        if self.due_s is not None and t > self.due_s:
            self._elapsed_s = self._spec.max_s.seconds
            self.resolve(
                FAILED,
                f"{self._label} has not completed {self._spec.max_s.to_number()} s after its start",
                self.due_s,
            )

    def on_finish(self, t: float) -> None:
        """Fail: it has not ended."""
        if self._started_s is None:
            self.resolve(FAILED, f"{self._label} never started", t)
        else:
            self._elapsed_s = rounded(t - self._started_s)
            self.resolve(FAILED, f"{self._label} had not completed when the timeline ended", t)

    def evidence(self) -> Mapping[str, Any]:
        """When it started, how long it took or has taken, and how it ended."""
        shown = {"started_t_s": self._started_s, "action_status": self._status}
        if self._duration_s is not None:
            return {**shown, "duration_s": self._duration_s}
        return {**shown, "elapsed_s": self._elapsed_s}

    def metrics(self) -> Metrics:
        """The entry's duration in seconds, once it has ended."""
        return {"duration_s": (self._duration_s, "s")}

    def _finished(self, t: float, status: str) -> None:
        self._status = status
        if self._started_s is None:
            self.resolve(FAILED, f"{self._label} never started: it was {status}", t)
            return
        self._duration_s = rounded(t - self._started_s)
        took = f"{number(t - self._started_s, self._spec.max_s.seconds)} s after its start"
        limit = f"at most {self._spec.max_s.to_number()} s"
        if status == _OK:
            self.resolve(PASSED, f"{self._label} completed {took} ({limit})", t)
        else:
            self.resolve(FAILED, f"{self._label} ended {status} {took}", t)
