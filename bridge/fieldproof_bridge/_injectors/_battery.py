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
    from fieldproof_bridge._route import Held


@dataclass(frozen=True, slots=True)
class Drain:
    """A charge that falls in a straight line to ``to_pct`` over ``duration_s``, and stays there.

    It never rises: from below ``to_pct`` it stays where it is. Each holder draws a line of its own
    from the charge that it finds, and the lowest line is the charge. ``started`` adds to the
    parameters where the fall begins, ``from_pct``, and when, ``since_ns``.

    Attributes:
        battery: the manifest's figures.
    """

    battery: Battery
    name: str = "drain"

    def started(self, parameters: Mapping[str, Any], held: Held, time_ns: int) -> Mapping[str, Any]:
        """The parameters of a fall that begins where earlier ones, if any, have got to."""
        return {**parameters, "from_pct": self.percent(held, time_ns), "since_ns": time_ns}

    def percent(self, held: Held, time_ns: int) -> float:
        """The charge at a time, percent."""
        lines = [_percent(each, time_ns) for each in held.values()]
        return min(lines, default=self.battery.initial_pct)

    def apply(
        self,
        reading: BatteryLevel,
        _last: BatteryLevel | None,
        time_ns: int,
        held: Held,
    ) -> BatteryLevel:
        """The battery on its way down."""
        battery = self.battery
        level_pct = self.percent(held, time_ns)
        percentage = level_pct / 100.0
        falls = any(
            _percent(line, time_ns) == level_pct
            and line["to_pct"] < line["from_pct"]
            and _share(line, time_ns) < 1.0
            for line in held.values()
        )
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
