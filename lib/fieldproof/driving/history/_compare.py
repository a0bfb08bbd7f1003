"""A run beside a baseline: what got worse, and by how much."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from fieldproof.driving.artefacts import SCHEMA_VERSION
from fieldproof.driving.history._mismatch import Mismatch

HIGHER, LOWER = "higher_is_better", "lower_is_better"

_ALIKE = Mismatch()

DIRECTIONS: Mapping[str, str] = {
    "success_rate": HIGHER,
    "passed_scenarios": HIGHER,
    "goal_reached_count": HIGHER,
    "safety_score": HIGHER,
    "assertions.passed": HIGHER,
    "failed_scenarios": LOWER,
    "collision_count": LOWER,
    "near_miss_count": LOWER,
    "offroad_count": LOWER,
    "red_light_violations": LOWER,
    "hard_brake_count": LOWER,
    "timeout_count": LOWER,
    "agent_fault_count": LOWER,
    "assertions.failed": LOWER,
    "assertions.blocking_failed": LOWER,
    "trajectory_ade": LOWER,
    "trajectory_fde": LOWER,
    "miss_rate": LOWER,
    "control_error": LOWER,
    "steer_mae": LOWER,
    "throttle_mae": LOWER,
    "brake_mae": LOWER,
    "occupancy_iou": HIGHER,
    "detection_map": HIGHER,
    "missing_samples": LOWER,
}
"""The figures that are compared, and which way is better. Wall-clock times are not among them."""


def delta_of(name: str, current: float, baseline: float, *, most_percent: float) -> dict[str, Any]:
    """Return how a figure differs from the baseline's.

    It regressed if it is worse by more than `most_percent` of the baseline's; what floats round
    does not count. Of a baseline of zero, or so near to it that a percentage is beyond all
    numbers, there is none: any worsening is a regression then, and `percent` is None.

    Args:
        name: one of `DIRECTIONS`.
        current: the run's figure.
        baseline: the baseline's.
        most_percent: what is still allowed.
    """
    delta = current - baseline
    direction = DIRECTIONS[name]
    worse = delta < 0 if direction == HIGHER else delta > 0
    percent: float | None = None
    if delta == 0:
        percent = 0.0
    elif baseline != 0:
        percent = 100.0 * delta / abs(baseline)
        percent = percent if math.isfinite(percent) else None
    regressed = worse and (percent is None or _exceeds(abs(percent), most_percent))
    return {
        "current": current,
        "baseline": baseline,
        "delta": delta,
        "percent": percent,
        "direction": direction,
        "regressed": regressed,
    }


def compare(
    current: Mapping[str, Any],
    baseline: Mapping[str, Any],
    *,
    name: str,
    max_regression_percent: float,
    gates: tuple[str, ...] = (),
    mismatch: Mismatch = _ALIKE,
) -> dict[str, Any]:
    """Return the content of regression.json.

    What is not of the same scenario, data or definition is a failure by itself. Of a run that lacks
    predictions, or scenarios of the baseline, figures that look better have no delta: they are
    those of what is left.

    Args:
        current: the run's metrics.json.
        baseline: the baseline's.
        name: the baseline's name.
        max_regression_percent: how much worse a figure may be.
        gates: gates that the run did not pass, which are failures as well.
        mismatch: where the two are not of the same thing.
    """
    mine, theirs = figures_of(current), figures_of(baseline)
    deltas = {
        key: delta_of(key, mine[key], theirs[key], most_percent=max_regression_percent)
        for key in DIRECTIONS
        if key in mine and key in theirs and key not in mismatch.figures
    }
    changes = list(
        _changes(current.get("scenarios", {}), baseline.get("scenarios", {}), mismatch.scenarios)
    )
    if current.get("complete") is False or any(one["change"] == "missing" for one in changes):
        deltas = {key: one for key, one in deltas.items() if not _is_better(one)}
    failures = [*gates, *mismatch.failures]
    failures += [_sentence(key, one) for key, one in deltas.items() if one["regressed"]]
    failures += [
        f"{key} of the baseline was not measured"
        for key in DIRECTIONS
        if key in theirs and key not in mine
    ]
    failures += [
        f"scenario {one['scenario_id']} of the baseline was not run"
        for one in changes
        if one["change"] == "missing"
    ]
    failures += _regressed_scenarios(changes, baseline, most_percent=max_regression_percent)
    return regression(
        failures,
        deltas,
        changes,
        gates=gates,
        baseline=name,
        max_regression_percent=max_regression_percent,
    )


def regression(
    failures: list[str],
    deltas: Mapping[str, Any],
    changes: list[dict[str, str]],
    *,
    gates: Sequence[str],
    baseline: str | None,
    max_regression_percent: float,
) -> dict[str, Any]:
    """Return the content of regression.json from its parts; without a baseline, of the gates."""
    return {
        "schema_version": SCHEMA_VERSION,
        "status": "fail" if failures else "pass",
        "failures": failures,
        "gates": list(gates),
        "deltas": dict(deltas),
        "baseline": baseline,
        "max_regression_percent": max_regression_percent,
        "scenarios": changes,
    }


def figures_of(metrics: Mapping[str, Any]) -> dict[str, float]:
    """Return the figures of a metrics.json that can be compared, by name."""
    found: dict[str, float] = {}
    for part in ("aggregate", "openloop"):
        found |= {
            key: float(value)
            for key, value in metrics.get(part, {}).items()
            if key in DIRECTIONS and isinstance(value, int | float)
        }
    counts = metrics.get("assertions", {})
    for key in ("passed", "failed", "blocking_failed"):
        if key in counts:
            found[f"assertions.{key}"] = float(counts[key])
    return found


def _regressed_scenarios(
    changes: Sequence[Mapping[str, str]], baseline: Mapping[str, Any], *, most_percent: float
) -> Iterator[str]:
    """Yield those that fail now, if they are too many of those that succeeded in the baseline.

    Others that succeed now do not make up for them, as they would in the success rate.
    """
    lost = [one["scenario_id"] for one in changes if one["change"] == "regressed"]
    before = [one for one in baseline.get("scenarios", {}).values() if one["status"] == "success"]
    if lost and _exceeds(100.0 * len(lost) / max(len(before), 1), most_percent):
        yield from (f"scenario {name} succeeded in the baseline and fails now" for name in lost)


def _is_better(delta: Mapping[str, Any]) -> bool:
    change: float = delta["delta"]
    return change > 0 if delta["direction"] == HIGHER else change < 0


def _exceeds(percent: float, most: float) -> bool:
    return percent > most and not math.isclose(percent, most, rel_tol=1e-9)


def _sentence(name: str, delta: Mapping[str, Any]) -> str:
    if delta["percent"] is None:
        return f"{name} regressed from {delta['baseline']:g} to {delta['current']:g}"
    return f"{name} regressed by {abs(delta['percent']):.2f}%"


def _changes(
    current: Mapping[str, Any], baseline: Mapping[str, Any], others: Collection[str]
) -> Iterator[dict[str, str]]:
    for name in sorted({*current, *baseline}):
        change = ""
        if name not in current:
            change = "missing"
        elif name not in baseline:
            change = "added"
        elif name in others:
            change = "changed"
        elif current[name]["status"] != baseline[name]["status"]:
            change = "fixed" if current[name]["status"] == "success" else "regressed"
        if change:
            yield {"scenario_id": name, "change": change}
