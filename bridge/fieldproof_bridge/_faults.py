"""Which faults each kind of route takes, in which order they act, and how they are set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from fieldproof_bridge._draws import Draws
from fieldproof_bridge._errors import BridgeError
from fieldproof_bridge._injectors import (
    Bias,
    Deny,
    Drain,
    Dropout,
    Freeze,
    Limit,
    Noise,
    Offset,
)
from fieldproof_bridge._parameters import checked
from fieldproof_bridge._route import Route

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fieldproof_bridge._contract import RouteSpec
    from fieldproof_bridge._route import Injector

# In the order in which they act: first what a sensor measures and says of it, then whether the
# message gets through, then the repetition of the last one that did. A command comes the other
# way: what gets through is limited last, by the drive.
FAULTS: Final[dict[str, tuple[str, ...]]] = {
    "lidar": ("noise", "dropout", "freeze"),
    "imu": ("bias", "noise", "dropout", "freeze"),
    "gnss": ("offset", "noise", "deny", "dropout", "freeze"),
    "odometry": ("noise", "dropout", "freeze"),
    "joint_states": ("dropout", "freeze"),
    "battery": ("drain", "dropout", "freeze"),
    "command": ("dropout", "freeze", "limit"),
}


_BATTERY: Final = "battery"


@dataclass(frozen=True, slots=True)
class FaultDesk:
    """Sets and lifts the faults of one vehicle's routes.

    Attributes:
        routes: the vehicle's routes by name.
        specs: what each of them is.
    """

    routes: Mapping[str, Route[Any]]
    specs: Mapping[str, RouteSpec]

    def change(
        self, route: object, fault: object, parameters: object, time_ns: int, holder: object = ""
    ) -> Mapping[str, Any] | None:
        """Set a fault, or lift it with None; returns the parameters the holder has it with now.

        Each holder sets and lifts its own, and the fault acts while anyone holds it.

        Args:
            route: the route's name.
            fault: the fault's name.
            parameters: a map, or None.
            time_ns: simulation time of the change.
            holder: who sets or lifts it, a text.

        Raises:
            BridgeError: ``unknown_route``, ``unknown_fault``, ``not_held`` when there is nothing
                to lift, or ``bad_request`` with every parameter that is wrong.
        """
        spec = self.specs.get(str(route))
        if spec is None:
            known = ", ".join(self.specs)
            raise BridgeError("unknown_route", f"no route {route!r} (known: {known})")
        takes = FAULTS[spec.kind]
        if fault not in takes:
            has = ", ".join(takes)
            raise BridgeError("unknown_fault", f"{spec.name} takes no fault {fault!r} (has: {has})")
        name = str(fault)
        if not isinstance(holder, str):
            raise BridgeError("bad_request", f"holder must be a text (got {holder!r})")
        if parameters is None and holder not in self.routes[spec.name].active.get(name, {}):
            whose = holder or "no name"
            raise BridgeError("not_held", f"{spec.name} has no {name} that {whose} could lift")
        new: Mapping[str, Any] | None = None
        if parameters is not None:
            try:
                new = checked(spec.kind, name, parameters)
            except ValueError as error:
                raise BridgeError("bad_request", f"{spec.name} {name}: {error}") from error
        self.routes[spec.name].set_fault(name, new, time_ns, holder=holder)
        return new

    def charge_pct(self, time_ns: int) -> float:
        """The battery's charge at a time, percent.

        Raises:
            BridgeError: ``unknown_route`` without a battery.
        """
        spec = self.specs.get(_BATTERY)
        if spec is None:
            raise BridgeError("unknown_route", "the vehicle has no battery")
        source: Any = spec.source
        return Drain(source).percent(self.routes[_BATTERY].active.get("drain", {}), time_ns)


def faulty_route(spec: RouteSpec, *, seed: int, vehicle: str) -> Route[Any]:
    """A route with every injector that its kind has, none of them active.

    Args:
        spec: the route.
        seed: the run's seed.
        vehicle: the vehicle, which draws numbers of its own.
    """
    return Route(spec.name, [_injector(fault, spec, seed, vehicle) for fault in FAULTS[spec.kind]])


def _injector(fault: str, spec: RouteSpec, seed: int, vehicle: str) -> Injector[Any]:
    source: Any = spec.source
    match fault:
        case "noise":
            return Noise(Draws(seed, vehicle, spec.name, fault), spec.kind)
        case "dropout":
            return Dropout(Draws(seed, vehicle, spec.name, fault))
        case "drain":
            return Drain(source)
        case _:
            plain: dict[str, Injector[Any]] = {
                each.name: each for each in (Deny(), Offset(), Bias(), Freeze(), Limit())
            }
            return plain[fault]
