from collections.abc import Mapping
from functools import cache

from fieldproof.kpis._collector import CollectorType
from fieldproof.kpis._distance import DistanceType
from fieldproof.kpis._latency import LatencyType
from fieldproof.kpis._mission_time import MissionTimeType
from fieldproof.kpis._path import PathType
from fieldproof.kpis._rate import RateType
from fieldproof.kpis._resources import ResourcesType
from fieldproof.kpis._value import ValueType
from fieldproof.plan.registry import Registry, registered

BUILT_IN: tuple[type[CollectorType], ...] = (
    PathType,
    MissionTimeType,
    DistanceType,
    RateType,
    LatencyType,
    ResourcesType,
    ValueType,
)


def kpi_registry() -> Registry[CollectorType]:
    """Return the collectors known by their type. There are no plugins of them."""
    return registered(BUILT_IN, (), lambda kind: (kind.type, kind()))  # type: ignore[attr-defined, operator]


@cache
def kpi_types() -> Mapping[str, CollectorType]:
    """Return the collectors known by their type."""
    return kpi_registry().kinds
