from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from fieldproof.kpis._figures import evidence_of, figure_of
from fieldproof.kpis._map import Metrics
from fieldproof.model import KpiBase, canonical_json, legible, printable
from fieldproof.plan import PlanContext, PlannedAssertion, Watch
from fieldproof.samples import Sample, Subject

CollectorSpec = type[KpiBase]

MEASURED = "measured"
MISSING = "missing"


class Collector:
    """Measures something over the stream, without judging it.

    The evaluator calls the `on_` hooks in the order of the stream, as it does for an assertion's
    checker; checkers hold collectors to measure with. Times are seconds after the timeline's
    start, negative before it.

    Attributes:
        planned: The collector, or the assertion that measures with it, as the plan holds it.
    """

    def __init__(self, planned: PlannedAssertion) -> None:
        self.planned = planned

    def subjects(self) -> Iterable[Subject]:
        """Return the subjects of the samples it wants."""
        return ()

    def on_sample(self, sample: Sample, t: float) -> None:
        """Take a sample."""

    def on_action(self, label: str, event: str, t: float, status: str) -> None:
        """Learn that a timeline entry's occurrence was `started`, or `finished` with a status."""

    def on_finish(self, t: float) -> None:
        """Learn that the timeline has completed."""

    def missing(self) -> str:
        """Return why nothing was measured; an empty text when something was."""
        raise NotImplementedError

    def evidence(self) -> Mapping[str, Any]:
        """Return what the figures rest on."""
        return {}

    def metrics(self) -> Metrics:
        """Return what was measured until now: a value and its unit by name."""
        raise NotImplementedError


class CollectorType:
    """A kind of collector: what the scenario writes, what it means there, and who measures."""

    type: ClassVar[str]
    """What a collector writes as its type."""
    Spec: ClassVar[CollectorSpec]
    """The specification: `name`, `type` as a literal, and the parameters."""
    summary: ClassVar[str]
    """What is measured, in a sentence."""
    metrics: ClassVar[Mapping[str, str]]
    """The figures: a sentence for each name."""

    def plan(self, spec: Any, context: PlanContext) -> PlannedAssertion:
        """Return the collector with its names resolved in this scenario.

        Raises:
            ScenarioError: It has nothing to measure in this scenario.
        """
        raise NotImplementedError

    def collector(self, planned: PlannedAssertion) -> Collector:
        """Return what follows the stream for it."""
        raise NotImplementedError

    def watches(self, planned: PlannedAssertion) -> Iterable[Watch]:
        """Return what the observer must look at: the plan's own, and the model it reads."""
        return watches_of(planned)


def watches_of(planned: PlannedAssertion) -> tuple[Watch, ...]:
    """Return a plan's watches, with one for the model that it reads."""
    if planned.model is None:
        return planned.watches
    return (*planned.watches, Watch("model", model=planned.model))


@dataclass(frozen=True, slots=True)
class CollectorResult:
    """What one collector of the kpis section measured.

    Attributes:
        name: The collector.
        type: Its type.
        status: `measured`, or `missing` when there was nothing to measure.
        reason: Why, in a sentence for people.
        evidence: What the figures rest on; JSON data.
        metrics: The figures; JSON data.
    """

    name: str
    type: str
    status: str
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, collector: Collector) -> "CollectorResult":
        """Return what a collector has measured until now.

        Raises:
            TypeError: It shows something that is no JSON data.
        """
        spec, why = collector.planned.spec, collector.missing()
        return cls(
            name=spec.name,
            type=spec.type,
            status=MISSING if why else MEASURED,
            reason=printable(legible(why)),
            evidence=evidence_of(collector.evidence()),
            metrics={name: figure_of(value) for name, (value, _) in collector.metrics().items()},
        )

    def to_data(self) -> dict[str, Any]:
        """Return the result as JSON data."""
        return {
            "name": self.name,
            "type": self.type,
            "status": self.status,
            "reason": self.reason,
            "evidence": self.evidence,
            "metrics": self.metrics,
        }

    def to_line(self) -> str:
        """Return the result's canonical line of kpis.jsonl, ended by a newline."""
        return canonical_json(self.to_data()) + "\n"
