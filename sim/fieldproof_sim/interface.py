from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from fieldproof_sim.protocol import DriveCommand, Load, Remove, RequestError, Spawn, Teleport, Wind

Publish = Callable[[str, Mapping[str, Any]], None]
"""Takes a topic and the fields of one frame, without `seq` and `time_ns`."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a world holds: model names, and what was left out of the files."""

    models: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Spawned:
    """What was done in a sentence, and what was left out of the model's file."""

    report: str
    warnings: tuple[str, ...] = ()


class Simulator(Protocol):
    """Physics and sensors of one world; knows no sockets, wall clock or pacing.

    Every method raises `RequestError` with a code of the protocol where it must refuse. Before
    `load`, only the attributes may be read.

    Attributes:
        name: what `--simulator` calls it.
        version: of the physics behind it.
        capabilities: the optional requests it carries out.
    """

    name: str
    version: str
    capabilities: tuple[str, ...]

    @property
    def time_ns(self) -> int:
        """Simulation time since `load`, a whole number of physics steps."""
        ...

    @property
    def step_ns(self) -> int:
        """Length of a physics step; 0 before `load`."""
        ...

    def models(self) -> tuple[str, ...]:
        """Return the names of all models, vehicles last."""
        ...

    def load(self, request: Load) -> Loaded:
        """Build world and vehicles at time zero."""
        ...

    def advance(self, until_ns: int, publish: Publish) -> None:
        """Step until a time, handing over each frame when its time has come.

        `until_ns` is a whole number of steps and not in the past. Given equal loads and equal
        requests at equal times, the frames are equal to the bit, however time is divided into
        calls.
        """
        ...

    def command(self, request: DriveCommand) -> None:
        """Set what a vehicle's drive aims at from now on."""
        ...

    def spawn(self, request: Spawn) -> Spawned:
        """Add a model, which acts and is seen from the next step on."""
        ...

    def remove(self, request: Remove) -> str:
        """Take a model away; return what was done in a sentence."""
        ...

    def teleport(self, request: Teleport) -> str:
        """Move a model or vehicle; return what was done in a sentence."""
        ...

    def wind(self, request: Wind) -> str:
        """Set the wind; return what was done in a sentence."""
        ...

    def air(self) -> Mapping[str, Any]:
        """Return the wind as it was set: `velocity` in m/s, world frame, and `enabled`."""
        ...


__all__ = ["Loaded", "Publish", "RequestError", "Simulator", "Spawned"]
