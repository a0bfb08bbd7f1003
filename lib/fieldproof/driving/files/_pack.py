from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, model_validator

from fieldproof.driving.files._names import Identifier, InnerFile, Sha256, Tag, Version
from fieldproof.model import Problem, Strict, faults


class PackScenario(Strict):
    """One scenario of a pack."""

    file: InnerFile = Field(description="The scenario, inside the pack.")
    id: Identifier
    tags: Annotated[list[Tag], Field(min_length=1, max_length=100)] = Field(
        description="Canonical tags; a scenario without tags of its own has these."
    )
    sha256: Sha256


class PackManifest(Strict):
    """`pack.yaml`: what a pack is and what it holds."""

    id: Identifier
    name: Annotated[str, Field(min_length=1, max_length=200)]
    version: Version
    domain: Annotated[str, Field(min_length=1, max_length=100)]
    task_type: Annotated[str, Field(min_length=1, max_length=100)]
    description: Annotated[str, Field(max_length=10_000)] = ""
    license: Annotated[str, Field(max_length=100)] = ""
    scenarios: Annotated[list[PackScenario], Field(min_length=1, max_length=10_000)]

    @model_validator(mode="after")
    def _unique(self) -> "PackManifest":
        found = list(self._duplicates())
        if found:
            raise faults("PackManifest", found)
        return self

    def _duplicates(self) -> Iterator[Problem]:
        for key in ("id", "file"):
            seen: set[str] = set()
            for place, scenario in enumerate(self.scenarios):
                value = getattr(scenario, key)
                if value in seen:
                    yield Problem(f"{value} is taken", ("scenarios", place, key))
                seen.add(value)
