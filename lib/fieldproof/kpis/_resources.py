import math
from collections import deque
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from fieldproof.kpis._collector import Collector, CollectorSpec, CollectorType
from fieldproof.kpis._figures import rounded
from fieldproof.kpis._map import Metrics
from fieldproof.kpis._window import window_of
from fieldproof.model import Duration, KpiBase, Name, NonNegativeDuration, Strict
from fieldproof.plan import PlanContext, PlannedAssertion, Watch
from fieldproof.samples import Sample, Subject


class ContainerParameters(Strict):
    """Whose container is measured."""

    vehicle: Name = Field(description="The vehicle whose container is measured.")
    container: Literal["vehicle", "bridge"] = Field(
        default="vehicle", description="The stack's container, or the bridge's."
    )


class Resources(ContainerParameters, KpiBase):
    """What a container takes."""

    type: Literal["resources"]
    after_s: NonNegativeDuration = Field(
        default=Duration(), description="Grace period after the timeline starts."
    )


def planned_container(spec: Any, context: PlanContext) -> PlannedAssertion:
    """Return a specification that has `ContainerParameters`, with its vehicle checked."""
    vehicle = context.vehicle(spec.vehicle).name
    watch = Watch("resource", vehicle=vehicle, role=spec.container)
    return PlannedAssertion(spec, resolved={"vehicle": vehicle}, watches=(watch,))


class ResourcesType(CollectorType):
    """What a container takes.

    Missing: it was not sampled after `after_s`. Numbers that are not finite are left out.
    """

    type: ClassVar[str] = "resources"
    Spec: ClassVar[CollectorSpec] = Resources
    summary: ClassVar[str] = "What CPU and memory a vehicle's container takes."
    metrics: ClassVar[Mapping[str, str]] = {
        "peak_cpu_pct": "highest sample, in percent of a core",
        "mean_cpu_pct": "mean of the samples, in percent of a core",
        "peak_memory_mb": "highest sample, in MiB",
        "mean_memory_mb": "mean of the samples, in MiB",
        "samples": "samples in the window",
    }

    def plan(self, spec: Resources, context: PlanContext) -> PlannedAssertion:
        """Return the collector with its vehicle checked."""
        return planned_container(spec, context)

    def collector(self, planned: PlannedAssertion) -> "ResourceCollector":
        """Return the collector."""
        return ResourceCollector(planned)


class _Figure:
    """The mean and the peak of the finite ones of some numbers."""

    def __init__(self) -> None:
        self.count = 0
        self.sum = 0.0
        self.peak: float | None = None

    def add(self, value: float) -> None:
        if math.isfinite(value):
            self.count += 1
            self.sum += value
            self.peak = value if self.peak is None else max(self.peak, value)

    @property
    def mean(self) -> float | None:
        return self.sum / self.count if self.count else None


class ResourceCollector(Collector):
    """Adds up the samples of one container in its window.

    Attributes:
        what: The container in words.
        samples: Samples in the window.
    """

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        spec: Any = planned.spec
        self.vehicle: str = planned.resolved["vehicle"]
        self.role: str = spec.container
        self.what = f"the {'stack' if self.role == 'vehicle' else 'bridge'} of {self.vehicle}"
        self.after_s, self.until_s = window_of(spec)
        self.samples = 0
        self._cpu = _Figure()
        self._memory = _Figure()

    def subjects(self) -> tuple[Subject, ...]:
        """The container's samples."""
        return (("resource", self.vehicle, self.role),)

    def on_sample(self, sample: Sample, t: float) -> None:
        """Take a sample of the window."""
        self.take(sample, t)

    def take(self, sample: Sample, t: float) -> bool:
        """Do the same, and return whether it lay in the window."""
        if not self.after_s <= t <= self.until_s:
            return False
        self.samples += 1
        self._cpu.add(sample.data["cpu_pct"])
        self._memory.add(sample.data["memory_mb"])
        return True

    def missing(self) -> str:
        """The container was not sampled."""
        return "" if self.samples else f"{self.what} was not sampled"

    def evidence(self) -> Mapping[str, Any]:
        """The figures."""
        return {name: value for name, (value, _) in self.metrics().items()}

    def metrics(self) -> Metrics:
        """Percent of a core, MiB, and the number of samples."""
        return {
            "peak_cpu_pct": (rounded(self._cpu.peak), "%"),
            "mean_cpu_pct": (rounded(self._cpu.mean), "%"),
            "peak_memory_mb": (rounded(self._memory.peak), "MiB"),
            "mean_memory_mb": (rounded(self._memory.mean), "MiB"),
            "samples": (self.samples, ""),
        }


class SlidingMean:
    """The mean of the numbers of the last seconds, once a whole window of them is covered.

    A number stands for the second before it. The window (t - window, t] is covered when it reaches
    back no further than the first number, and not before `after_s`.

    Args:
        window_s: Seconds.
        after_s: When numbers begin to count.
    """

    PERIOD_S = 1.0

    def __init__(self, window_s: float, after_s: float) -> None:
        self._window_s = window_s
        self._after_s = after_s
        self._covered_from_s: float | None = None
        self._kept: deque[tuple[float, float]] = deque()

    def add(self, t: float, value: float) -> float | None:
        """Take a number; return the mean of the window that ends there, None until it is covered.

        A number older than the last one is left out.
        """
        if self._kept and t < self._kept[-1][0]:
            return None
        if self._covered_from_s is None:
            self._covered_from_s = max(self._after_s, t - self.PERIOD_S)
        self._kept.append((t, value))
        begin = t - self._window_s
        while self._kept[0][0] <= begin:
            self._kept.popleft()
        return self.mean if begin >= self._covered_from_s else None

    @property
    def mean(self) -> float | None:
        """The mean of what is in the window, whether it is covered or not."""
        kept = self._kept
        return sum(value for _, value in kept) / len(kept) if kept else None
