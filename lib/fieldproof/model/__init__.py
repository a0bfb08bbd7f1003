"""What people write: scenarios, worlds and vehicle manifests, read with their positions."""

from fieldproof.model._bases import AssertionBase, KpiBase, TimelineBase
from fieldproof.model._canonical import canonical_document, canonical_json, digest_of
from fieldproof.model._conditions import (
    Condition,
    ConditionError,
    ConditionEvaluationError,
    ValueCondition,
    compile_condition,
    signal_name_fault,
)
from fieldproof.model._durations import (
    NS_PER_S,
    Duration,
    NonNegativeDuration,
    PositiveDuration,
)
from fieldproof.model._fields import find_value, parts_of
from fieldproof.model._files import read_plain_file
from fieldproof.model._manifest import VehicleManifest
from fieldproof.model._names import (
    FieldPath,
    FileName,
    Label,
    MessageType,
    Name,
    Namespace,
    TopicName,
)
from fieldproof.model._overlay import Folders, Overlay, Workspace, overlay_words
from fieldproof.model._placements import Metres, Placement, Pose, Radians
from fieldproof.model._problems import (
    Path,
    Problem,
    ScenarioError,
    counted,
    fault,
    faults,
    legible,
    nearest,
    path_text,
    printable,
    shown,
)
from fieldproof.model._reader import (
    read_yaml,
    read_yaml_file,
    read_yaml_file_in_part,
)
from fieldproof.model._recording_map import PoseSource, RecordingMap
from fieldproof.model._salvage import Salvage, read_in_part
from fieldproof.model._scenario import Draft, Scenario, draft_scenario, load_scenario
from fieldproof.model._schema import document_schema, scenario_schema
from fieldproof.model._sensors import Sensor
from fieldproof.model._settings import Mode, Outputs, RunBudget, TimeSettings, VehicleSettings
from fieldproof.model._signals import Signal, When
from fieldproof.model._source import Document, InPart, SourceMap
from fieldproof.model._strict import Strict
from fieldproof.model._text_form import TextForm
from fieldproof.model._toml import read_workspace_file
from fieldproof.model._validate import validate_document, validated
from fieldproof.model._world import World

__all__ = [
    "NS_PER_S",
    "AssertionBase",
    "Condition",
    "ConditionError",
    "ConditionEvaluationError",
    "Document",
    "Draft",
    "Duration",
    "FieldPath",
    "FileName",
    "Folders",
    "InPart",
    "KpiBase",
    "Label",
    "MessageType",
    "Metres",
    "Mode",
    "Name",
    "Namespace",
    "NonNegativeDuration",
    "Outputs",
    "Overlay",
    "Path",
    "Placement",
    "Pose",
    "PoseSource",
    "PositiveDuration",
    "Problem",
    "Radians",
    "RecordingMap",
    "RunBudget",
    "Salvage",
    "Scenario",
    "ScenarioError",
    "Sensor",
    "Signal",
    "SourceMap",
    "Strict",
    "TextForm",
    "TimeSettings",
    "TimelineBase",
    "TopicName",
    "ValueCondition",
    "VehicleManifest",
    "VehicleSettings",
    "When",
    "Workspace",
    "World",
    "canonical_document",
    "canonical_json",
    "compile_condition",
    "counted",
    "digest_of",
    "document_schema",
    "draft_scenario",
    "fault",
    "faults",
    "find_value",
    "legible",
    "load_scenario",
    "nearest",
    "overlay_words",
    "parts_of",
    "path_text",
    "printable",
    "read_in_part",
    "read_plain_file",
    "read_workspace_file",
    "read_yaml",
    "read_yaml_file",
    "read_yaml_file_in_part",
    "scenario_schema",
    "shown",
    "signal_name_fault",
    "validate_document",
    "validated",
]
