from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from fieldproof.assertions._checker import Checker
from fieldproof.assertions._result import FAILED, PASSED, Result
from fieldproof.assertions._steps import PlannedStep, Step, planned_step
from fieldproof.assertions._type import AssertionSpec, AssertionType
from fieldproof.kpis import OK, Metrics, brief, is_occurrence, number, rounded
from fieldproof.model import (
    AssertionBase,
    ConditionEvaluationError,
    Name,
    PositiveDuration,
    counted,
)
from fieldproof.plan import PlanContext, PlannedAssertion
from fieldproof.samples import NO_VALUE, NS_PER_S, Sample, Subject, subject_of, to_ns

_NEVER = float("inf")
_ACTION: Subject = ("action",)


class Sequence(AssertionBase):
    """Things happen in order."""

    type: Literal["sequence"]
    vehicle: Name | None = Field(default=None, description="Whose signals they are by default.")
    steps: Annotated[list[Step], Field(min_length=1, max_length=256)] = Field(
        description="What must happen, in order."
    )
    within_s: PositiveDuration | None = Field(
        default=None, description="When the last step must have happened."
    )
    max_gap_s: PositiveDuration | None = Field(
        default=None, description="How long after a step the next must have happened."
    )

    def vehicle_names(self) -> tuple[str, ...]:
        """Return the vehicles of the assertion and of its steps."""
        names = (self.vehicle, *(step.vehicle for step in self.steps))
        return tuple(name for name in names if name is not None)

    def action_names(self) -> tuple[str, ...]:
        """Return the timeline entries of the steps."""
        return tuple(step.action for step in self.steps if step.action is not None)


class SequenceType(AssertionType):
    """Steps happen one after the other.

    A step is watched from the moment the one before it has happened. An action step happens when an
    occurrence of the entry starts, or ends ok; a signal step at the first message that satisfies
    its condition; an assertion step when that assertion has passed, be it before. Messages that
    are older than the step before, which came out of order, do not count; one that comes twice may
    stand for two steps.
    Passes when the last step happens, by `within_s` and each within `max_gap_s` of the one before,
    these moments included.
    Fails when one of these passes; and when the step that is watched can no longer happen: the
    entry ended with another status, the assertion did not pass, the field does not exist or has
    vanished, or the condition cannot take the value.
    No data: fails as for a step that does not happen.
    NaN: compares as in IEEE 754, so that `value > 0` does not hold.
    End of the timeline: fails there, and names the step that did not happen. Assertions that it
    waits for are settled before it.
    """

    type: ClassVar[str] = "sequence"
    Spec: ClassVar[AssertionSpec] = Sequence
    summary: ClassVar[str] = "Actions, signals and verdicts come in order."
    metrics: ClassVar[Mapping[str, str]] = {
        "steps_done": "steps that happened",
        "completed_at_s": "when the last step happened",
        "duration_s": "from the first step to the last",
    }

    def plan(self, spec: Sequence, context: PlanContext) -> PlannedAssertion:
        """Return the assertion with the steps resolved."""
        planned = [
            planned_step(step, place, spec.vehicle, context)
            for place, step in enumerate(spec.steps)
        ]
        watches = tuple(watch for _, watched in planned for watch in watched)
        return PlannedAssertion(
            spec, resolved={"steps": [data for data, _ in planned]}, watches=watches
        )

    def checker(self, planned: PlannedAssertion) -> "SequenceChecker":
        """Return the checker."""
        return SequenceChecker(planned)


