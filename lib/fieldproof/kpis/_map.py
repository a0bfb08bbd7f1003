import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Metrics = Mapping[str, tuple[Any, str]]
"""What was measured: a value and its unit by name; None where nothing was."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The metrics of one assertion or collector.

    Attributes:
        name: What the scenario calls it.
        source: Where the figures come from, such as `assertion:reach_pose`.
        metrics: The figures.
    """

    name: str
    source: str
    metrics: Metrics


def kpi_map(measured: Iterable[Measured]) -> dict[str, dict[str, Any]]:
    """Return a run's figures as one flat map, `<name>.<metric>` to value, unit and source.

    What was not measured is left out, and so is a number that is NaN or infinite: the map holds
    JSON data only.
    """
    return {
        f"{one.name}.{metric}": {"value": value, "unit": unit, "source": one.source}
        for one in measured
        for metric, (value, unit) in one.metrics.items()
        if value is not None and not (isinstance(value, float) and not math.isfinite(value))
    }
