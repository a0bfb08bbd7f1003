from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fieldproof.model import AssertionBase, KpiBase, Pose, VehicleManifest
from fieldproof.plan._routes import InjectorRoute
from fieldproof.plan._watches import Watch


@dataclass(frozen=True, slots=True)
class PlannedVehicle:
    """A vehicle of the scenario with its manifest; `spawn` is in the world frame, on the ground.

    `routes` are those on which its bridge can put faults.
    """

    name: str
    namespace: str
    robot: str
    spawn: Pose
    manifest: VehicleManifest
    routes: tuple[InjectorRoute, ...] = ()

    def topic(self, name: str) -> str:
        """Return a name made absolute: under the namespace unless it starts with a slash."""
        return name if name.startswith("/") else f"/{self.namespace}/{name}"


@dataclass(frozen=True, slots=True)
class ResolvedSignal:
    """A signal with its names made absolute and its target in the world.

    Its data is what `fieldproof.samples.PlannedSignal` reads values with.
    """

    topic: str | None = None
    field: str | None = None
    message_type: str | None = None
    metric: str | None = None
    model: str | None = None
    target: Pose | None = None

    def watches(self) -> tuple[Watch, ...]:
        """Return what the observer looks at for the signal; the clock is always streamed."""
        if self.topic is not None:
            return (Watch("value", self.topic, self.field, self.message_type),)
        return (Watch("model", model=self.model),) if self.model is not None else ()

    def to_data(self) -> dict[str, Any]:
        """Return the signal as JSON data, without what it does not have."""
        pairs = {
            "topic": self.topic,
            "field": self.field,
            "message_type": self.message_type,
            "metric": self.metric,
            "model": self.model,
            "target": self.target.to_data() if self.target else None,
        }
        return {key: value for key, value in pairs.items() if value is not None}


@dataclass(frozen=True, slots=True)
class PlannedAssertion:
    """An assertion or a collector, resolved: what its checker needs besides the samples.

    Attributes:
        spec: What the scenario says.
        topic: The absolute topic it reads.
        model: The ground-truth model it reads.
        target: A place in the world frame.
        resolved: Anything else; JSON data, poses and signals are turned into it.
        watches: What the observer must look at.
        source: Where it stands in the scenario, such as `assertions[0]`; set by the plan.
        depends_on: The assertions whose verdicts it waits for; set by the plan, and not kept.
    """

    spec: AssertionBase | KpiBase
    topic: str | None = None
    model: str | None = None
    target: Pose | None = None
    resolved: Mapping[str, Any] = field(default_factory=dict)
    watches: tuple[Watch, ...] = ()
    source: str = ""
    depends_on: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """Return the JSON data that stands in `evaluation.json`."""
        spec = self.spec.model_dump(mode="json", exclude_none=True)
        head = {"name": self.spec.name, "type": self.spec.type}
        if isinstance(self.spec, AssertionBase):
            head["on_fail"] = self.spec.on_fail
        return head | {
            "spec": spec,
            "topic": self.topic,
            "model": self.model,
            "target": self.target.to_data() if self.target else None,
            "resolved": plain(self.resolved),
            "source": self.source,
        }

    def at(self, source: str) -> "PlannedAssertion":
        """Return the same assertion with where it stands in the scenario."""
        return replace(self, source=source)

    def after(self, names: Iterable[str]) -> "PlannedAssertion":
        """Return the same assertion, waiting for the verdicts of others."""
        return replace(self, depends_on=tuple(names))

    @classmethod
    def from_data(
        cls, data: Mapping[str, Any], spec: AssertionBase | KpiBase
    ) -> "PlannedAssertion":
        """Return the assertion that `to_data` described, with its specification parsed anew.

        `resolved` stays JSON data; watches are not kept, the observer's plan has them.
        """
        target = data["target"]
        return cls(
            spec=spec,
            topic=data["topic"],
            model=data["model"],
            target=Pose.from_data(target) if target is not None else None,
            resolved=dict(data["resolved"]),
            source=data.get("source", ""),
        )


def plain(value: Any) -> Any:
    """Return a value with poses, signals and tuples turned into JSON data."""
    if isinstance(value, Pose | ResolvedSignal):
        return value.to_data()
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
