import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from fieldproof.assertions._checker import WindowedChecker
from fieldproof.assertions._result import FAILED, PASSED
from fieldproof.assertions._type import AssertionSpec, AssertionType, WindowedSpec
from fieldproof.kpis import Metrics, number
from fieldproof.model import Name, TopicName
from fieldproof.plan import PlanContext, PlannedAssertion, Watch
from fieldproof.samples import Sample, Subject

_MOST_STATES = 32


class LifecycleState(WindowedSpec):
    """A managed node of the vehicle is in a state."""

    type: Literal["lifecycle_state"]
    vehicle: Name = Field(description="The vehicle the node belongs to.")
    node: TopicName = Field(description="The node, relative to the namespace or absolute.")
    state: Annotated[
        Literal["unconfigured", "inactive", "active", "finalized"],
        Field(description="The state it must be in."),
    ]
    mode: Literal["always", "eventually"] = Field(
        default="eventually", description="Whether it is always in it, or comes to it."
    )


class LifecycleStateType(AssertionType):
    """A managed node is in a state.

    The observer asks the node once a second and hears of its transitions. A node without the
    service is `unavailable`, one that does not answer in time `unresponsive`: neither is a state
    to be in. Each sample of the window is judged on its own, whatever the order they come in; in a
    gap nothing is.
    Passes: `eventually` at the first sample in the state; `always` at the window's end.
    Fails: `always` at the first sample in another state; `eventually` at the window's end.
    No data: without a sample in the window both fail at its end.
    NaN: does not arise; a state that is unknown is another state.
    End of the timeline: ends a window that is still open.
    """

    type: ClassVar[str] = "lifecycle_state"
    Spec: ClassVar[AssertionSpec] = LifecycleState
    summary: ClassVar[str] = "A managed node of the vehicle is in a state."
    metrics: ClassVar[Mapping[str, str]] = {
        "samples": "states seen in the window",
        "reached_at_s": "when it was first in the state",
    }

    def plan(self, spec: LifecycleState, context: PlanContext) -> PlannedAssertion:
        """Return the assertion with its node absolute."""
        node = context.node(spec.vehicle, spec.node)
        return PlannedAssertion(
            spec, resolved={"node": node}, watches=(Watch("lifecycle", node=node),)
        )

    def checker(self, planned: PlannedAssertion) -> "LifecycleStateChecker":
        """Return the checker."""
        return LifecycleStateChecker(planned)


class LifecycleStateChecker(WindowedChecker):
    """Judges each state that was seen of a node."""

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, LifecycleState)
        self._node: str = planned.resolved["node"]
        self._wanted = planned.spec.state
        self._always = planned.spec.mode == "always"
        self._samples = 0
        self._states: dict[str, int] = {}
        self._last: dict[str, Any] | None = None
        self._last_t = -math.inf
        self._reached_s: float | None = None
        self._violation: dict[str, Any] | None = None

    def subjects(self) -> tuple[Subject, ...]:
        """The node's states."""
        return (("lifecycle", self._node),)

    def on_sample(self, sample: Sample, t: float) -> None:
        """Judge a state."""
        if not self.in_window(t):
            return
        state: str = sample.data["state"]
        seen = {"t_s": t, "sim_s": sample.sim, "state": state}
        self._samples += 1
        if state in self._states or len(self._states) < _MOST_STATES:
            self._states[state] = self._states.get(state, 0) + 1
        if t >= self._last_t:
            self._last, self._last_t = seen, t
        if state == self._wanted and self._reached_s is None:
            self._reached_s = t
        self.note(t, sample, state=state)
        what = f"{self._node} was {state} at {number(t)} s"
        if state == self._wanted and not self._always:
            self.resolve(PASSED, what, t, sample.sim)
        elif state != self._wanted and self._always and self.result is None:
            self._violation = seen
            self.resolve(FAILED, f"{what}, not {self._wanted}", t, sample.sim)

    def on_window_end(self, t: float, when: str) -> None:
        """Pass what was always in the state; fail what never was, or was never seen."""
        if self._last is None:
            self.resolve(FAILED, f"no state of {self._node} was seen {when}", t)
        elif self._always:
            seen = f"all of {self._samples} samples" if self._samples > 1 else "its only sample"
            what = f"{self._node} was {self._wanted} in {seen}"
            self.resolve(PASSED, what, t)
        else:
            what = f"{self._node} was not {self._wanted} {when} (last {self._last['state']})"
            self.resolve(FAILED, what, t)

    def evidence(self) -> Mapping[str, Any]:
        """How often each state was seen, the last of them, and the one that was not wanted."""
        shown = {"states": dict(self._states), "last": self._last, "samples": self._samples}
        return shown if self._violation is None else {**shown, "violation": self._violation}

    def metrics(self) -> Metrics:
        """The number of samples, and a time in seconds."""
        return {"samples": (self._samples, ""), "reached_at_s": (self._reached_s, "s")}
