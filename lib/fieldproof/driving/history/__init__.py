"""Runs beside each other: baselines, what regressed, and the life of a failure."""

from fieldproof.driving.history._baselines import (
    BaselineFolder,
    BaselinesFolder,
    read_metrics,
)
from fieldproof.driving.history._compare import (
    DIRECTIONS,
    HIGHER,
    LOWER,
    compare,
    delta_of,
    figures_of,
    regression,
)
from fieldproof.driving.history._compared import Comparison, check_comparable, compare_runs
from fieldproof.driving.history._failures import (
    failures_of,
    fixed,
    open_failures,
    regressed,
    with_status,
)
from fieldproof.driving.history._mismatch import Mismatch, mismatch_of
from fieldproof.driving.history._sealed import compare_finished, set_failure

__all__ = [
    "DIRECTIONS",
    "HIGHER",
    "LOWER",
    "BaselineFolder",
    "BaselinesFolder",
    "Comparison",
    "Mismatch",
    "check_comparable",
    "compare",
    "compare_finished",
    "compare_runs",
    "delta_of",
    "failures_of",
    "figures_of",
    "fixed",
    "mismatch_of",
    "open_failures",
    "read_metrics",
    "regressed",
    "regression",
    "set_failure",
    "with_status",
]
