from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fieldproof_bridge._conventions import (
    BATTERY_DISCHARGING,
    BATTERY_NOT_CHARGING,
    battery_voltage,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fieldproof_bridge._manifest import Battery
    from fieldproof_bridge._readings import BatteryLevel


@dataclass(frozen=True, slots=True)
class Drain:
    """A charge that falls in a straight line to ``to_pct`` over ``duration_s``, and stays there.

    It never rises: from below ``to_pct`` it stays where it is. ``started`` adds to the parameters
    where the fall begins, ``from_pct``, and when, ``since_ns``.

    Attributes:
        battery: the manifest's figures.
    """

    battery: Battery
    name: str = "drain"

    def started(
        self, parameters: Mapping[str, Any], before: Mapping[str, Any] | None, time_ns: int
    ) -> Mapping[str, Any]:
        """The parameters of a fall that begins where an earlier one, if any, has got to."""
        level = self.battery.initial_pct if before is None else _percent(before, time_ns)
        return {**parameters, "from_pct": level, "since_ns": time_ns}

    def apply(
        self,
        reading: BatteryLevel,
        _last: BatteryLevel | None,
        time_ns: int,
        parameters: Mapping[str, Any],
    ) -> BatteryLevel:
        """The battery on its way down."""
        battery = self.battery
        percentage = _percent(parameters, time_ns) / 100.0
        falls = _share(parameters, time_ns) < 1.0
        return replace(
            reading,
            percentage=percentage,
            voltage_v=battery_voltage(percentage, empty_v=battery.empty_v, full_v=battery.full_v),
            charge_ah=battery.capacity_ah * percentage,
            status=BATTERY_DISCHARGING if falls else BATTERY_NOT_CHARGING,
        )


def _share(parameters: Mapping[str, Any], time_ns: int) -> float:
    passed_ns = time_ns - parameters["since_ns"]
    return min(max(passed_ns / (parameters["duration_s"] * 1e9), 0.0), 1.0)


def _percent(parameters: Mapping[str, Any], time_ns: int) -> float:
    begin: float = parameters["from_pct"]
    end: float = min(parameters["to_pct"], begin)
    return begin + (end - begin) * _share(parameters, time_ns)
