"""The live processes of one run and the connections to them."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fieldproof.backends import (
    Process,
    ProcessBackend,
    ProcessSpec,
    StartError,
    claim_domain,
    end_run,
    engine_mark,
    ros_environment,
    run_program,
)
from fieldproof.engine._channel import Channel
from fieldproof.engine._errors import InfrastructureError
from fieldproof.engine._topology import (
    Addresses,
    bridge_config,
    load_request,
    observer_config,
    simulator_arguments,
    vehicle_processes,
)

_START_S = 30.0
_STEP_S = 30.0
_REQUEST_S = 45.0
_OWN_S = 10.0


class Session:
    """Starts, reaches and ends the processes of a run.

    Args:
        execution: the execution plan.
        plan: folder that the plan's files lie in.
        logs: folder for the processes' output and configurations.
        recording: folder of the recording.
        run_id: the run's identity, which marks its processes and addresses.
        host: the engine's environment variables.
        check: called while waiting; raises to give up.
    """

    def __init__(
        self,
        execution: Mapping[str, Any],
        *,
        plan: Path,
        logs: Path,
        recording: Path,
        run_id: str,
        host: Mapping[str, str],
        check: Callable[[], None],
    ) -> None:
        self.execution = execution
        self.plan = plan
        self._logs = logs
        self._recording = recording
        self._check = check
        self._backend = ProcessBackend()
        self._processes: dict[str, Process] = {}
        self._channels: dict[str, Channel] = {}
        self._run_id = run_id
        self._addresses = Addresses(run_id)
        self.goals: dict[str, str | None] = {}  # goals that were sent, with their final status
        self._senders: dict[str, str] = {}  # the vehicle of each goal
        self.calls: dict[str, dict[str, Any] | None] = {}  # calls that wait, with their answers
        self.found: set[str] = set()  # those of them whose node is there
        self.has_published = False  # an event has, since the observer was asked what it saw
        self.can_answer: Callable[[str], bool] = lambda _vehicle: True
        self._domain = claim_domain()
        ours = [entry for entry in sys.path if entry and Path(entry).is_dir()]
        mark = engine_mark(run_id)
        self._our_environment = ros_environment(
            host, domain=self._domain.number, python_path=_project_folders(ours), mark=mark
        )
        self._their_environment = ros_environment(
            host, domain=self._domain.number, python_path=[str(plan / "robots")], mark=mark
        )

    @property
    def domain(self) -> int:
        """The run's ROS domain."""
        return self._domain.number

    @property
    def lockstep(self) -> bool:
        """Whether time is released tick by tick."""
        return bool(self.execution["time"]["mode"] == "lockstep")

    @property
    def program_path(self) -> str:
        """Where the vehicles' processes find programs."""
        return self._their_environment.get("PATH", "")

    @property
    def vehicles(self) -> Sequence[Mapping[str, Any]]:
        """The vehicles of the plan."""
        vehicles: Sequence[Mapping[str, Any]] = self.execution["vehicles"]
        return vehicles

    @property
    def simulator(self) -> Channel:
        """The simulator's request channel."""
        return self._channels["simulator"]

    @property
    def observer(self) -> Channel:
        """The observer's request channel."""
        return self._channels["observer"]

    @property
    def bridges(self) -> list[Channel]:
        """The bridges' request channels, in the order of the vehicles; the first owns /clock."""
        return [self._channels[f"bridge/{vehicle['name']}"] for vehicle in self.vehicles]

    def bridge(self, vehicle: str) -> Channel:
        """The request channel of a vehicle's bridge."""
        return self._channels[f"bridge/{vehicle}"]

    def stack(self, vehicle: str) -> list[Process]:
        """The processes of a vehicle's software."""
        known = next(one for one in self.vehicles if one["name"] == vehicle)
        return [self._processes[role] for role, _ in vehicle_processes(known)]

    def pids(self, role: str) -> tuple[int, ...]:
        """The process of a role, as what measures groups of them wants it."""
        return (self._processes[role].pid,)

    def send_goal(self, vehicle: str, *, timeout_s: float, **fields: Any) -> str | None:
        """Send a goal to a vehicle's navigation; its identity, or None when it was not accepted."""
        reply = self.observer.request(
            "navigate", bound_s=_REQUEST_S, timeout_s=min(timeout_s, _OWN_S), **fields
        )
        if not reply["accepted"]:
            return None
        goal: str = reply["id"]
        self.goals[goal], self._senders[goal] = None, vehicle
        return goal

    def lose_goals(self, vehicle: str) -> None:
        """Give up the goals of a vehicle whose software is gone."""
        for goal, status in self.goals.items():
            if status is None and self._senders[goal] == vehicle:
                self.goals[goal] = "LOST"

    def pending(self, *, bound_s: float) -> list[dict[str, Any]]:
        """Return the samples of what events published since the last `collect`."""
        if not self.has_published:
            return []
        self.has_published = False
        reply = self.observer.request("collect", bound_s=bound_s, pending=True)
        samples: list[dict[str, Any]] = reply["samples"]
        return samples

    def collect(self, *, bound_s: float, **fields: Any) -> dict[str, Any]:
        """What the observer has seen since the last call; learns which goals and calls ended."""
        waiting = [
            goal
            for goal, status in self.goals.items()
            if status is None and self.can_answer(self._senders[goal])
        ]
        calls = [call for call, answer in self.calls.items() if answer is None]
        self.has_published = False
        reply = self.observer.request(
            "collect", bound_s=bound_s, goals=waiting, calls=calls, **fields
        )
        self.goals |= reply["goals"]
        for call, answer in reply["calls"].items():
            if answer["done"] or answer["found"]:
                self.calls[call] = answer if answer["done"] else None
                self.found.add(call)
        return reply

    def run_program(
        self,
        vehicle: str,
        argv: Sequence[str],
        *,
        timeout_s: float,
        ending: Callable[[], bool],
        on_line: Callable[[str], None],
    ) -> int:
        """Run a program in the environment of a vehicle's processes; returns its exit code.

        Blocks; 124 stands for a program that was ended after `timeout_s` of wall time or because
        the run is over.

        Raises:
            StartError: it could not be started.
        """
        return run_program(
            argv,
            environment={**self._their_environment, "FIELDPROOF_VEHICLE": vehicle},
            cwd=self._logs,
            timeout_s=timeout_s,
            ending=ending,
            on_line=on_line,
        )

    def spawn_simulator(self) -> None:
        """Start the simulator's process."""
        self._spawn("simulator", simulator_arguments(self._addresses), self._our_environment)
        self._connect("simulator", self._addresses.simulator_control)

    def spawn_bridges(self) -> None:
        """Start one bridge a vehicle."""
        for index, vehicle in enumerate(self.vehicles):
            role = f"bridge/{vehicle['name']}"
            config = bridge_config(self.execution, index, self._addresses, self.plan)
            self._spawn(
                role,
                ["-m", "fieldproof_bridge", "--config", self._configure(role, config)],
                self._our_environment,
            )
            self._connect(role, self._addresses.bridge(vehicle["name"]))

    def spawn_observer(self) -> None:
        """Start the observer and recorder."""
        config = observer_config(self.execution, self._addresses, self._recording)
        self._spawn(
            "observer",
            ["-m", "fieldproof.observe", "--config", self._configure("observer", config)],
            self._our_environment,
        )
        self._connect("observer", self._addresses.observer)

    def spawn_vehicles(self) -> None:
        """Start every process of every vehicle's stack."""
        for vehicle in self.vehicles:
            for role, arguments in vehicle_processes(vehicle):
                self._spawn(role, arguments, self._their_environment)

    def load_world(self) -> list[str]:
        """Wait for the simulator and have it load the world; returns what it left out."""
        self.simulator.request("hello", bound_s=_START_S)
        request = load_request(self.execution, self.plan)
        reply = self.simulator.request("load", bound_s=_STEP_S, **request)
        return [str(warning) for warning in reply.get("warnings", ())]

    def _spawn(self, role: str, arguments: list[str], environment: Mapping[str, str]) -> None:
        spec = ProcessSpec(
            role=role,
            argv=[sys.executable, "-B", *arguments],
            environment=environment,
            log=self._logs / f"{role.replace('/', '-')}.log",
            cwd=self._logs,
        )
        try:
            self._processes[role] = self._backend.start(spec)
        except StartError as error:
            raise InfrastructureError(str(error), role=role) from error

    def _configure(self, role: str, config: Mapping[str, Any]) -> str:
        path = self._logs / "config" / f"{role.replace('/', '-')}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(config, indent=1, sort_keys=True) + "\n")
        return str(path)

    def _connect(self, role: str, address: str) -> None:
        self._channels[role] = Channel(address, self._processes[role], self._check)

    def check_alive(self) -> None:
        """Raise InfrastructureError when a process has ended that should run."""
        for role, process in self._processes.items():
            code = process.exit_code()
            if code is not None and not process.expected_exit:
                raise InfrastructureError(
                    f"{role} ended with {_exit_text(code)} while it was needed",
                    role=role,
                    log_tail=process.log_tail(),
                )

    def close(self) -> None:
        """End every process, the last started first; safe to call twice."""
        for process in self._processes.values():
            process.expected_exit = True
        # signalled in reverse order of their start, waited for together: the recording is closed
        self._backend.stop(list(reversed(self._processes.values())))
        self._backend.close()
        end_run(self._run_id)
        for channel in self._channels.values():
            channel.close()
        self._channels.clear()
        self._domain.release()


def _exit_text(code: int) -> str:
    if code > 128:  # noqa: PLR2004 - a shell's convention for signals
        try:
            return f"signal {signal.Signals(code - 128).name}"
        except ValueError:
            pass
    return f"exit code {code}"


def _project_folders(path: Sequence[str]) -> list[str]:
    """The entries of our import path that hold packages of this project, not the interpreter's."""
    prefix = os.path.realpath(sys.prefix)
    base = os.path.realpath(sys.base_prefix)
    return [
        entry
        for entry in path
        if not os.path.realpath(entry).startswith((prefix + os.sep, base + os.sep))
    ]
