"""What events may do to a run: every verb of the events' context, carried out between ticks."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from fieldproof.backends import StartError
from fieldproof.engine._errors import InfrastructureError
from fieldproof.engine._log import EngineLog
from fieldproof.engine._session import Session
from fieldproof.engine._stacks import Stacks
from fieldproof.engine._topology import absolute
from fieldproof.engine._workers import Workers
from fieldproof.engine._worlds import World
from fieldproof.events import (
    Completed,
    Navigation,
    ParameterCall,
    ParameterOutcome,
    Refused,
    Running,
    StackState,
    TimeState,
    VehicleHandle,
)
from fieldproof.model import Pose

_NS = 1_000_000_000
_REQUEST_S = 45.0
_OWN_S = 10.0  # what a process may take for itself before it gives its own account
_REJECTED = "REJECTED"
_KEPT_LINES = 1000
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class _Vehicle:
    name: str
    namespace: str
    spawn: Pose

    def topic(self, name: str) -> str:
        return absolute({"namespace": self.namespace}, name)


class RunContext:
    """The events' context of one run.

    Args:
        session: the run's processes.
        world: its time and its simulator.
        stacks: the vehicles' processes.
        workers: the threads of blocking events.
        log: engine.log.
        now_ns: time on the timeline.
        occurrence: label of the occurrence that asks, which holds the faults that it sets.
    """

    def __init__(
        self,
        session: Session,
        world: World,
        stacks: Stacks,
        workers: Workers,
        log: EngineLog,
        *,
        now_ns: Callable[[], int],
        occurrence: str = "",
    ) -> None:
        self._session = session
        self._world = world
        self._stacks = stacks
        self._workers = workers
        self._log = log
        self._now_ns = now_ns
        self._occurrence = occurrence
        self._lockstep = session.execution["time"]["mode"] == "lockstep"
        self._vehicles = {
            vehicle["name"]: _Vehicle(
                vehicle["name"], vehicle["namespace"], Pose.from_data(vehicle["spawn"])
            )
            for vehicle in session.vehicles
        }

    def of(self, occurrence: str) -> RunContext:
        """The same for one occurrence, by its label."""
        return RunContext(
            self._session,
            self._world,
            self._stacks,
            self._workers,
            self._log,
            now_ns=self._now_ns,
            occurrence=occurrence,
        )

    @property
    def tearing_down(self) -> bool:
        """Whether the timeline is over."""
        return self._workers.ended

    def vehicle(self, name: str) -> VehicleHandle:
        """A vehicle of the run."""
        if name not in self._vehicles:
            raise Refused(f"there is no vehicle {name} (known: {', '.join(self._vehicles)})")
        return self._vehicles[name]

    def clock(self) -> float:
        """Seconds since the timeline's start."""
        return self._now_ns() / _NS

    def sim_s(self) -> float:
        """Seconds of simulation time."""
        return self._world.sim_ns / _NS

    def time_state(self) -> TimeState:
        """Whether simulation time runs, stands, or runs to where it will stand."""
        return self._world.time_state

    def hold(self, seconds: float) -> bool:
        """Wait on the timeline's clock; False when the run is ending."""
        return self._workers.hold(seconds)

    def background(self, call: Callable[[], None], *, name: str) -> Running:
        """Run a blocking call beside the engine."""
        return self._workers.start(call, name=name)

    def log(self, event: str, message: str, **fields: Any) -> None:
        """Write a line of engine.log."""
        self._workers.ask(lambda: self._log.write(event, message, **fields))

    def navigate(
        self, vehicle: VehicleHandle, goal: Mapping[str, Any], *, timeout_s: float
    ) -> Navigation:
        """Send a NavigateToPose goal."""

        def send() -> Navigation:
            self._stacks.need_running(vehicle.name, "a goal")
            action = vehicle.topic("navigate_to_pose")
            stamped = {**goal, "stamp_ns": self._world.sim_ns}
            identity = self._session.send_goal(
                vehicle.name, timeout_s=timeout_s, action=action, goal=stamped
            )
            return _Goal(self, identity, vehicle.name)

        return self._workers.ask(send)

    def goal_status(self, identity: str) -> str | None:
        """How a goal ended; None while it has not."""
        return self._session.goals[identity]

    def cancel_goal(self, identity: str, vehicle: str) -> None:
        """Ask the stack to give a goal up, if it can be asked."""
        if self._session.goals[identity] is not None or self._stacks.state(vehicle) != "running":
            return
        self._workers.ask(
            lambda: self._session.observer.request(
                "navigate_cancel", bound_s=_REQUEST_S, timeout_s=_OWN_S, id=identity
            )
        )

    def pause(self, vehicle: VehicleHandle) -> None:
        """Freeze the vehicle's processes."""
        self._workers.ask(lambda: self._stacks.pause(vehicle.name))

    def resume(self, vehicle: VehicleHandle) -> None:
        """Let frozen processes go on."""
        self._workers.ask(lambda: self._stacks.resume(vehicle.name))

    def kill(self, vehicle: VehicleHandle, signal: str) -> None:
        """Send a signal to the vehicle's processes and expect them to end."""
        self._workers.ask(lambda: self._stacks.kill(vehicle.name, signal))

    def stack_state(self, vehicle: VehicleHandle) -> StackState:
        """Whether the vehicle's processes are running, paused or gone."""
        return self._stacks.state(vehicle.name)

    def set_parameter(
        self,
        vehicle: VehicleHandle,
        node: str,
        parameter: str,
        value: bool | float | str,  # noqa: FBT001 - it is the parameter's value
        *,
        timeout_s: float,
    ) -> ParameterCall:
        """Ask a node to take a parameter's value."""

        def call() -> ParameterCall:
            self._stacks.need_running(vehicle.name, "a parameter")
            reply = self._session.observer.request(
                "param_set",
                bound_s=_REQUEST_S,
                node=node,
                parameter=parameter,
                value=value,
                wait_s=min(timeout_s, _OWN_S) if self._lockstep else 0.0,
            )
            return _Call(self._session, reply)

        return self._workers.ask(call)

    def simulate(self, op: str, **fields: Any) -> str:
        """Ask the simulator for something; its report. A file is named as the plan has it."""
        if "sdf" in fields:
            fields = {**fields, "sdf": str(self._session.plan / fields["sdf"])}
        return self._asked(lambda: self._world.simulate(op, **fields))

    def set_fault(
        self,
        vehicle: VehicleHandle,
        route: str,
        fault: str,
        parameters: Mapping[str, Any] | None,
    ) -> float:
        """Set or lift the occurrence's own fault; the simulation time from which it acts."""

        def request() -> float:
            reply = self._session.bridge(vehicle.name).request(
                "fault",
                bound_s=_REQUEST_S,
                route=route,
                fault=fault,
                parameters=parameters,
                holder=self._occurrence,
            )
            return float(reply["time_ns"]) / _NS

        return self._asked(request)

    def charge_pct(self, vehicle: VehicleHandle) -> float:
        """The charge of a vehicle's battery."""

        def request() -> float:
            reply = self._session.bridge(vehicle.name).request("charge", bound_s=_REQUEST_S)
            return float(reply["percent"])

        return self._asked(request)

    def publish(self, topic: str, message_type: str, fields: Mapping[str, Any]) -> None:
        """Publish one message as an operator would."""

        def request() -> None:
            self._session.observer.request(
                "publish",
                bound_s=_REQUEST_S,
                timeout_s=_OWN_S,
                topic=topic,
                message_type=message_type,
                fields=dict(fields),
            )
            self._session.has_published = True

        self._asked(request)

    def run(
        self,
        vehicle: VehicleHandle,
        argv: Sequence[str],
        *,
        timeout_s: float,
        on_line: Callable[[str], None] | None = None,
    ) -> Completed:
        """Run a program in the environment of the vehicle's processes, on a worker's thread."""
        self._stacks.need_running(vehicle.name, "a program")
        lines: list[str] = []

        def take(line: str) -> None:
            lines.append(line)
            del lines[:-_KEPT_LINES]
            if on_line is not None:
                on_line(line)

        try:
            code = self._session.run_program(
                vehicle.name,
                argv,
                timeout_s=timeout_s,
                ending=lambda: self.tearing_down,
                on_line=take,
            )
        except StartError as error:
            raise Refused(str(error)) from error
        return Completed(code, tuple(lines))

    def ros2(
        self,
        vehicle: VehicleHandle,
        argv: Sequence[str],
        *,
        timeout_s: float,
        on_line: Callable[[str], None] | None = None,
    ) -> Completed:
        """Run a command of the ros2 command line, where there is one."""
        if shutil.which("ros2", path=self._session.program_path) is None:
            raise Refused(
                "there is no ros2 command in the environment of the vehicles; use the context's "
                "publish, set_parameter or navigate, or run a program of the stack's own"
            )
        return self.run(vehicle, ["ros2", *argv], timeout_s=timeout_s, on_line=on_line)

    def _asked(self, request: Callable[[], _Result]) -> _Result:
        """Do it between ticks; a process that answers that it cannot is a refusal."""

        def guarded() -> _Result:
            try:
                return request()
            except InfrastructureError as error:
                if error.code:
                    # what is recorded must not depend on where the plan lies
                    raise Refused(error.answer.replace(f"{self._session.plan}/", "")) from error
                raise

        return self._workers.ask(guarded)


class _Goal:
    """A goal that the operator sent."""

    def __init__(self, context: RunContext, identity: str | None, vehicle: str) -> None:
        self._context = context
        self._identity = identity
        self._vehicle = vehicle

    def result(self) -> str | None:
        return _REJECTED if self._identity is None else self._context.goal_status(self._identity)

    def cancel(self) -> None:
        if self._identity is not None:
            self._context.cancel_goal(self._identity, self._vehicle)


class _Call:
    """A parameter that a node was asked to take."""

    def __init__(self, session: Session, reply: Mapping[str, Any]) -> None:
        self._session = session
        self._identity: str | None = None if reply["done"] else reply["id"]
        self._found = bool(reply["found"])
        self._answer: Mapping[str, Any] | None = reply if reply["done"] else None
        if self._identity is not None:
            session.calls[self._identity] = None

    @property
    def found(self) -> bool:
        return self._found or self._identity in self._session.found

    def result(self) -> ParameterOutcome | None:
        answer = self._answer
        if self._identity is not None:
            answer = self._session.calls[self._identity]
        if answer is None:
            return None
        return ParameterOutcome(bool(answer["accepted"]), str(answer["reason"]))
