"""The files that compare runs and follow failures, as models."""

from typing import Literal, get_args

from pydantic import Field

from fieldproof.driving.artefacts._closed_loop import Artefact, Count, Version
from fieldproof.driving.files import Severity

FailureStatus = Literal[
    "open", "acknowledged", "assigned", "in_progress", "fixed", "verified", "regressed", "wont_fix"
]
FAILURE_STATUSES: tuple[FailureStatus, ...] = get_args(FailureStatus)


class Delta(Artefact):
    """How a figure differs from the baseline's."""

    current: float
    baseline: float
    delta: float
    percent: float | None = Field(
        description="Of the baseline; None where that is 0 and the figure is not."
    )
    direction: Literal["higher_is_better", "lower_is_better"]
    regressed: bool


class ScenarioChange(Artefact):
    """A scenario that ended otherwise than in the baseline."""

    scenario_id: str
    change: Literal["regressed", "fixed", "missing", "added", "changed"] = Field(
        description="`changed`: its file is another, so nothing can be compared."
    )


class Regression(Artefact):
    """regression.json."""

    schema_version: Version
    status: Literal["pass", "fail"]
    failures: list[str]
    gates: list[str] = Field(
        default_factory=list, description="Those failures that are the run's own."
    )
    deltas: dict[str, Delta]
    baseline: str | None = Field(description="The baseline's name; None without one.")
    max_regression_percent: float
    scenarios: list[ScenarioChange]


class StatusChange(Artefact):
    """One step of a failure's life."""

    changed_at: str
    from_status: FailureStatus
    to_status: FailureStatus


class Failure(Artefact):
    """One failure of failures.json."""

    failure_id: str
    run_id: str | None
    scenario_id: str | None
    sample_id: str | None
    timestamp: float | None
    frame_index: Count | None
    replay_path: str | None
    replay_url: str | None
    severity: Severity
    tags: list[str]
    reason: str | None = Field(
        default=None,
        description="Why the scenario failed, which no change touches; None in older runs.",
    )
    notes: str = Field(
        description="What is to be said of it: the reason, until somebody says something else."
    )
    owner: str | None
    status: FailureStatus
    fixed_in_run_id: str | None
    regressed_in_run_id: str | None
    status_history: list[StatusChange]
    created_at: str | None


class Failures(Artefact):
    """failures.json."""

    schema_version: Version
    run_id: str | None
    failures: list[Failure]


class Baseline(Artefact):
    """baseline.json, which makes a folder a baseline."""

    schema_version: Version = "1.0"
    name: str
    source_run_id: str
    source_run_dir: str
    created_at: str
    description: str
    path: str
