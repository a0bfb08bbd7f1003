"""Driving scenarios and suites, read with their positions and checked as a whole."""

from fieldproof.driving.loading._kind import (
    DRIVING_SCENARIO,
    DRIVING_SUITE,
    PACK,
    ROBOT_SCENARIO,
    kind_of,
    kind_of_file,
    kind_of_text,
)
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
    "DRIVING_SCENARIO",
    "DRIVING_SUITE",
    "DRONE",
    "MANIFEST",
    "MANIPULATOR",
    "PACK",
    "ROBOT_SCENARIO",
    "Assertion",
    "LoadedScenario",
    "LoadedSuite",
    "canonical_tags",
    "find_suites",
    "in_order",
    "kind_of",
    "kind_of_file",
    "kind_of_text",
    "load_scenario",
    "load_suite",
    "mapping_in",
    "part_of",
    "placed",
    "tags_of",
    "task_type_of",
]
