"""Which processes a run consists of, with their command lines and configurations: pure data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Addresses:
    """ZeroMQ addresses of one run, in the kernel's abstract namespace: no file, host-wide unique.

    Attributes:
        run_id: makes them the run's own.
    """

    run_id: str

    def of(self, name: str) -> str:
        """The address of one endpoint."""
        return f"ipc://@fieldproof-{self.run_id}-{name}"

    @property
    def simulator_control(self) -> str:
        """Where the simulator serves requests."""
        return self.of("simulator")

    @property
    def simulator_frames(self) -> str:
        """Where the simulator publishes frames."""
        return self.of("frames")

    def bridge(self, vehicle: str) -> str:
        """Where a vehicle's bridge serves requests."""
        return self.of(f"bridge-{vehicle}")

    @property
    def observer(self) -> str:
        """Where the observer serves requests."""
        return self.of("observer")


def simulator_arguments(addresses: Addresses) -> list[str]:
    """Arguments of the simulator, after the interpreter."""
    return [
        *("-m", "fieldproof_sim", "--simulator", "mujoco"),
        *("--control", addresses.simulator_control),
        *("--publish", addresses.simulator_frames),
    ]


def load_request(execution: Mapping[str, Any], plan: Path) -> dict[str, Any]:
    """Fields of the simulator's `load` request; paths lie in the plan's folder."""
    return {
        "world": str(plan / execution["world"]["sdf"]),
        "physics_step_ns": execution["world"]["physics"]["step_ns"],
        "seed": execution["time"]["seed"],
        "vehicles": [
            {
                "name": vehicle["name"],
                "namespace": vehicle["namespace"],
                "urdf": str(plan / vehicle["urdf"]),
                "manifest": vehicle["manifest"],
                "spawn": _on_its_wheels(vehicle),
            }
            for vehicle in execution["vehicles"]
        ],
    }


def _on_its_wheels(vehicle: Mapping[str, Any]) -> dict[str, float]:
    """The pose of the root link when the vehicle stands on the ground at its spawn placement."""
    spawn = vehicle["spawn"]
    height_m = vehicle["manifest"]["model"].get("spawn_height_m") or 0.0
    return {**spawn, "z": spawn["z"] + height_m}


def bridge_config(
    execution: Mapping[str, Any], index: int, addresses: Addresses, plan: Path
) -> dict[str, Any]:
    """Configuration of one vehicle's bridge; the first one owns /clock."""
    vehicle = execution["vehicles"][index]
    return {
        "vehicle": vehicle["name"],
        "namespace": vehicle["namespace"],
        "manifest": vehicle["manifest"],
        "urdf": str(plan / vehicle["urdf"]),
        "world_origin": execution["world"]["origin"],
        "spawn": vehicle["spawn"],
        "sim": {"control": addresses.simulator_control, "publish": addresses.simulator_frames},
        "control": addresses.bridge(vehicle["name"]),
        "clock": index == 0,
        "mode": execution["time"]["mode"],
        "tick_ns": execution["time"]["tick_ns"],
        "seed": execution["time"]["seed"],
    }


def observer_config(
    execution: Mapping[str, Any], addresses: Addresses, recording: Path
) -> dict[str, Any]:
    """Configuration of the observer."""
    return {
        "control": addresses.observer,
        "sim": {"control": addresses.simulator_control, "publish": addresses.simulator_frames},
        "mode": execution["time"]["mode"],
        "target_rtf": _pace(execution["time"]),
        "vehicles": [vehicle["name"] for vehicle in execution["vehicles"]],
        "observe": execution["observe"],
        "record": execution["record"],
        "gates": [
            absolute(vehicle, gate["topic"])
            for vehicle in execution["vehicles"]
            for gate in vehicle["manifest"]["readiness"]["gates"]
            if gate.get("topic")
        ],
        "handshake": [
            absolute(vehicle, vehicle["manifest"]["lockstep"]["ack"])
            for vehicle in execution["vehicles"]
            if vehicle["manifest"]["lockstep"].get("ack")
        ],
        "recording": str(recording) if execution["record"]["enabled"] else None,
    }


def _pace(time: Mapping[str, Any]) -> float | None:
    """Simulation seconds that a wall second should bring; None in lockstep."""
    if time["mode"] == "lockstep":
        return None
    return 1.0 if time["mode"] == "realtime" else float(time["rtf"])


def managed_nodes(execution: Mapping[str, Any]) -> dict[str, str]:
    """The vehicle that each observed managed node belongs to; others belong to none."""
    return {
        item["node"]: vehicle["name"]
        for item in execution["observe"].get("lifecycles", ())
        for vehicle in execution["vehicles"]
        if item["node"].startswith(absolute(vehicle, ""))
    }


def absolute(vehicle: Mapping[str, Any], name: str) -> str:
    """A name under the vehicle's namespace, or as it is when it starts with a slash."""
    return name if name.startswith("/") else f"/{vehicle['namespace'].strip('/')}/{name}"


def vehicle_processes(vehicle: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """(role, arguments after the interpreter) of each process of a vehicle's stack."""
    namespace = "/" + vehicle["namespace"].strip("/")
    return [
        (f"{vehicle['name']}/{process['name']}", _node_arguments(process, namespace))
        for process in vehicle["manifest"]["stack"]["processes"]
    ]


def _node_arguments(process: Mapping[str, Any], namespace: str) -> list[str]:
    parameters = {"use_sim_time": True, **(process.get("parameters") or {})}
    return [
        *("-m", process["module"], "--ros-args"),
        *("-r", f"__ns:={namespace}", "-r", f"__node:={process['node']}"),
        *("-r", "/tf:=tf", "-r", "/tf_static:=tf_static"),
        *(
            argument
            for name, value in sorted(parameters.items())
            for argument in ("-p", f"{name}:={json.dumps(value)}")
        ),
    ]
