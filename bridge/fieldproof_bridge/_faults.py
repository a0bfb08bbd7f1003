"""Which faults each kind of route takes, in which order they act, and with what parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fieldproof_bridge._config import problem_lines
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
from fieldproof_bridge._route import Route

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fieldproof_bridge._contract import RouteSpec
    from fieldproof_bridge._route import Injector

Metres = Annotated[float, Field(ge=-1e6, le=1e6)]
Bound = Annotated[float, Field(ge=0.0)]
Deviation = Annotated[float, Field(ge=0.0)]
Vector = tuple[float, float, float]

# In the order in which they act: what a sensor measures, then what becomes of the message. The
# command comes from the other side: what of it gets through is limited last, by the drive.
FAULTS: Final[dict[str, tuple[str, ...]]] = {
    "lidar": ("noise", "freeze", "dropout"),
    "imu": ("bias", "noise", "freeze", "dropout"),
    "gnss": ("offset", "noise", "deny", "freeze", "dropout"),
    "odometry": ("noise", "freeze", "dropout"),
    "joint_states": ("freeze", "dropout"),
    "battery": ("drain", "freeze", "dropout"),
    "command": ("dropout", "freeze", "limit"),
}


class _Parameters(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class _None(_Parameters):
    pass


class _Offset(_Parameters):
    east_m: Metres = 0.0
    north_m: Metres = 0.0
    up_m: Metres = 0.0


class _Bias(_Parameters):
    gyro_radps: Vector = (0.0, 0.0, 0.0)
    accel_mps2: Vector = (0.0, 0.0, 0.0)


class _Dropout(_Parameters):
    probability: float = Field(default=1.0, ge=0.0, le=1.0)


class _Drain(_Parameters):
    to_pct: float = Field(default=0.0, ge=0.0, le=100.0)
    duration_s: float = Field(gt=0.0)


class _Limit(_Parameters):
    max_linear_mps: Bound | None = None
    max_angular_radps: Bound | None = None


class _LidarNoise(_Parameters):
    range_m: Deviation = 0.0


class _ImuNoise(_Parameters):
    gyro_radps: Deviation = 0.0
    accel_mps2: Deviation = 0.0


class _GnssNoise(_Parameters):
    horizontal_m: Deviation = 0.0
    vertical_m: Deviation = 0.0


class _OdometryNoise(_Parameters):
    linear_mps: Deviation = 0.0
    angular_radps: Deviation = 0.0


_PARAMETERS: Final[dict[str, type[_Parameters]]] = {
    "deny": _None,
    "offset": _Offset,
    "bias": _Bias,
    "dropout": _Dropout,
    "freeze": _None,
    "drain": _Drain,
    "limit": _Limit,
    "noise of lidar": _LidarNoise,
    "noise of imu": _ImuNoise,
    "noise of gnss": _GnssNoise,
    "noise of odometry": _OdometryNoise,
}


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
        self, route: object, fault: object, parameters: object, time_ns: int
    ) -> Mapping[str, Any] | None:
        """Set a fault, or lift it with None; returns the parameters it has now.

        Args:
            route: the route's name.
            fault: the fault's name.
            parameters: a map, or None.
            time_ns: simulation time of the change.

        Raises:
            BridgeError: ``unknown_route``, ``unknown_fault``, or ``bad_request`` with every
                parameter that is wrong.
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
        if parameters is None:
            self.routes[spec.name].set_fault(name, None)
            return None
        checked = _checked(spec, name, parameters)
        self.routes[spec.name].set_fault(name, checked, time_ns)
        return checked


def _checked(spec: RouteSpec, fault: str, parameters: object) -> Mapping[str, Any]:
    model = _PARAMETERS.get(fault) or _PARAMETERS[f"{fault} of {spec.kind}"]
    try:
        return model.model_validate(parameters).model_dump()
    except ValidationError as error:
        lines = "; ".join(problem_lines(error, f"{spec.name} {fault}"))
        raise BridgeError("bad_request", lines) from error


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
            return Noise(Draws(seed, vehicle, spec.name, fault))
        case "dropout":
            return Dropout(Draws(seed, vehicle, spec.name, fault))
        case "drain":
            return Drain(source)
        case _:
            plain: dict[str, Injector[Any]] = {
                each.name: each for each in (Deny(), Offset(), Bias(), Freeze(), Limit())
            }
            return plain[fault]
