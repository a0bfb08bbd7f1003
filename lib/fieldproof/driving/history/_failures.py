"""Failures of a run: how they begin, and how their status changes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fieldproof.driving.artefacts import FAILURE_STATUSES, SCHEMA_VERSION, ArtefactError
from fieldproof.driving.judge import FAILURE, SUCCESS
from fieldproof.driving.loop import ScenarioResult
from fieldproof.model import nearest

_BY_HAND = frozenset({"verified", "wont_fix"})
"""Statuses that somebody decided on, and that a comparison leaves alone."""

FailureData = dict[str, Any]


def failures_of(
    results: Iterable[ScenarioResult], *, run_id: str | None, created_at: str | None
) -> dict[str, Any]:
    """Return the content of failures.json: one failure for each reason why a scenario failed.

    Args:
        results: of the scenarios, in the order of the suite.
        run_id: the run's id; None in a hermetic run.
        created_at: when the run ended, ISO 8601 in UTC; None in a hermetic run.
    """
    found: list[FailureData] = []
    for result in results:
        name = result.entry["scenario_id"]
        for reason in result.reasons:
            is_actor = reason.subject and reason.code != "assertion"
            tags = [reason.code, *([f"{reason.subject}_failure"] if is_actor else [])]
            where = {} if reason.t is None else {"t": reason.t, "frame": reason.frame_index}
            found.append(
                {
                    "failure_id": f"fail_{len(found) + 1:03d}",
                    "run_id": run_id,
                    "scenario_id": name,
                    "sample_id": None,
                    "timestamp": reason.t,
                    "frame_index": reason.frame_index,
                    "replay_path": result.entry["replay_timeline_path"],
                    "replay_url": _replay_url(run_id, name, where),
                    "severity": reason.severity,
                    "tags": tags,
                    "reason": reason.text,
                    "notes": reason.text,
                    "owner": None,
                    "status": "open",
                    "fixed_in_run_id": None,
                    "regressed_in_run_id": None,
                    "status_history": [],
                    "created_at": created_at,
                }
            )
    return {"schema_version": SCHEMA_VERSION, "run_id": run_id, "failures": found}


def with_status(
    failures: Mapping[str, Any],
    failure_id: str,
    *,
    status: str | None,
    owner: str | None,
    notes: str | None,
    changed_at: str,
) -> dict[str, Any]:
    """Return failures with one of them changed; its status's change is added to its history.

    Args:
        failures: the content of failures.json.
        failure_id: which.
        status: the new one; None to leave it.
        owner: the new one, empty for nobody; None to leave it.
        notes: the new ones, beside the reason, which stays; None to leave them.
        changed_at: ISO 8601 in UTC.

    Raises:
        ArtefactError: There is no such failure or no such status.
    """
    known = {one["failure_id"]: place for place, one in enumerate(failures["failures"])}
    if failure_id not in known:
        hint = nearest(failure_id, known) or "the run has no failures"
        raise ArtefactError(f"unknown failure {failure_id!r} ({hint})")
    if status is not None and status not in FAILURE_STATUSES:
        raise ArtefactError(f"unknown status {status!r} ({nearest(status, FAILURE_STATUSES)})")
    changed = list(failures["failures"])
    place = known[failure_id]
    one = dict(changed[place])
    if status is not None:
        one = _moved(one, status, changed_at)
    if owner is not None:
        one["owner"] = owner or None
    if notes is not None:
        if one.get("reason") is None:
            one["reason"] = one["notes"]  # as runs have it that know of no reason yet
        one["notes"] = notes
    changed[place] = one
    return {**failures, "failures": changed}


def regressed(
    failures: Mapping[str, Any],
    baseline: Mapping[str, Any],
    *,
    run_id: str,
    changed_at: str,
) -> dict[str, Any]:
    """Return a run's failures, those of scenarios that succeeded in the baseline as regressed.

    Args:
        failures: the run's failures.json.
        baseline: the scenarios of the baseline's metrics.json.
        run_id: the run's id.
        changed_at: ISO 8601 in UTC.
    """
    return {
        **failures,
        "failures": [
            _linked(one, "regressed", run_id, changed_at)
            if _status(baseline, one["scenario_id"]) == SUCCESS
            else one
            for one in failures["failures"]
        ],
    }


def fixed(
    failures: Mapping[str, Any],
    current: Mapping[str, Any],
    *,
    run_id: str,
    changed_at: str,
) -> dict[str, Any]:
    """Return a baseline's failures, those of scenarios that succeed in a run as fixed in it.

    Args:
        failures: the baseline's failures.json.
        current: the scenarios of the run's metrics.json.
        run_id: the run's id.
        changed_at: ISO 8601 in UTC.
    """
    return {
        **failures,
        "failures": [
            _linked(one, "fixed", run_id, changed_at)
            if _status(current, one["scenario_id"]) == SUCCESS
            else one
            for one in failures["failures"]
        ],
    }


def open_failures(failures: Sequence[Mapping[str, Any]]) -> int:
    """Return how many failures nobody has dealt with."""
    return sum(one["status"] not in {"fixed", *_BY_HAND} for one in failures)


def _linked(failure: Mapping[str, Any], status: str, run_id: str, changed_at: str) -> FailureData:
    """Return a failure linked to the run that fixed or brought it; the first such run stays."""
    key = f"{status}_in_run_id"
    one = dict(failure)
    one[key] = one.get(key) or run_id
    return one if one["status"] in {status, *_BY_HAND} else _moved(one, status, changed_at)


def _moved(failure: Mapping[str, Any], status: str, changed_at: str) -> FailureData:
    if failure["status"] == status:
        return dict(failure)
    change = {
        "changed_at": changed_at,
        "from_status": failure["status"],
        "to_status": status,
    }
    return {**failure, "status": status, "status_history": [*failure["status_history"], change]}


def _status(scenarios: Mapping[str, Any], scenario_id: str | None) -> str | None:
    found = scenarios.get(scenario_id or "")
    return None if found is None else str(found.get("status", FAILURE))


def _replay_url(run_id: str | None, scenario_id: str, where: Mapping[str, Any]) -> str | None:
    if run_id is None:
        return None
    query = "&".join(f"{key}={value}" for key, value in where.items() if value is not None)
    return f"/runs/{run_id}/scenarios/{scenario_id}" + (f"?{query}" if query else "")