class SequenceChecker(Checker):
    """Waits for one step after the other."""

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, Sequence)
        spec = planned.spec
        self._within = spec.within_s
        self._gap = spec.max_gap_s
        self._steps = [PlannedStep.from_data(data) for data in planned.resolved["steps"]]
        self._happened: list[dict[str, Any]] = []
        self._verdicts: dict[str, Result] = {}
        self._unreadable: dict[Subject, str] = {}
        self._ended: dict[str, str] = {}
        self._first_s: float | None = None
        self._last_s = 0.0
        self._set_due()

    def subjects(self) -> tuple[Subject, ...]:
        """The subjects of the steps, and the errors of reading their fields."""
        wanted: dict[Subject, None] = {}
        for step in self._steps:
            for subject in (step.subject, step.errors):
                if subject is not None:
                    wanted[subject] = None
        if any(step.action for step in self._steps):
            wanted[_ACTION] = None
        return tuple(wanted)

    def depends_on(self) -> tuple[str, ...]:
        """The assertions of the steps."""
        return tuple(dict.fromkeys(step.assertion for step in self._steps if step.assertion))

    def on_sample(self, sample: Sample, t: float) -> None:
        """Take what may be the step that is watched."""
        if self.result is not None:
            return
        if sample.kind == "action":
            self._take_action(sample, t)
        elif sample.kind == "field_error":
            self._unreadable[subject_of(sample)] = sample.data["message"]
            self._look_at_field(t, sample.sim)
        else:
            self._take_value(sample, t)

    def on_verdict(self, result: Result, t: float) -> None:
        """Take another assertion's verdict."""
        if result.name not in self.depends_on():
            return
        self.on_tick(t)
        self._verdicts[result.name] = result
        self._look_at_verdict()

    def on_tick(self, t: float) -> None:
        """Fail once the step that is watched is too late."""
        if self.due_s is not None and t > self.due_s:
            self._fail(f"did not happen {self._limit()}", self.due_s)

    def on_finish(self, t: float) -> None:
        """Fail: a step did not happen."""
        self._fail("did not happen before the timeline ended", t)

    def evidence(self) -> Mapping[str, Any]:
        """The steps that happened, when and how, and their number."""
        return {"steps": list(self._happened), "steps_done": len(self._happened)}

    def metrics(self) -> Metrics:
        """A number of steps, and times in seconds."""
        done = self._happened and len(self._happened) == len(self._steps)
        took = rounded(self._last_s - self._first_s) if self._first_s is not None else None
        return {
            "steps_done": (len(self._happened), ""),
            "completed_at_s": (self._last_s if done else None, "s"),
            "duration_s": (took if done else None, "s"),
        }

    @property
    def _step(self) -> PlannedStep:
        """The step that is watched; the last one once all have happened."""
        return self._steps[min(len(self._happened), len(self._steps) - 1)]

    def _take_action(self, sample: Sample, t: float) -> None:
        label, event = sample.data["label"], sample.data["event"]
        status, step = str(sample.data.get("status", "")), self._step
        if event == "finished":
            self._ended[label] = status
        if step.kind != "action" or not is_occurrence(label, step.action) or t < self._last_s:
            return
        if event == "finished" and status != OK:
            self._fail(f"cannot happen: {label} ended {status}", t, sample.sim)
        elif event == step.event:
            self._happens(t, sample.sim, {"status": status} if event == "finished" else {})

    def _take_value(self, sample: Sample, t: float) -> None:
        step, subject = self._step, subject_of(sample)
        if self._unreadable:
            self._unreadable.pop(("field_error", *subject[1:]), None)
        if step.signal is None or step.condition is None or subject != step.subject:
            return
        value = step.signal.value_of(sample)
        if value is NO_VALUE or t < self._last_s:
            return
        try:
            holds = step.condition({"value": value})
        except ConditionEvaluationError as error:
            self._fail(f"cannot be judged at {number(t)} s: {error}", t, sample.sim)
            return
        if holds:
            self._happens(t, sample.sim, {"value": brief(value)})

    def _look_at_field(self, t: float, sim: float | None) -> None:
        errors = self._step.errors
        if errors is not None and errors in self._unreadable:
            self._fail(f"cannot happen: {self._unreadable[errors]}", max(t, 0.0), sim)

    def _look_at_verdict(self) -> None:
        result = self._verdicts.get(self._step.assertion)
        if result is None or self.result is not None or result.t_s is None:
            return
        t = max(result.t_s, self._last_s)
        if result.status == PASSED:
            how = {"assertion": result.name, "passed_t_s": result.t_s}
            self._happens(t, result.sim_s if t == result.t_s else None, how)
        else:
            self._fail(f"cannot happen: {result.name} {result.status}", t)

    def _happens(self, t: float, sim: float | None, how: Mapping[str, Any]) -> None:
        step = self._step
        self.note_at(t, sim, step=step.text, **how)
        self._happened.append({"step": step.text, "t_s": t, "sim_s": sim, **how})
        self._first_s = t if self._first_s is None else self._first_s
        self._last_s = t
        self._set_due()
        if len(self._happened) == len(self._steps):
            took = f"{counted(len(self._steps), 'step')} in {number(t - self._first_s)} s"
            self.resolve(PASSED, f"{took}, the last at {number(t)} s: {step.text}", t, sim)
            return
        self._look_at_field(t, sim)
        self._look_at_verdict()

    def _fail(self, why: str, t: float, sim: float | None = None) -> None:
        step, place = self._step, len(self._happened) + 1
        earlier = ""
        if step.action in self._ended and "cannot" not in why:
            earlier = f"; {step.action} had ended {self._ended[step.action]} before it was watched"
        what = f"step {place} of {len(self._steps)} ({step.text}) {why}{earlier}"
        self.resolve(FAILED, what, t, sim)

    def _set_due(self) -> None:
        self.due_s = _NEVER if self._within is None else self._within.seconds
        if self._gap is not None and self._happened:
            self.due_s = min(self.due_s, (to_ns(self._last_s) + self._gap.ns) / NS_PER_S)

    def _limit(self) -> str:
        if self._within is not None and self.due_s == self._within.seconds:
            return f"within {self._within.to_number()} s"
        gap = self._gap.to_number() if self._gap is not None else 0
        return f"within {gap} s of the step before"
