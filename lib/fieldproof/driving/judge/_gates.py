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
    broken = aggregate["agent_fault_count"] + aggregate["simulator_fault_count"]
    if most is not None and collisions > most:
        failures.append(f"collision_count {collisions} is above the gate of {most}")
    elif most is not None and broken:
        known = (
            "that of a scenario that broke off is"
            if broken == 1
            else (f"those of {broken} scenarios that broke off are")
        )
        failures.append(f"collision_count {collisions} is not all: {known} not known")
    score, lowest = aggregate["safety_score"], gates.min_safety_score
    if lowest is not None and score < lowest:
        failures.append(f"safety_score {score:g} is below the gate of {lowest:g}")
    if broken and broken == aggregate["total_scenarios"]:
        failures.append("no scenario was driven to its end")
    return failures
