from typing import Annotated

from pydantic import Field

from fieldproof.driving.files._names import Identifier
from fieldproof.model import Strict

MOST_SCENARIOS = 100_000


class Gates(Strict):
    """What a suite must reach; a gate that is absent is not asked, but every scenario must pass."""

    min_success_rate: Annotated[float, Field(ge=0, le=1)] = Field(
        default=1.0, description="The share of scenarios that pass."
    )
    max_collisions: Annotated[int, Field(ge=0)] | None = Field(
        default=None, description="Collisions of all scenarios together."
    )
    max_regression_percent: Annotated[float, Field(ge=0, le=1e6)] | None = Field(
        default=None, description="How much worse than the baseline a figure may be."
    )
    min_safety_score: Annotated[float, Field(ge=0, le=100)] | None = None


class SuiteFile(Strict):
    """A suite as it is written."""

    id: Identifier
    name: Annotated[str, Field(min_length=1, max_length=200)]
    description: Annotated[str, Field(max_length=10_000)] = ""
    scenarios: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=1000)]],
        Field(min_length=1, max_length=MOST_SCENARIOS),
    ] = Field(description="Scenario files, as seen from the suite's folder.")
    gates: Gates = Field(default_factory=Gates)
