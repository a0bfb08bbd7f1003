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
from fieldproof.model._manifest import VehicleManifest
from fieldproof.model._names import FieldPath, FileName, Label, MessageType, Name, TopicName
from fieldproof.model._placements import Metres, Placement, Pose, Radians
from fieldproof.model._problems import (
    Path,
    Problem,
    ScenarioError,
    fault,
    faults,
    nearest,
    path_text,
    printable,
    shown,
)
from fieldproof.model._sensors import Sensor
from fieldproof.model._signals import Signal, When
from fieldproof.model._strict import Strict
from fieldproof.model._world import World

__all__ = [
    "NS_PER_S",
    "AssertionBase",
    "Condition",
    "ConditionError",
    "ConditionEvaluationError",
    "Duration",
    "FieldPath",
    "FileName",
    "KpiBase",
    "Label",
    "MessageType",
    "Metres",
    "Name",
    "NonNegativeDuration",
    "Path",
    "Placement",
    "Pose",
    "PositiveDuration",
    "Problem",
    "Radians",
    "ScenarioError",
    "Sensor",
    "Signal",
    "Strict",
    "TimelineBase",
    "TopicName",
    "ValueCondition",
    "VehicleManifest",
    "When",
    "World",
    "canonical_document",
    "canonical_json",
    "compile_condition",
    "digest_of",
    "fault",
    "faults",
    "nearest",
    "path_text",
    "printable",
    "shown",
    "signal_name_fault",
]
