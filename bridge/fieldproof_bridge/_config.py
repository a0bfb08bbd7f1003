from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fieldproof_bridge._errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

Mode = Literal["lockstep", "sim", "realtime"]


class SimulatorAddresses(BaseModel):
    """ZeroMQ addresses of the simulator: requests go to ``control``, frames come from ``publish``.

    They are those of the simulator's own protocol, written down beside it.
    """

    model_config = ConfigDict(frozen=True)

    control: str = Field(min_length=1)
    publish: str = Field(min_length=1)


class BridgeConfig(BaseModel):
    """What one bridge process is told when it starts; keys it has no use for are passed over.

    Attributes:
        vehicle: the vehicle's name in the simulator's frames.
        namespace: ROS namespace of the vehicle's topics, with or without slashes around it.
        manifest: the vehicle's manifest as parsed.
        urdf: path of the vehicle's URDF.
        sim: the simulator's addresses.
        control: address the bridge binds its own request socket to.
        clock: whether this bridge is the one of the run that publishes ``/clock``.
        mode: the run's time mode.
        tick_ns: length of a lockstep tick in nanoseconds.
        seed: what the faults' randomness is drawn from.
    """

    model_config = ConfigDict(frozen=True)

    vehicle: str = Field(min_length=1)
    namespace: str
    manifest: dict[str, Any]
    urdf: str = Field(min_length=1)
    sim: SimulatorAddresses
    control: str = Field(min_length=1)
    clock: bool
    mode: Mode
    tick_ns: int = Field(gt=0)
    seed: int = Field(default=0, ge=0)

    @property
    def ros_namespace(self) -> str:
        """The namespace in the absolute form: ``/ugv1``, or ``/`` for none."""
        return "/" + self.namespace.strip("/")

    def absolute(self, topic: str) -> str:
        """The full name of a topic given relative to the vehicle's namespace."""
        if topic.startswith("/"):
            return topic
        prefix = self.ros_namespace
        return f"/{topic}" if prefix == "/" else f"{prefix}/{topic}"

    @classmethod
    def parse(cls, data: object) -> BridgeConfig:
        """Check a parsed configuration.

        Raises:
            ConfigError: with every problem found.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise ConfigError(problem_lines(error)) from error

    @classmethod
    def read(cls, path: Path) -> BridgeConfig:
        """Read a configuration from a JSON file.

        Raises:
            ConfigError: with every problem found.
            OSError: the file cannot be read.
        """
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            raise ConfigError([f"{path.name}:{error.lineno}:{error.colno}: {error.msg}"]) from error
        return cls.parse(data)


def problem_lines(error: ValidationError, prefix: str = "") -> list[str]:
    """Each fault of a pydantic error as ``path: sentence``, the path dotted with indices."""
    lines = []
    for fault in error.errors():
        path = prefix
        for part in fault["loc"]:
            path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
        lines.append(f"{path or 'document'}: {fault['msg']}")
    return lines
