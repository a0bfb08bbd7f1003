from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from fieldproof.events._context import EventContext
from fieldproof.events._event import Event
from fieldproof.events._held import Held, seconds
from fieldproof.events._record import ActionRecord
from fieldproof.events._running import Over, Running
from fieldproof.model import PositiveDuration, Problem, TimelineBase, counted, faults
from fieldproof.plan import PlanContext
from fieldproof.timeline import OK

_NS = 1_000_000_000


def _refuse_lockstep(context: PlanContext) -> None:
    if context.lockstep:
        hint = "use time.mode sim or realtime, or leave the entry out"
        what = "cannot be used in lockstep, where the engine steps the clock"
        raise context.refusal(what, at="action", hint=hint)


class SimPause(TimelineBase):
    """Simulation time standing still."""

    action: Literal["sim.pause"]
    duration_s: PositiveDuration | None = Field(
        default=None, description="Resume after this much wall time; absent, until sim.resume."
    )


class SimPauseEvent(Event):
    """Stops the physics; every node on simulation time stands still with it.

    The clock goes on telling the time at which it stopped.
    """

    action: ClassVar[str] = "sim.pause"
    Entry: ClassVar[type[TimelineBase]] = SimPause
    summary: ClassVar[str] = "Stop simulation time, for a while or until it is resumed."

    def plan(self, entry: SimPause, context: PlanContext) -> dict[str, Any]:  # noqa: ARG002
        """Refuse it in lockstep."""
        _refuse_lockstep(context)
        return {}

    def start(
        self,
        entry: SimPause,
        resolved: Mapping[str, Any],  # noqa: ARG002
        context: EventContext,
        record: ActionRecord,
    ) -> Running:
        """Stop time; what is returned is over when it goes on."""
        context.simulate("pause")
        context.log("sim.paused", "simulation paused")
        record.detail = "paused"
        if entry.duration_s is None:
            return Over()

        def undo() -> None:
            if context.time_state() != "running":
                context.simulate("resume")
                context.log("sim.resumed", "simulation resumed")

        def ended() -> str:
            return "paused, resumed by another" if context.time_state() == "running" else ""

        lasted = entry.duration_s.seconds
        detail = f"paused for {seconds(lasted)}, resumed"
        return Held(context.clock, lasted, undo, record, detail, ended=ended)


class SimResume(TimelineBase):
    """Simulation time going on."""

    action: Literal["sim.resume"]


class SimResumeEvent(Event):
    """Lets simulation time go on at the scenario's pace."""

    action: ClassVar[str] = "sim.resume"
    Entry: ClassVar[type[TimelineBase]] = SimResume
    summary: ClassVar[str] = "Let simulation time go on."

    def plan(self, entry: SimResume, context: PlanContext) -> dict[str, Any]:  # noqa: ARG002
        """Refuse it in lockstep."""
        _refuse_lockstep(context)
        return {}

    def start(
        self,
        entry: SimResume,  # noqa: ARG002
        resolved: Mapping[str, Any],  # noqa: ARG002
        context: EventContext,
        record: ActionRecord,
    ) -> Running:
        """Let time go on; refused while it runs."""
        context.simulate("resume")
        context.log("sim.resumed", "simulation resumed")
        record.status, record.detail = OK, "resumed"
        return Over()


class SimStep(TimelineBase):
    """A little time in a paused world."""

    action: Literal["sim.step"]
    steps: Annotated[int, Field(ge=1, le=10_000_000)] | None = Field(
        default=None, description="How many physics steps."
    )
    duration_s: PositiveDuration | None = Field(
        default=None, description="How much simulation time; a whole number of steps."
    )

    @model_validator(mode="after")
    def _one_amount(self) -> "SimStep":
        found = list(self._amount_problems())
        if found:
            raise faults("SimStep", found)
        return self

    def _amount_problems(self) -> Iterator[Problem]:
        if self.steps is None and self.duration_s is None:
            yield Problem("needs steps or duration_s")
        elif self.steps is not None and self.duration_s is not None:
            yield Problem("does not go with steps", ("duration_s",), "give one of them")


class SimStepEvent(Event):
    """Advances a paused world at the scenario's pace and leaves it paused.

    It is over when time stands again. A resume meanwhile lets time go on.
    """

    action: ClassVar[str] = "sim.step"
    Entry: ClassVar[type[TimelineBase]] = SimStep
    summary: ClassVar[str] = "Advance a paused world by steps or simulation time."

    def plan(self, entry: SimStep, context: PlanContext) -> dict[str, Any]:
        """Return how many physics steps, and how much time they are."""
        _refuse_lockstep(context)
        step_ns = context.world.step_ns
        if entry.duration_s is not None:
            steps, rest = divmod(entry.duration_s.ns, step_ns)
            if rest:
                hint = f"a step is {seconds(step_ns / _NS)}"
                raise context.refusal("is no whole number of steps", at="duration_s", hint=hint)
        else:
            steps = entry.steps or 0
        return {"steps": steps, "advance_ns": steps * step_ns}

    def start(
        self,
        entry: SimStep,  # noqa: ARG002
        resolved: Mapping[str, Any],
        context: EventContext,
        record: ActionRecord,
    ) -> Running:
        """Advance it, and return what is over when time stands; refused while time runs."""
        context.simulate("step", advance_ns=resolved["advance_ns"])
        lasted = seconds(resolved["advance_ns"] / _NS)
        return _Stepping(
            context, record, f"stepped {counted(resolved['steps'], 'step')} ({lasted})"
        )


class _Stepping:
    """Time that runs to the end of a step; it stays there by itself."""

    def __init__(self, context: EventContext, record: ActionRecord, what: str) -> None:
        self._context = context
        self._record = record
        self._what = what

    def poll(self) -> bool:
        """Return whether the step is over."""
        state = self._context.time_state()
        if state == "stepped":
            return False
        what = self._what if state == "paused" else "stepped, resumed by another meanwhile"
        self._context.log("sim.stepped", what)
        self._record.status, self._record.detail = OK, what
        return True

    def cancel(self) -> None:
        """Leave it: time stands soon."""
