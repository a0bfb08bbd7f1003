from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any, Final

from fieldproof_bridge._errors import BridgeError
from fieldproof_bridge._messages import BUILDERS, OdometryTransformBuilder, velocity_command
from fieldproof_bridge._readings import CONVERSIONS, battery_level, due_times
from fieldproof_bridge._route import Route
from fieldproof_sim import SimulatorError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fieldproof_bridge._contract import Contract, RouteSpec
    from fieldproof_bridge._node import Outlet, VehicleNode
    from fieldproof_bridge._readings import VelocityCommand
    from fieldproof_sim import Frame, SimulatorClient


_LIMIT: Final = "limit"


class SensorPipeline:
    """Frames of one vehicle through their routes onto its topics.

    Args:
        vehicle: the vehicle's name in the frames' topics.
        contract: what to publish.
        node: where to publish it.
        routes: the pass-through of each route, by name.
    """

    def __init__(
        self,
        vehicle: str,
        contract: Contract,
        node: VehicleNode,
        routes: Mapping[str, Route[Any]],
    ) -> None:
        self._prefix = f"sensor/{vehicle}/"
        self._lanes = {
            self._prefix + spec.name: _Lane(spec, routes[spec.name], node)
            for spec in contract.routes
            if spec.kind in CONVERSIONS
        }
        self._battery = next(
            (
                _Lane(spec, routes[spec.name], node)
                for spec in contract.routes
                if spec.kind == "battery"
            ),
            None,
        )
        self._battery_ns = 0

    @property
    def prefix(self) -> str:
        """What the topics of this vehicle's sensor frames begin with."""
        return self._prefix

    def publish(self, frame: Frame) -> None:
        """Publish one frame; frames that no route carries are passed over.

        Raises:
            BridgeError: ``bad_frame``, when the frame lacks what its kind must have.
        """
        lane = self._lanes.get(frame.topic)
        if lane is None:
            return
        try:
            lane.send(lane.convert(frame.data), frame.time_ns)
        except (KeyError, TypeError, ValueError) as error:
            raise BridgeError(
                "bad_frame", f"frame {frame.seq} of {frame.topic}: {type(error).__name__}: {error}"
            ) from error

    def advance(self, time_ns: int) -> None:
        """Publish what the bridge itself makes and what has become due by ``time_ns``."""
        if self._battery is None:
            return
        source: Any = self._battery.spec.source
        for due_ns in due_times(self._battery_ns, time_ns, source.rate_hz):
            self._battery.send(battery_level(source, due_ns), due_ns)
        self._battery_ns = max(self._battery_ns, time_ns)


class CommandPipeline:
    """Velocity commands of the vehicle's software through their route to the simulator.

    Where threads share it, ``lock`` is held while a command passes and is forwarded, and while a
    fault of the route changes.

    Attributes:
        lock: see above.
        forwarded: commands that the simulator took.
        refused: commands that were not finite numbers; a drive can do nothing with them.
    """

    def __init__(
        self, vehicle: str, route: Route[VelocityCommand], client: SimulatorClient
    ) -> None:
        self._vehicle = vehicle
        self._route = route
        self._client = client
        self._changed = False
        self._moment_ns = -1
        self._passed = 0  # messages at this moment
        self.lock = threading.Lock()
        self.forwarded = 0
        self.refused = 0

    def change(self, fault: str) -> None:
        """Note that a fault of the route has changed: a limit acts on what stands, too."""
        self._changed = self._changed or fault == _LIMIT

    def last_of(self, messages: list[Any], time_ns: int) -> VelocityCommand | None:
        """What the newest message becomes behind the route; each message passes in its turn.

        Without one, a limit that has changed acts on the command that stands.
        """
        newest = None
        for message in messages:
            command = velocity_command(message, time_ns)
            if not (math.isfinite(command.linear_mps) and math.isfinite(command.angular_radps)):
                self.refused += 1
                continue
            newest = self._route.pass_through(command, self._own_moment(time_ns)) or newest
        if self._changed and newest is None:
            newest = self._route.again_from(_LIMIT, time_ns)
        self._changed = False
        return newest

    def _own_moment(self, time_ns: int) -> int:
        """A time of its own for each message of one time, a nanosecond apart.

        What is random is drawn by time: messages that share a tick are lost one by one.
        """
        self._passed = self._passed + 1 if time_ns == self._moment_ns else 0
        self._moment_ns = time_ns
        return time_ns + self._passed

    def as_fields(self, command: VelocityCommand) -> dict[str, Any]:
        """The command as the simulator's protocol has it."""
        return {
            "vehicle": self._vehicle,
            "linear_mps": command.linear_mps,
            "angular_radps": command.angular_radps,
        }

    def forward(self, command: VelocityCommand, timeout_s: float) -> None:
        """Give a command to the simulator.

        Raises:
            BridgeError: ``simulator``, when it refuses or does not answer.
        """
        try:
            self._client.request("command", timeout_s=timeout_s, **self.as_fields(command))
        except SimulatorError as error:
            raise BridgeError("simulator", str(error)) from error
        self.forwarded += 1


class _Lane:
    """One sensor route from its conversion to its topic."""

    def __init__(self, spec: RouteSpec, route: Route[Any], node: VehicleNode) -> None:
        self.spec = spec
        self.convert: Callable[[Mapping[str, Any]], Any] = CONVERSIONS.get(spec.kind, _no_frame)
        self._route = route
        self._outputs: list[tuple[Outlet, Any]] = [
            (node.outlets[spec.name], BUILDERS[spec.kind](spec))
        ]
        if spec.kind == "odometry":
            self._outputs.append((node.tf, OdometryTransformBuilder(spec)))

    def send(self, reading: Any, time_ns: int) -> None:
        passed = self._route.pass_through(reading, time_ns)
        if passed is not None:
            for outlet, builder in self._outputs:
                outlet.publish(builder.fill(passed))


def _no_frame(_: Mapping[str, Any]) -> Any:
    raise AssertionError("this route has no frames")
