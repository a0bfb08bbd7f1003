from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from pydantic import Field, model_validator

from fieldproof.assertions._checker import Checker
from fieldproof.model import (
    AssertionBase,
    Duration,
    NonNegativeDuration,
    PositiveDuration,
    Problem,
    faults,
)
from fieldproof.plan import PlanContext, PlannedAssertion, Watch

AssertionSpec = type[AssertionBase]


class AssertionType:
    """A kind of assertion: what the scenario writes, what it means there, and who checks it."""

    type: ClassVar[str]
    """What an assertion writes as its type."""
    Spec: ClassVar[AssertionSpec]
    """The specification: `name`, `on_fail`, `type` as a literal, and the parameters."""
    summary: ClassVar[str]
    """What must hold, in a sentence."""
    metrics: ClassVar[Mapping[str, str]] = {}
    """What its checker measures: a sentence for each name."""

    def plan(self, spec: Any, context: PlanContext) -> PlannedAssertion:
        """Return the assertion with its names resolved in this scenario.

        Raises:
            ScenarioError: It cannot be checked in this scenario.
        """
        raise NotImplementedError

    def checker(self, planned: PlannedAssertion) -> Checker:
        """Return what follows the stream for it."""
        raise NotImplementedError

    def watches(self, planned: PlannedAssertion) -> Iterable[Watch]:
        """Return what the observer must look at: the plan's own, and the model it reads."""
        if planned.model is not None:
            return (*planned.watches, Watch("model", model=planned.model))
        return planned.watches


class WindowedSpec(AssertionBase):
    """An assertion with a window of time."""

    after_s: NonNegativeDuration = Field(
        default=Duration(), description="Grace period after the timeline starts."
    )
    within_s: PositiveDuration | None = Field(
        default=None, description="The window's end; the timeline's when absent."
    )

    @model_validator(mode="after")
    def _window_is_open(self) -> "WindowedSpec":
        if self.within_s is not None and self.within_s <= self.after_s:
            problem = Problem("must be later than after_s", ("within_s",), f"{self.after_s}")
            raise faults(type(self).__name__, [problem])
        return self
