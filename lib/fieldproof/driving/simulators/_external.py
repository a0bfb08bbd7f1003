"""Simulators that are programs of their own: what each needs, and what is missing here."""

import importlib.util
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fieldproof.driving.files import SimulatorSettings


@dataclass(frozen=True, slots=True)
class Requirement:
    """What a simulator's adapter cannot do without.

    Attributes:
        name: as scenarios call the simulator.
        title: as people do.
        module: the Python package of its client.
        port: where the simulator listens unless the scenario says otherwise; None for nowhere.
        install: how to come by the client.
        start: how to start the simulator.
    """

    name: str
    title: str
    module: str
    port: int | None
    install: str
    start: str

    def missing(
        self,
        settings: SimulatorSettings,
        *,
        has_module: Callable[[str], bool],
        is_listening: Callable[[str, int, float], bool],
    ) -> str:
        """Return what is missing in a sentence, empty if nothing is."""
        if not has_module(self.module):
            return (
                f"{self.title} cannot be used: the Python package {self.module} is not installed "
                f"({self.install})"
            )
        port = settings.port or self.port
        if port is not None and not is_listening(settings.host, port, settings.timeout_seconds):
            where = f"{settings.host}:{port}"
            return f"{self.title} cannot be used: nothing listens on {where} ({self.start})"
        return ""


REQUIREMENTS: Mapping[str, Requirement] = {
    one.name: one
    for one in (
        Requirement(
            "carla",
            "CARLA",
            "carla",
            2000,
            "install the client of the server's very version",
            "start the server, CarlaUE4.sh -RenderOffScreen",
        ),
        Requirement(
            "isaac",
            "Isaac Sim",
            "isaacsim",
            None,
            "run this in the Python of Isaac Sim",
            "start Isaac Sim",
        ),
        Requirement(
            "gazebo",
            "Gazebo",
            "gz.transport13",
            None,
            "install the Python bindings of gz-transport, python3-gz-transport13",
            "start gz sim -s with the scenario's world",
        ),
    )
}


def missing_for(settings: SimulatorSettings) -> str:
    """Return what is missing on this machine to use a simulator, empty if nothing is."""
    name = settings.name
    if name == "mock":
        return ""
    if name not in REQUIREMENTS:
        what = "ROS 2" if name == "ros2" else f"the simulator {name}"
        return f"{what} cannot be used for driving scenarios in this version: use mock or carla"
    missing = REQUIREMENTS[name].missing(
        settings, has_module=_has_module, is_listening=_is_listening
    )
    if missing or name == "carla":
        return missing
    title = REQUIREMENTS[name].title
    return f"{title} is there, but this version has no way to drive it: use mock or carla"


def _has_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # of the package around it
        return False


def _is_listening(host: str, port: int, timeout_s: float) -> bool:
    try:
        with socket.create_connection((host, port), timeout=timeout_s):
            return True
    except OSError:
        return False
