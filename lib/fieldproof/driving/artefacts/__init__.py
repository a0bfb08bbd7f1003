"""The files that runs, baselines and failures are kept in: their models, versions and schemas."""

from fieldproof.driving.artefacts._closed_loop import (
    Artefact,
    AssertionEntry,
    AssertionSummary,
    Event,
    Metrics,
    Provenance,
    ScenarioEntry,
    SuiteProvenance,
    Summary,
    SummaryHead,
)
from fieldproof.driving.artefacts._config import Config
from fieldproof.driving.artefacts._episode import (
    Frame,
    StepLine,
    Timeline,
    TimelineEvents,
    Ways,
)
from fieldproof.driving.artefacts._history import (
    FAILURE_STATUSES,
    Baseline,
    Failure,
    Failures,
    FailureStatus,
    Regression,
)
from fieldproof.driving.artefacts._open_loop import (
    OpenLoopFigures,
    OpenLoopMetrics,
    OpenLoopProvenance,
    OpenLoopSummary,
    Prediction,
    SampleMetrics,
)
from fieldproof.driving.artefacts._schemas import MODELS, schema_of
from fieldproof.driving.artefacts._version import (
    SCHEMA_VERSION,
    ArtefactError,
    read_artefact,
    read_json_and_hash,
    read_json_file,
)

__all__ = [
    "FAILURE_STATUSES",
    "MODELS",
    "SCHEMA_VERSION",
    "Artefact",
    "ArtefactError",
    "AssertionEntry",
    "AssertionSummary",
    "Baseline",
    "Config",
    "Event",
    "Failure",
    "FailureStatus",
    "Failures",
    "Frame",
    "Metrics",
    "OpenLoopFigures",
    "OpenLoopMetrics",
    "OpenLoopProvenance",
    "OpenLoopSummary",
    "Prediction",
    "Provenance",
    "Regression",
    "SampleMetrics",
    "ScenarioEntry",
    "StepLine",
    "SuiteProvenance",
    "Summary",
    "SummaryHead",
    "Timeline",
    "TimelineEvents",
    "Ways",
    "read_artefact",
    "read_json_and_hash",
    "read_json_file",
    "schema_of",
]
