"""What is measured and judged of an episode, and of a suite's episodes together."""

from fieldproof.driving.judge._assertions import (
    FAIL,
    NOT_APPLICABLE,
    PASS,
    AssertionMonitor,
    summary,
)
from fieldproof.driving.judge._gates import gate_failures
from fieldproof.driving.judge._metrics import (
    HARD_BRAKE_MPS2,
    EpisodeMetrics,
    aggregate,
    safety_score,
)
from fieldproof.driving.judge._verdict import (
    AGENT_FAULT,
    FAILURE,
    FAULTS,
    SIMULATOR_FAULT,
    SUCCESS,
    Reason,
    ending_event,
    reasons_of,
    was_broken_off,
)

__all__ = [
    "AGENT_FAULT",
    "FAIL",
    "FAILURE",
    "FAULTS",
    "HARD_BRAKE_MPS2",
    "NOT_APPLICABLE",
    "PASS",
    "SIMULATOR_FAULT",
    "SUCCESS",
    "AssertionMonitor",
    "EpisodeMetrics",
    "Reason",
    "aggregate",
    "ending_event",
    "gate_failures",
    "reasons_of",
    "safety_score",
    "summary",
    "was_broken_off",
]
