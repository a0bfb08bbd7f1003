import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Literal, get_args, get_origin

from fieldproof.assertions._always import AlwaysType
from fieldproof.assertions._eventually import EventuallyType
from fieldproof.assertions._geofence import GeofenceType
from fieldproof.assertions._lifecycle_state import LifecycleStateType
from fieldproof.assertions._message_latency import MessageLatencyType
from fieldproof.assertions._min_distance import MinDistanceType
from fieldproof.assertions._mission_time import MissionTimeType
from fieldproof.assertions._never import NeverType
from fieldproof.assertions._no_collision import NoCollisionType
from fieldproof.assertions._path_efficiency import PathEfficiencyType
from fieldproof.assertions._reach_pose import ReachPoseType
from fieldproof.assertions._resource_usage import ResourceUsageType
from fieldproof.assertions._sequence import SequenceType
from fieldproof.assertions._topic_rate import TopicRateType
from fieldproof.assertions._topic_value import TopicValueType
from fieldproof.assertions._type import AssertionType
from fieldproof.assertions._within_time import WithinTimeType
from fieldproof.model import AssertionBase
from fieldproof.plan.registry import PluginError, Registry, registered

GROUP = "fieldproof.assertions"
BUILT_IN: tuple[type[AssertionType], ...] = (
    ReachPoseType,
    WithinTimeType,
    TopicRateType,
    NoCollisionType,
    TopicValueType,
    GeofenceType,
    MinDistanceType,
    PathEfficiencyType,
    MissionTimeType,
    MessageLatencyType,
    SequenceType,
    ResourceUsageType,
    LifecycleStateType,
    AlwaysType,
    NeverType,
    EventuallyType,
)

_TYPE = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*\Z")


def assertion_registry(plugins: Iterable[EntryPoint] | None = None) -> Registry[AssertionType]:
    """Return the assertion types known by their name, and the plugins that were left out.

    Args:
        plugins: Entry points to load; those installed under `fieldproof.assertions` when None.
    """
    points = entry_points(group=GROUP) if plugins is None else plugins
    return registered(BUILT_IN, points, checked_type)


@cache
def assertion_types() -> Mapping[str, AssertionType]:
    """Return the assertion types known by their name: the built-in ones and those of plugins."""
    return assertion_registry().kinds


def checked_type(candidate: object) -> tuple[str, AssertionType]:
    """Return an assertion type's name and an instance of it.

    Raises:
        PluginError: It is no assertion type; says what it lacks.
    """
    if not (isinstance(candidate, type) and issubclass(candidate, AssertionType)):
        what = "is not a class that derives from fieldproof.assertions.AssertionType"
        raise PluginError(what)
    name = getattr(candidate, "type", None)
    if not isinstance(name, str) or not _TYPE.match(name):
        raise PluginError(f"type must be a name such as example.visits_waypoints (got {name!r})")
    spec = getattr(candidate, "Spec", None)
    if not (isinstance(spec, type) and issubclass(spec, AssertionBase)):
        raise PluginError("Spec does not derive from AssertionBase")
    annotation = spec.model_fields["type"].annotation
    if get_origin(annotation) is not Literal or get_args(annotation) != (name,):
        raise PluginError(f'type of {spec.__name__} must be Literal["{name}"]')
    if not isinstance(getattr(candidate, "summary", None), str):
        raise PluginError("has no summary")
    for hook in ("plan", "checker"):
        if getattr(candidate, hook) is getattr(AssertionType, hook):
            raise PluginError(f"does not override {hook}")
    return name, candidate()
