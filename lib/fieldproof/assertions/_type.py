from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from fieldproof.assertions._checker import Checker
from fieldproof.kpis import Window, watches_of
from fieldproof.model import AssertionBase
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
    passes_without_data: ClassVar[bool] = False
    """Whether it is meant to pass when nothing that it reads was seen, as of what must not be."""

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
        return watches_of(planned)


class WindowedSpec(Window, AssertionBase):
    """An assertion with a window of time."""
