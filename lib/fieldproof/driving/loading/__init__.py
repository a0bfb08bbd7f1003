"""Driving scenarios and suites, read with their positions and checked as a whole."""

from fieldproof.driving.loading._placed import in_order, mapping_in, part_of, placed
from fieldproof.driving.loading._scenario import (
    DRIVING,
    DRONE,
    MANIPULATOR,
    Assertion,
    LoadedScenario,
    load_scenario,
    tags_of,
    task_type_of,
)
from fieldproof.driving.loading._suite import LoadedSuite, find_suites, load_suite
from fieldproof.driving.loading._tags import MANIFEST, canonical_tags

__all__ = [
    "DRIVING",
    "DRONE",
    "MANIFEST",
    "MANIPULATOR",
    "Assertion",
    "LoadedScenario",
    "LoadedSuite",
    "canonical_tags",
    "find_suites",
    "in_order",
    "load_scenario",
    "load_suite",
    "mapping_in",
    "part_of",
    "placed",
    "tags_of",
    "task_type_of",
]
