from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode

from fieldproof.driving.artefacts._closed_loop import Metrics, SuiteProvenance, Summary
from fieldproof.driving.artefacts._config import Config
from fieldproof.driving.artefacts._episode import (
    Frame,
    StepLine,
    Timeline,
    TimelineEvents,
    Ways,
)
from fieldproof.driving.artefacts._history import Baseline, Failures, Regression
from fieldproof.driving.artefacts._open_loop import (
    OpenLoopMetrics,
    OpenLoopProvenance,
    OpenLoopSummary,
    Prediction,
    SampleMetrics,
)
from fieldproof.driving.files import PackManifest, ScenarioFile, SuiteFile

_DIALECT = "https://json-schema.org/draft/2020-12/schema"

MODELS: Mapping[str, type[BaseModel]] = {
    "scenario": ScenarioFile,
    "suite": SuiteFile,
    "pack": PackManifest,
    "config": Config,
    "summary": Summary,
    "provenance": SuiteProvenance,
    "metrics": Metrics,
    "regression": Regression,
    "failures": Failures,
    "baseline": Baseline,
    "frame": Frame,
    "step": StepLine,
    "timeline": Timeline,
    "timeline_events": TimelineEvents,
    "geojson": Ways,
    "openloop_summary": OpenLoopSummary,
    "openloop_provenance": OpenLoopProvenance,
    "openloop_metrics": OpenLoopMetrics,
    "openloop_prediction": Prediction,
    "openloop_sample_metrics": SampleMetrics,
}
"""The files, and lines of files, that have a schema."""

_MODE: JsonSchemaMode = "validation"


def schema_of(name: str) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a kind of file by its name in `MODELS`."""
    schema = MODELS[name].model_json_schema(mode=_MODE)
    return {"$schema": _DIALECT, "title": name, **{k: v for k, v in schema.items() if k != "title"}}
