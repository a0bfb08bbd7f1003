"""What a run was made of, where and when, as far as it can be found out."""

from fieldproof.driving.provenance._compose import dataset_provenance, suite_provenance
from fieldproof.driving.provenance._placeless import (
    new_folder,
    placeless_agent,
    placeless_suite,
)
from fieldproof.driving.provenance._surroundings import (
    HERMETIC,
    Surroundings,
    collect_surroundings,
)

__all__ = [
    "HERMETIC",
    "Surroundings",
    "collect_surroundings",
    "dataset_provenance",
    "new_folder",
    "placeless_agent",
    "placeless_suite",
    "suite_provenance",
]
