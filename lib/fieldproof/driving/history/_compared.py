"""A run compared with a baseline: what is written into either."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fieldproof.driving.artefacts import ArtefactError
from fieldproof.driving.history._baselines import BaselineFolder
from fieldproof.driving.history._compare import compare
from fieldproof.driving.history._failures import fixed, regressed
from fieldproof.driving.history._mismatch import mismatch_of


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison brings.

    Attributes:
        regression: the run's regression.json.
        failures: the run's failures.json; None where it has none.
        baseline_failures: the baseline's failures.json; None where it has none.
    """

    regression: dict[str, Any]
    failures: dict[str, Any] | None
    baseline_failures: dict[str, Any] | None


def compare_runs(
    summary: Mapping[str, Any],
    metrics: Mapping[str, Any],
    failures: Mapping[str, Any] | None,
    baseline: BaselineFolder,
    *,
    run_id: str,
    changed_at: str,
    max_regression_percent: float,
    gates: tuple[str, ...] = (),
) -> Comparison:
    """Compare a run with a baseline; nothing is written.

    Args:
        summary: the run's summary.json; what is compared of it are `suite_id` or `task`, and the
            hashes in its `provenance`.
        metrics: its metrics.json.
        failures: its failures.json; None where it has none.
        baseline: with what.
        run_id: the run's id.
        changed_at: ISO 8601 in UTC, for failures that change their status.
        max_regression_percent: how much worse a figure may be.
        gates: gates that the run did not pass.

    Raises:
        ArtefactError: The baseline cannot be read, or is of another suite or dataset.
    """
    check_comparable(summary, baseline)
    earlier = baseline.metrics()
    mismatch = mismatch_of(summary, metrics, baseline.summary(), earlier)
    result = compare(
        metrics,
        earlier,
        name=baseline.name,
        max_regression_percent=max_regression_percent,
        gates=gates,
        mismatch=mismatch,
    )
    old = baseline.failures()
    told = {"run_id": run_id, "changed_at": changed_at}

    def same(scenarios: Mapping[str, Any]) -> dict[str, Any]:
        # of a scenario that is another now, nothing is known to be fixed or to have regressed
        return {key: one for key, one in scenarios.items() if key not in mismatch.scenarios}

    return Comparison(
        result,
        None
        if failures is None
        else regressed(failures, same(earlier.get("scenarios", {})), **told),
        None if old is None else fixed(old, same(metrics.get("scenarios", {})), **told),
    )


def check_comparable(summary: Mapping[str, Any], baseline: BaselineFolder) -> None:
    """Refuse a baseline of another suite or task than a run is of, or of an incomplete run.

    Raises:
        ArtefactError: It is one, or it cannot be read.
    """
    before = baseline.summary()
    if before["status"] == "incomplete":
        raise ArtefactError(
            f"the baseline {baseline.name} is of a run in which something is missing "
            f"({before['reason']}): nothing can be compared with it; make it anew of a whole run"
        )
    for key in ("suite_id", "task"):
        if summary.get(key) != before.get(key):
            raise ArtefactError(
                f"the run is of {_subject(summary)} and the baseline {baseline.name} of "
                f"{_subject(before)}: they cannot be compared"
            )


def _subject(summary: Mapping[str, Any]) -> str:
    if "suite_id" in summary:
        return f"the suite {summary['suite_id']}"
    return f"the task {summary.get('task')}"
