from typing import Any, Literal

from fieldproof.driving.artefacts._closed_loop import Artefact, Version


class Config(Artefact):
    """config.yaml: what a run was asked to do."""

    schema_version: Version
    kind: Literal["closed_loop", "open_loop"]
    agent: str
    limits: dict[str, float]
    suite: str | None = None
    suite_id: str | None = None
    scenarios: list[str] | None = None
    baseline: str | None = None
    gates: dict[str, Any] | None = None
    dataset: str | None = None
    task: str | None = None
