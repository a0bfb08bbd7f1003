"""What must hold of a run: assertion types, their checkers, and the evaluator that feeds them."""

from fieldproof.assertions._always import Always, AlwaysType
from fieldproof.assertions._checker import Checker, WindowedChecker
from fieldproof.assertions._evaluator import Evaluator
from fieldproof.assertions._eventually import Eventually, EventuallyType
from fieldproof.assertions._geofence import Geofence, GeofenceType
from fieldproof.assertions._lifecycle_state import LifecycleState, LifecycleStateType
from fieldproof.assertions._message_latency import MessageLatency, MessageLatencyType
from fieldproof.assertions._min_distance import MinDistance, MinDistanceType
from fieldproof.assertions._mission_time import MissionTime, MissionTimeType
from fieldproof.assertions._never import Never, NeverType
from fieldproof.assertions._no_collision import NoCollision, NoCollisionType
from fieldproof.assertions._path_efficiency import PathEfficiency, PathEfficiencyType
from fieldproof.assertions._prepared import EvaluationError
from fieldproof.assertions._reach_pose import ReachPose, ReachPoseType
from fieldproof.assertions._registry import GROUP, assertion_registry, assertion_types, checked_type
from fieldproof.assertions._resource_usage import ResourceUsage, ResourceUsageType
from fieldproof.assertions._result import FAILED, PASSED, PENDING, SKIPPED, Result
from fieldproof.assertions._sequence import Sequence, SequenceType
from fieldproof.assertions._topic_rate import TopicRate, TopicRateType
from fieldproof.assertions._topic_value import TopicValue, TopicValueType
from fieldproof.assertions._type import AssertionSpec, AssertionType, WindowedSpec
from fieldproof.assertions._within_time import WithinTime, WithinTimeType
from fieldproof.plan import PlanContext, PlannedAssertion, Watch
from fieldproof.plan.registry import PluginError, PluginProblem, Registry
from fieldproof.samples import Sample

__all__ = [
    "FAILED",
    "GROUP",
    "PASSED",
    "PENDING",
    "SKIPPED",
    "Always",
    "AlwaysType",
    "AssertionSpec",
    "AssertionType",
    "Checker",
    "EvaluationError",
    "Evaluator",
    "Eventually",
    "EventuallyType",
    "Geofence",
    "GeofenceType",
    "LifecycleState",
    "LifecycleStateType",
    "MessageLatency",
    "MessageLatencyType",
    "MinDistance",
    "MinDistanceType",
    "MissionTime",
    "MissionTimeType",
    "Never",
    "NeverType",
    "NoCollision",
    "NoCollisionType",
    "PathEfficiency",
    "PathEfficiencyType",
    "PlanContext",
    "PlannedAssertion",
    "PluginError",
    "PluginProblem",
    "ReachPose",
    "ReachPoseType",
    "Registry",
    "ResourceUsage",
    "ResourceUsageType",
    "Result",
    "Sample",
    "Sequence",
    "SequenceType",
    "TopicRate",
    "TopicRateType",
    "TopicValue",
    "TopicValueType",
    "Watch",
    "WindowedChecker",
    "WindowedSpec",
    "WithinTime",
    "WithinTimeType",
    "assertion_registry",
    "assertion_types",
    "checked_type",
]
