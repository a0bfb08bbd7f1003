import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from fieldproof.assertions._checker import WindowedChecker
from fieldproof.assertions._result import FAILED, PASSED
from fieldproof.assertions._type import AssertionSpec, AssertionType, WindowedSpec
from fieldproof.kpis import (
    ContainerParameters,
    Metrics,
    ResourceCollector,
    SlidingMean,
    number,
    planned_container,
    rounded,
)
from fieldproof.model import NS_PER_S, Duration, PositiveDuration, Problem, faults
from fieldproof.plan import PlanContext, PlannedAssertion
from fieldproof.samples import Sample, Subject


class ResourceUsage(ContainerParameters, WindowedSpec):
    """A container of the vehicle stays within a footprint."""

    type: Literal["resource_usage"]
    max_cpu_pct: Annotated[float, Field(gt=0, le=1e6)] | None = Field(
        default=None, description="CPU limit in percent of a core, for the mean over window_s."
    )
    max_memory_mb: Annotated[float, Field(gt=0, le=1e9)] | None = Field(
        default=None, description="Memory limit in MiB, for every sample."
    )
    window_s: PositiveDuration = Field(
        default=Duration(5 * NS_PER_S), description="Over which the CPU's mean is taken."
    )

    @model_validator(mode="after")
    def _has_a_limit(self) -> "ResourceUsage":
        if self.max_cpu_pct is None and self.max_memory_mb is None:
            problem = Problem("must have max_cpu_pct, max_memory_mb or both")
            raise faults("ResourceUsage", [problem])
        return self


class ResourceUsageType(AssertionType):
    """A container takes no more CPU and memory than it may.

    Memory is judged on every sample of the window of time; CPU on the mean over `window_s`, once
    samples, of which each stands for a second, cover it. Where the window of time closes before
    that, the mean of what there is is judged then. A sample that comes out of order counts for
    memory, and not for the CPU's mean; over a gap the mean is of what there is.
    Passes at the end of the window of time if nothing was above its limit.
    Fails at the first sample above the memory limit, or the first mean above the CPU's.
    No data: fails at the end if the container was not sampled.
    NaN: a needed number that is not finite fails.
    End of the timeline: ends a window of time that is still open.
    """

    type: ClassVar[str] = "resource_usage"
    Spec: ClassVar[AssertionSpec] = ResourceUsage
    summary: ClassVar[str] = "A container of the vehicle stays within a footprint."
    metrics: ClassVar[Mapping[str, str]] = {
        "peak_cpu_pct": "highest sample, in percent of a core",
        "mean_cpu_pct": "mean of the samples, in percent of a core",
        "peak_memory_mb": "highest sample, in MiB",
        "mean_memory_mb": "mean of the samples, in MiB",
        "samples": "samples in the window",
    }

    def plan(self, spec: ResourceUsage, context: PlanContext) -> PlannedAssertion:
        """Return the assertion with its vehicle checked."""
        return planned_container(spec, context)

    def checker(self, planned: PlannedAssertion) -> "ResourceUsageChecker":
        """Return the checker."""
        return ResourceUsageChecker(planned)


class ResourceUsageChecker(WindowedChecker):
    """Judges each sample of one container."""

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, ResourceUsage)
        self._spec = planned.spec
        self._resources = ResourceCollector(planned)
        self._mean = SlidingMean(planned.spec.window_s.seconds, self.after_s)
        self._covered = False
        self._violation: dict[str, Any] | None = None

    def subjects(self) -> tuple[Subject, ...]:
        """The container's samples."""
        return self._resources.subjects()

    def on_sample(self, sample: Sample, t: float) -> None:
        """Judge a sample."""
        if not self._resources.take(sample, t) or self.result is not None:
            return
        cpu, memory = sample.data["cpu_pct"], sample.data["memory_mb"]
        mean = self._mean.add(t, cpu)
        self.note(t, sample, cpu_pct=cpu, memory_mb=memory, mean_cpu_pct=_shown(mean))
        most = self._spec.max_memory_mb
        if most is not None and not memory <= most:
            why = f"{self._resources.what} took {number(memory, most)} MiB at {number(t)} s"
            limit = f"at most {number(most, memory)} MiB"
            self._violate({"memory_mb": memory}, f"{why} ({limit})", sample, t)
        if mean is not None:
            self._covered = True
            self._judge_cpu(mean, sample, t)

    def on_window_end(self, t: float, when: str) -> None:
        """Pass if there was a sample."""
        missing = self._resources.missing()
        if missing:
            self.resolve(FAILED, f"{missing} {when}", t)
            return
        if not self._covered and self._mean.mean is not None:
            self._judge_cpu(self._mean.mean, None, t)
        self.resolve(PASSED, f"{self._resources.what} stayed within {self._limits()}", t)

    def evidence(self) -> Mapping[str, Any]:
        """The figures, and what was above its limit."""
        shown = self._resources.evidence()
        return shown if self._violation is None else {**shown, "violation": self._violation}

    def metrics(self) -> Metrics:
        """Percent of a core, MiB, and the number of samples."""
        return self._resources.metrics()

    def _judge_cpu(self, mean: float, sample: Sample | None, t: float) -> None:
        most = self._spec.max_cpu_pct
        if most is None or mean <= most:
            return
        length = self._spec.window_s.to_number()
        over = f"over {length} s" if self._covered else f"over less than {length} s"
        took = f"{number(mean, most)} % of a core {over} up to {number(t)} s"
        data = {"mean_cpu_pct": _shown(mean), "window_s": length}
        limit = f"at most {number(most, mean)} %"
        self._violate(data, f"{self._resources.what} took {took} ({limit})", sample, t)

    def _violate(self, what: Mapping[str, Any], why: str, sample: Sample | None, t: float) -> None:
        if self.result is None:
            sim = None if sample is None else sample.sim
            self._violation = {"t_s": t, "sim_s": sim, **what}
            self.resolve(FAILED, why, t, sim)

    def _limits(self) -> str:
        cpu, memory = self._spec.max_cpu_pct, self._spec.max_memory_mb
        limits = [f"{number(cpu)} % of a core"] if cpu is not None else []
        return " and ".join([*limits, *([f"{number(memory)} MiB"] if memory is not None else [])])


def _shown(mean: float | None) -> float | None:
    return rounded(mean) if mean is not None and math.isfinite(mean) else mean
