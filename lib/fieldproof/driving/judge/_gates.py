from collections.abc import Mapping
from typing import Any

from fieldproof.driving.files import Gates


def gate_failures(gates: Gates, aggregate: Mapping[str, Any]) -> list[str]:
    """Return the gates that a suite's figures do not pass, a sentence each.

    `max_regression_percent` is judged by the comparison with a baseline.
    """
    failures = []
    rate, least = aggregate["success_rate"], gates.min_success_rate
    if rate < least:
        failures.append(f"success_rate {rate:.4g} is below the gate of {least:g}")
    collisions, most = aggregate["collision_count"], gates.max_collisions
    if most is not None and collisions > most:
        failures.append(f"collision_count {collisions} is above the gate of {most}")
    score, lowest = aggregate["safety_score"], gates.min_safety_score
    if lowest is not None and score < lowest:
        failures.append(f"safety_score {score:g} is below the gate of {lowest:g}")
    return failures
