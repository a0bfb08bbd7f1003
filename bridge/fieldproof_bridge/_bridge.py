from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import rclpy
from rclpy.context import Context
from rclpy.signals import SignalHandlerOptions

from fieldproof_bridge._contract import graph_problems, plan_contract
from fieldproof_bridge._errors import BridgeError
from fieldproof_bridge._faults import FaultDesk, faulty_route
from fieldproof_bridge._free_run import CLOCK_TOPIC, CommandThread, FreeRunningBridge
from fieldproof_bridge._lockstep import PARTS, LockstepBridge
from fieldproof_bridge._manifest import Manifest
from fieldproof_bridge._node import VehicleNode
from fieldproof_bridge._pipeline import CommandPipeline, SensorPipeline
from fieldproof_bridge._route import Route
from fieldproof_bridge._urdf import RobotDescription
from fieldproof_sim import FrameSubscriber, SimulatorClient

if TYPE_CHECKING:
    from types import TracebackType

    from fieldproof_bridge._config import BridgeConfig

PROTOCOL_VERSION: Final = 1
COMMAND_ROUTE: Final = "command"
STACK_STATES: Final = ("running", "paused", "gone")
_SIMULATOR_TIMEOUT_S: Final = 10.0


class Bridge:
    """One vehicle's bridge, connected to the simulator and present in the ROS graph.

    Args:
        config: what the process was told.

    Raises:
        ConfigError: the manifest or the URDF cannot be used.
        OSError: the URDF cannot be read.
        fieldproof_sim.SimulatorError: the simulator does not answer.
    """

    def __init__(self, config: BridgeConfig) -> None:
        self._config = config
        manifest = Manifest.parse(config.manifest)
        description = RobotDescription.parse(Path(config.urdf).read_text(encoding="utf-8"))
        self._contract = plan_contract(config, manifest, description)
        self.routes: dict[str, Route[Any]] = {
            spec.name: faulty_route(spec, seed=config.seed, vehicle=config.vehicle)
            for spec in self._contract.routes
        }
        self._faults = FaultDesk(self.routes, {spec.name: spec for spec in self._contract.routes})
        with ExitStack() as stack:
            self._connect(manifest, description, stack)
            self._resources = stack.pop_all()

    def _connect(self, manifest: Manifest, description: RobotDescription, stack: ExitStack) -> None:
        """Open what the bridge holds; ``stack`` releases it, in the opposite order."""
        config = self._config
        self._client = SimulatorClient(config.sim.control, _SIMULATOR_TIMEOUT_S)
        stack.callback(self._client.close)
        self._commands = CommandPipeline(
            config.vehicle,
            self.routes.get(COMMAND_ROUTE, Route(COMMAND_ROUTE)),
            self._client,
        )
        self._context = Context()
        rclpy.init(context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        stack.callback(rclpy.shutdown, context=self._context)
        self._threads: list[CommandThread] = []
        self._node = VehicleNode(
            self._context,
            config,
            self._contract,
            description,
            ack_topic=manifest.lockstep.ack,
            on_command=self._on_command,
        )
        stack.callback(self._node.destroy)
        sensors = SensorPipeline(config.vehicle, self._contract, self._node, self.routes)
        free = config.mode != "lockstep"
        prefixes = [sensors.prefix, CLOCK_TOPIC] if free else [sensors.prefix]
        self._subscriber = FrameSubscriber(config.sim.publish, prefixes)
        stack.callback(self._subscriber.close)
        self._subscriber.sync(self._client, _SIMULATOR_TIMEOUT_S)
        self._free: FreeRunningBridge | None = None
        self._lockstep: LockstepBridge | None = None
        if free:
            self._free = FreeRunningBridge(self._node, sensors, self._subscriber)
            thread = CommandThread(self._node, self._commands, self._context, _SIMULATOR_TIMEOUT_S)
            self._threads.append(thread)
            stack.callback(thread.stop)
            thread.start(self._free)
        else:
            self._lockstep = LockstepBridge(
                node=self._node,
                sensors=sensors,
                commands=self._commands,
                subscriber=self._subscriber,
                lockstep=manifest.lockstep,
                namespace=config.ros_namespace,
            )

    @property
    def frames_fd(self) -> int | None:
        """Descriptor that becomes readable when ``pump`` has work; None in lockstep."""
        return None if self._free is None else self._subscriber.fileno()

    @property
    def idle_s(self) -> float | None:
        """How soon ``idle`` wants to be called while no request comes; None for never."""
        return None if self._lockstep is None else self._lockstep.idle_s

    def idle(self) -> None:
        """What is to be done while no request comes.

        Raises:
            BridgeError: the commands can no longer be forwarded.
        """
        if self._lockstep is not None:
            self._lockstep.idle()
        for thread in self._threads:
            if thread.failure is not None:
                raise thread.failure

    def pump(self) -> None:
        """Forward the frames that have arrived (free-running modes).

        Raises:
            BridgeError: ``bad_frame``.
        """
        if self._free is not None:
            self._free.pump()

    def handle(self, op: str, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one request of the control socket, ``shutdown`` excepted.

        Raises:
            BridgeError: whatever cannot be done, ``unknown_op`` included.
        """
        operations = {
            "hello": self._hello,
            "contract": self._check_contract,
            "graph": lambda _: {"publishers": self._node.publishers()},
            "arm": self._arm,
            "still": self._still,
            "tick": self._tick,
            "fault": self._fault,
            "charge": self._charge,
            "stack": self._stack,
            "stats": self._stats,
        }
        operation = operations.get(op)
        if operation is None:
            known = ", ".join([*operations, "shutdown"])
            raise BridgeError("unknown_op", f"unknown operation {op!r} (known: {known})")
        return operation(request)

    def close(self) -> None:
        """Leave the graph and release every socket and thread."""
        self._resources.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _on_command(self, message: Any) -> None:
        for thread in self._threads:
            thread.take(message)

    def _hello(self, _: dict[str, Any]) -> dict[str, Any]:
        return {
            "protocol": PROTOCOL_VERSION,
            "vehicle": self._config.vehicle,
            "node": self._node.name,
            "mode": self._config.mode,
            "ready": True,
        }

    def _check_contract(self, _: dict[str, Any]) -> dict[str, Any]:
        topics = self._contract.topics
        live = graph_problems(
            topics,
            self._node.endpoints(topics),
            node=self._node.name,
            mode=self._config.mode,
        )
        return {
            "topics": [topic.as_fields() for topic in topics],
            "problems": [*self._contract.problems, *live],
        }

    def _arm(self, request: dict[str, Any]) -> dict[str, Any]:
        return self._in_lockstep("arm").arm(_number(request, "timeout_s"))

    def _still(self, request: dict[str, Any]) -> dict[str, Any]:
        return self._in_lockstep("still").still(_number(request, "timeout_s"))

    def _tick(self, request: dict[str, Any]) -> dict[str, Any]:
        frames = request.get("frames", {})
        parts = request.get("do", list(PARTS))
        if not isinstance(frames, dict):
            raise BridgeError("bad_request", "tick: frames must map topics to sequence numbers")
        if not isinstance(parts, list) or not set(parts) <= set(PARTS):
            raise BridgeError("bad_request", f"tick: do must list some of {', '.join(PARTS)}")
        time_ns = request.get("time_ns")
        if not isinstance(time_ns, int):
            raise BridgeError("bad_request", "tick: time_ns must be an integer")
        lockstep = self._in_lockstep("tick")
        return lockstep.tick(time_ns, frames, parts, _number(request, "timeout_s"))

    def _fault(self, request: dict[str, Any]) -> dict[str, Any]:
        route, fault = request.get("route"), request.get("fault")
        if "parameters" not in request:
            raise BridgeError(
                "bad_request", "fault: parameters is a map, or null to lift the fault"
            )
        time_ns = self._time_ns
        with self._commands.lock:
            parameters = self._faults.change(
                route, fault, request["parameters"], time_ns, request.get("holder", "")
            )
            if route == COMMAND_ROUTE:
                self._commands.change(str(fault))
        name = str(route)
        self._node.publish_faults(time_ns, name, list(self.routes[name].active))
        if route == COMMAND_ROUTE:
            for thread in self._threads:
                thread.renew()
        return {"time_ns": time_ns, "parameters": parameters}

    def _charge(self, _: dict[str, Any]) -> dict[str, Any]:
        time_ns = self._time_ns
        return {"time_ns": time_ns, "percent": self._faults.charge_pct(time_ns)}

    def _stack(self, request: dict[str, Any]) -> dict[str, Any]:
        own, all_running = request.get("own"), request.get("all_running")
        if own not in STACK_STATES or not isinstance(all_running, bool):
            states = ", ".join(STACK_STATES)
            raise BridgeError("bad_request", f"stack: own is one of {states}, all_running a flag")
        self._in_lockstep("stack").set_stack(answers=own == "running", all_answer=all_running)
        return {}

    @property
    def _time_ns(self) -> int:
        """Simulation time as far as this bridge has come."""
        if self._lockstep is not None:
            return self._lockstep.time_ns
        return self._free.time_ns if self._free is not None else 0

    def _stats(self, _: dict[str, Any]) -> dict[str, Any]:
        return {
            "published": self._node.counts(),
            "commands": self._commands.forwarded,
            "commands_refused": self._commands.refused,
            "frames": dict(self._subscriber.last_seq),
            "gaps": dict(self._subscriber.gaps),
            "timings": {} if self._lockstep is None else self._lockstep.timings.as_fields(),
        }

    def _in_lockstep(self, op: str) -> LockstepBridge:
        if self._lockstep is None:
            raise BridgeError("not_lockstep", f"{op}: this bridge runs in mode {self._config.mode}")
        return self._lockstep


def _number(request: dict[str, Any], key: str) -> float:
    value = request.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        return float(value)
    raise BridgeError("bad_request", f"{key} must be a positive number")
