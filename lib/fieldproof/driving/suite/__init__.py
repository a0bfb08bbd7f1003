"""A suite: run, judged by its gates, compared, reported and sealed."""

from fieldproof.driving.suite._run import (
    FinishedSuite,
    SuiteOptions,
    run_suite,
    run_suite_into,
)

__all__ = ["FinishedSuite", "SuiteOptions", "run_suite", "run_suite_into"]
