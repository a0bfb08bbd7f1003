"""Changing what is derived in a run that is sealed: it is sealed again afterwards."""

from contextlib import nullcontext
from typing import Any

from fieldproof.driving.artefacts import (
    ArtefactError,
    Failures,
    Regression,
    SummaryHead,
    read_artefact,
)
from fieldproof.driving.history._baselines import BaselineFolder, read_metrics
from fieldproof.driving.history._compared import compare_runs
from fieldproof.driving.history._failures import with_status
from fieldproof.model import canonical_document
from fieldproof.runs import RunDirectory, RunsFolder, rewrite_sealed

_FAILURES = "failures.json"
_REGRESSION = "regression.json"


def compare_finished(
    runs: RunsFolder,
    run: RunDirectory,
    baseline: BaselineFolder,
    *,
    changed_at: str,
    max_regression_percent: float | None,
) -> dict[str, Any]:
    """Compare a finished run with a baseline, write both anew, and return the regression.

    The run's gates stay judged as they were.

    Args:
        runs: the folder of runs.
        run: which.
        baseline: with what.
        changed_at: ISO 8601 in UTC.
        max_regression_percent: how much worse a figure may be; the run's own gate when None.

    Raises:
        ArtefactError: A file cannot be read, or they cannot be compared; the run has no seal; or
            the baseline cannot be written.
        RunError: The run is not as it was sealed, or a file cannot be written.
    """
    _check_sealed(run)
    folder = run.path
    summary = read_artefact(folder / "summary.json", SummaryHead).model_dump(mode="json")
    gates = summary.get("gates", {})
    most = max_regression_percent
    if most is None:
        most = gates.get("max_regression_percent", 0.0)
    has_failures = (folder / _FAILURES).is_file()
    failures = None
    if has_failures:
        failures = read_artefact(folder / _FAILURES, Failures).model_dump(mode="json")
    compared = compare_runs(
        summary,
        read_metrics(folder / "metrics.json"),
        failures,
        baseline,
        run_id=summary["run_id"] or run.run_id,
        changed_at=changed_at,
        max_regression_percent=most,
        gates=_gates_of(run),
    )
    texts = {_REGRESSION: canonical_document(compared.regression)}
    if compared.failures is not None:
        texts[_FAILURES] = canonical_document(compared.failures)
    kept = compared.baseline_failures
    with nullcontext() if kept is None else baseline.failures_after(kept):
        rewrite_sealed(runs, run, texts)
    return compared.regression


def set_failure(
    runs: RunsFolder,
    run: RunDirectory,
    failure_id: str,
    *,
    changed_at: str,
    status: str | None = None,
    owner: str | None = None,
    notes: str | None = None,
) -> dict[str, Any]:
    """Change a failure of a finished run and return it; None leaves a part as it is.

    Raises:
        ArtefactError: There is no such failure or status, the file cannot be read, or the run has
            no seal.
        RunError: The run is not as it was sealed, or the file cannot be written.
    """
    _check_sealed(run)
    failures = read_artefact(run.path / _FAILURES, Failures).model_dump(mode="json")
    changed = with_status(
        failures, failure_id, status=status, owner=owner, notes=notes, changed_at=changed_at
    )
    rewrite_sealed(runs, run, {_FAILURES: canonical_document(changed)})
    found: dict[str, Any] = next(
        one for one in changed["failures"] if one["failure_id"] == failure_id
    )
    return found


def _check_sealed(run: RunDirectory) -> None:
    if not run.sealed:
        raise ArtefactError(
            f"{run.path} has no seal, so that nothing is compared or changed in it: it was written "
            f"with --out, was not finished, or is no run; name a sealed one (fieldproof runs list)"
        )


def _gates_of(run: RunDirectory) -> tuple[str, ...]:
    """Return what the run itself did not pass, whatever it is compared with."""
    path = run.path / _REGRESSION
    if not path.is_file():
        return ()
    return tuple(read_artefact(path, Regression).gates)
