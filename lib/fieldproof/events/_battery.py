from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from fieldproof.events._context import EventContext, VehicleHandle
from fieldproof.events._faults import Fault, FaultEvent
from fieldproof.events._held import Held, seconds
from fieldproof.events._record import ActionRecord
from fieldproof.events._running import Running
from fieldproof.model import PositiveDuration, TimelineBase
from fieldproof.plan import PlanContext

Percent = Annotated[float, Field(ge=0.0, le=100.0)]
_LEAST_PCT = 1e-6  # less than anything that is shown


class BatteryDrain(Fault):
    """A battery that runs down."""

    action: Literal["battery.drain"]
    to_pct: Percent = Field(default=0.0, description="Where to, percent.")
    duration_s: PositiveDuration = Field(description="Over how much simulation time.")

    def sensor_name(self) -> str:
        """The battery."""
        return "battery"

    def parameters(self) -> dict[str, Any]:
        """Return where to and over how long."""
        return {"to_pct": self.to_pct, "duration_s": self.duration_s.seconds}


class BatteryDrainEvent(FaultEvent):
    """Lets the battery's charge fall in a straight line, in simulation time; there it stays.

    The entry lasts as long as the fall, so that what comes after it runs on what is left. A
    cancelled one leaves the battery to fall on. Of several the lowest line is the charge. One
    that finds the charge no higher than where it goes to changes nothing, and says so.
    """

    action: ClassVar[str] = "battery.drain"
    Entry: ClassVar[type[TimelineBase]] = BatteryDrain
    summary: ClassVar[str] = "Drain the battery over a time."
    fault: ClassVar[str] = "drain"
    doing: ClassVar[str] = "draining"

    def plan(self, entry: BatteryDrain, context: PlanContext) -> dict[str, Any]:
        """Refuse to drain to where the battery is at most anyway."""
        resolved = super().plan(entry, context)
        power = context.vehicle(entry.vehicle).manifest.power
        if power is not None and entry.to_pct >= power.battery.initial_pct:
            at_most = f"{power.battery.initial_pct:g} %"
            what = f"must be below the {at_most} that the battery begins with"
            raise context.refusal(f"{what} (got {entry.to_pct:g})", at="to_pct")
        return resolved

    def start(
        self,
        entry: BatteryDrain,
        resolved: Mapping[str, Any],
        context: EventContext,
        record: ActionRecord,
    ) -> Running:
        """Let it fall; what is returned is over when it has."""
        vehicle = context.vehicle(entry.vehicle)
        lasted = entry.duration_s.seconds
        charge = context.charge_pct(vehicle)
        if charge <= entry.to_pct + _LEAST_PCT:
            detail = f"not drained: the charge is {charge:g} %, not above {entry.to_pct:g} %"
            return Held(context.sim_s, lasted, _stay, record, detail)
        began_s = context.set_fault(
            vehicle, resolved["route"], resolved["fault"], resolved["parameters"]
        )
        what = f"{vehicle.name} battery draining to {entry.to_pct:g} % over {seconds(lasted)}"
        context.log(
            "fault.injected",
            what,
            vehicle=vehicle.name,
            route=resolved["route"],
            fault=resolved["fault"],
            parameters=dict(resolved["parameters"]),
            acts_from_s=began_s,
        )
        left_s = max(began_s + lasted - context.sim_s(), 0.0)
        return _Fall(entry, vehicle, context, record, left_s)


class _Fall(Held):
    """A fall that is over when its time is; the record then says what the charge really is."""

    def __init__(
        self,
        entry: BatteryDrain,
        vehicle: VehicleHandle,
        context: EventContext,
        record: ActionRecord,
        left_s: float,
    ) -> None:
        detail = f"drained to {entry.to_pct:g} % over {seconds(entry.duration_s.seconds)}"
        super().__init__(context.sim_s, left_s, _stay, record, detail)
        self._context = context
        self._vehicle = vehicle
        self._to_pct = entry.to_pct

    def poll(self) -> bool:
        """Return whether it has lasted its time."""
        if not super().poll():
            return False
        charge = self._context.charge_pct(self._vehicle)
        if charge < self._to_pct - _LEAST_PCT:
            self._record.detail += f"; another drain has taken it to {charge:g} %"
        return True


def _stay() -> None:
    """Leave the battery as it is."""
