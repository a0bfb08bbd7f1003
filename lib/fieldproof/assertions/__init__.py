"""What must hold of a run: assertion types, their checkers, and the evaluator that feeds them."""

from fieldproof.assertions._checker import Checker, WindowedChecker
from fieldproof.assertions._evaluator import EvaluationError, Evaluator
from fieldproof.assertions._no_collision import NoCollision, NoCollisionType
from fieldproof.assertions._reach_pose import ReachPose, ReachPoseType
from fieldproof.assertions._registry import (
    GROUP,
    assertion_registry,
    assertion_types,
    checked_type,
)
from fieldproof.assertions._result import FAILED, PASSED, PENDING, SKIPPED, Result
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
    "AssertionSpec",
    "AssertionType",
    "Checker",
    "EvaluationError",
    "Evaluator",
    "NoCollision",
    "NoCollisionType",
    "PlanContext",
    "PlannedAssertion",
    "PluginError",
    "PluginProblem",
    "ReachPose",
    "ReachPoseType",
    "Registry",
    "Result",
    "Sample",
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
