from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fieldproof.model import ScenarioError, nearest, shown


@dataclass(frozen=True, slots=True)
class InjectorRoute:
    """A way between the simulator and a vehicle on which the bridge can put faults.

    Attributes:
        name: What the bridge calls it: a sensor of the manifest, `odometry`, `joint_states`,
            `command` or `battery`.
        topic: The absolute topic at its ROS end.
        kind: What travels on it, such as `imu`.
        faults: The faults that it takes.
    """

    name: str
    topic: str
    kind: str
    faults: tuple[str, ...]


RoutesOf = Callable[[str, Mapping[str, Any]], Iterable[InjectorRoute]]
"""Returns the routes of a vehicle, from its namespace and its manifest as JSON data."""


def no_routes(_namespace: str, _manifest: Mapping[str, Any]) -> Iterable[InjectorRoute]:
    """Return no routes: for plans of runs without a bridge."""
    return ()


def route_for(
    vehicle: str,
    routes: Iterable[InjectorRoute],
    *,
    sensor: str | None,
    topic: str | None,
    fault: str,
    unrouted: Iterable[str] = (),
) -> InjectorRoute:
    """Return the route that a fault goes on.

    Args:
        vehicle: Whose routes they are, for messages.
        routes: The vehicle's routes.
        sensor: What the scenario names: a route, or its topic; None for the only one that fits.
        topic: The same made absolute.
        fault: The fault.
        unrouted: Names of the manifest that no route carries.

    Raises:
        ScenarioError: Without a path: there is no such route, it does not take the fault, or more
            than one does and none is named.
    """
    known = list(routes)
    taking = [route for route in known if fault in route.faults]
    if sensor is None:
        if not taking:
            raise ScenarioError(f"nothing of {vehicle} takes the fault {fault}")
        if len(taking) > 1:
            names = ", ".join(route.name for route in taking)
            raise ScenarioError(f"{vehicle} has several that take it", hint=f"name one of {names}")
        return taking[0]
    for route in known:
        if sensor == route.name or topic == route.topic:
            if fault not in route.faults:
                takes = ", ".join(route.faults) or "none"
                fitting = ", ".join(one.name for one in taking) or "nothing of the vehicle"
                hint = f"it takes {takes}; {fault} goes with {fitting}"
                raise ScenarioError(f"{route.name} does not take the fault {fault}", hint=hint)
            return route
    if sensor in set(unrouted):
        what = f"{sensor} does not pass through an injector of the bridge"
        raise ScenarioError(what, hint=f"what does: {', '.join(one.name for one in known)}")
    hint = nearest(sensor, [route.name for route in known])
    raise ScenarioError(f"unknown sensor {shown(sensor)} of {vehicle}", hint=hint)
