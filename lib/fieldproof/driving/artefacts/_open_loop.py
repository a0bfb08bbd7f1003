"""The files of an open-loop run, as models."""

from typing import Any, Literal

from pydantic import Field

from fieldproof.driving.artefacts._closed_loop import (
    Artefact,
    Count,
    Provenance,
    Sha256,
    Share,
    SummaryHead,
    Version,
)


class OpenLoopFigures(Artefact):
    """What all samples measured together; metres, shares, milliseconds."""

    trajectory_ade: float | None = Field(description="None where no sample has a trajectory.")
    trajectory_fde: float | None
    miss_rate: Share | None
    control_error: float | None
    steer_mae: float | None
    throttle_mae: float | None
    brake_mae: float | None
    occupancy_iou: Share
    detection_map: Share
    sample_count: Count
    missing_samples: Count
    prediction_latency_ms: float | None = Field(
        description="Mean wall clock of a prediction; None in a hermetic run."
    )


class OpenLoopMetrics(Artefact):
    """metrics.json and openloop/aggregate_metrics.json of an open-loop run."""

    schema_version: Version
    openloop: OpenLoopFigures
    definitions: dict[str, str] = Field(description="How each figure is defined.")
    complete: bool


class OpenLoopProvenance(Provenance):
    """provenance.json of an open-loop run."""

    dataset_path: str
    dataset_hash: Sha256
    dataset_metadata_hash: Sha256 | None
    dataset_sample_hashes: dict[str, Sha256]
    dataset_annotation_hashes: dict[str, Sha256]


class OpenLoopSummary(SummaryHead):
    """summary.json of an open-loop run."""

    task: str
    sample_count: Count
    openloop: OpenLoopFigures
    provenance: OpenLoopProvenance


class Prediction(Artefact):
    """A line of openloop/predictions.jsonl."""

    sample_id: str
    prediction: dict[str, Any] | None
    fault: str | None


class SampleMetrics(Artefact):
    """A line of openloop/per_sample_metrics.jsonl."""

    sample_id: str
    status: Literal["ok", "missing"]
    fault: str | None = Field(default=None, description="Why it is missing, or what it lacks.")
    metrics: dict[str, Any]
