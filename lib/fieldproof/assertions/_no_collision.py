from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from fieldproof.assertions._checker import Checker
from fieldproof.assertions._result import FAILED, PASSED
from fieldproof.assertions._type import AssertionSpec, AssertionType
from fieldproof.kpis import Metrics, number
from fieldproof.model import AssertionBase, Name, TopicName, counted
from fieldproof.plan import PlanContext, PlannedAssertion, Watch
from fieldproof.samples import Sample, Subject

_NEVER = float("inf")


class NoCollision(AssertionBase):
    """The vehicle's chassis touches nothing."""

    type: Literal["no_collision"]
    vehicle: Name = Field(description="The vehicle whose contact sensor is read.")
    topic: TopicName | None = Field(
        default=None, description="The sensor's topic; <namespace>/contacts when absent."
    )
    ignore: list[str] = Field(
        default=[], description="Models, or scoped collisions, whose contacts do not count."
    )


class NoCollisionType(AssertionType):
    """The chassis touches nothing during the timeline.

    Fails at the first contact of the vehicle's chassis in which neither side is ignored. An entry
    of `ignore` stands for the collision of that scoped name and for all that lie under it, so the
    name of a model stands for the model.
    No data: passes. The sensor speaks only while something touches; that it is there is checked
    when the scenario is planned.
    NaN: does not arise.
    End of the timeline: passes there.
    """

    type: ClassVar[str] = "no_collision"
    Spec: ClassVar[AssertionSpec] = NoCollision
    summary: ClassVar[str] = "The vehicle's chassis touches nothing during the timeline."
    passes_without_data: ClassVar[bool] = True
    metrics: ClassVar[Mapping[str, str]] = {"contacts": "contacts that were not ignored"}

    def plan(self, spec: NoCollision, context: PlanContext) -> PlannedAssertion:
        """Return the assertion, refusing a vehicle that cannot feel contacts."""
        vehicle = context.vehicle(spec.vehicle)
        if not any(sensor.type == "contact" for sensor in vehicle.manifest.sensors):
            what = f"{vehicle.name} has no contact sensor"
            raise context.refusal(what, at="vehicle", hint=f"add one to {vehicle.robot}")
        known = vehicle.topic("contacts")
        if spec.topic is not None and vehicle.topic(spec.topic) != known:
            raise context.refusal("is no contact topic", at="topic", hint=f"known: {known}")
        if vehicle.name in spec.ignore:
            place = ("ignore", spec.ignore.index(vehicle.name))
            what = f"ignores every contact of {vehicle.name} itself"
            raise context.refusal(what, at=place, hint="name what it may touch")
        watch = Watch("contact", vehicle=vehicle.name)
        return PlannedAssertion(spec, resolved={"vehicle": vehicle.name}, watches=(watch,))

    def checker(self, planned: PlannedAssertion) -> "NoCollisionChecker":
        """Return the checker."""
        return NoCollisionChecker(planned)


class NoCollisionChecker(Checker):
    """Waits for the first contact that counts."""

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, NoCollision)
        self._vehicle: str = planned.resolved["vehicle"]
        self._ignore = tuple(planned.spec.ignore)
        self._contact: dict[str, Any] | None = None
        self._contacts = 0
        self._ignored = 0
        self._messages = 0
        self.due_s = _NEVER

    def subjects(self) -> tuple[Subject, ...]:
        """The vehicle's contacts."""
        return (("contact", self._vehicle),)

    def on_sample(self, sample: Sample, t: float) -> None:
        """Take a contact of the timeline."""
        if t < 0:
            return
        self._messages += 1
        one, other = sample.data["collision1"], sample.data["collision2"]
        if self._is_ignored(one) or self._is_ignored(other):
            self._ignored += 1
            return
        self._contacts += 1
        pair = {"collision1": one, "collision2": other, "count": sample.data["count"]}
        self.note(t, sample, **pair)
        if self._contact is None:
            self._contact = {"t_s": t, "sim_s": sample.sim, **pair}
            what = f"{self._vehicle} touched: {one} and {other} at {number(t)} s"
            self.resolve(FAILED, what, t, sample.sim)

    def on_finish(self, t: float) -> None:
        """Pass."""
        but = f" ({counted(self._ignored, 'ignored contact')})" if self._ignored else ""
        self.resolve(PASSED, f"{self._vehicle} touched nothing{but}", t)

    def evidence(self) -> Mapping[str, Any]:
        """The contact, if there was one, and how many samples were seen and ignored."""
        seen = {"ignored_contacts": self._ignored, "messages": self._messages}
        return seen if self._contact is None else {"contact": self._contact, **seen}

    def metrics(self) -> Metrics:
        """The number of contacts that count."""
        return {"contacts": (self._contacts, "")}

    def _is_ignored(self, collision: str) -> bool:
        return any(collision == name or collision.startswith(f"{name}::") for name in self._ignore)
