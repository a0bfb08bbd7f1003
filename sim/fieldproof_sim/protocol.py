"""The requests of the simulator protocol, checked; sim/PROTOCOL.md says what each one does."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictInt,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from fieldproof_sim._wire import (
    CLOCK_TOPIC,
    POSE_TOPIC,
    PROTOCOL_VERSION,
    SYNC_TOPIC,
    Code,
    WireError,
    contact_topic,
    decode,
    encode,
    sensor_topic,
)

__all__ = [
    "CLOCK_TOPIC",
    "OPS",
    "POSE_TOPIC",
    "PROTOCOL_VERSION",
    "SYNC_TOPIC",
    "Box",
    "Code",
    "Command",
    "Cylinder",
    "Hello",
    "Load",
    "Pause",
    "Place",
    "Remove",
    "Request",
    "RequestError",
    "Resume",
    "Shape",
    "Shutdown",
    "Spawn",
    "Sphere",
    "State",
    "Step",
    "Sync",
    "Teleport",
    "VehicleEntry",
    "Wind",
    "WireError",
    "contact_topic",
    "decode",
    "encode",
    "explain",
    "failure",
    "parse_request",
    "sensor_topic",
    "success",
]

_Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]*$", max_length=64)]
_Nanoseconds = Annotated[StrictInt, Field(ge=0, lt=2**63)]
_Metres = Annotated[float, Field(ge=-1e6, le=1e6)]
_Length = Annotated[float, Field(gt=0, le=1e4)]
_Pace = Annotated[float, Field(gt=0, le=1e4)]


class RequestError(ValueError):
    """A request that cannot be carried out, with the code its sender gets."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Place(_Message):
    """A pose on the ground, world frame: metres, yaw in radians."""

    x: _Metres
    y: _Metres
    z: _Metres = 0.0
    yaw: Annotated[float, Field(ge=-1e4, le=1e4)] = 0.0


class VehicleEntry(_Message):
    """A vehicle to load; `spawn` places the root link of its URDF."""

    name: _Name
    namespace: str = ""
    urdf: Path
    manifest: dict[str, Any]
    spawn: Place


class Hello(_Message):
    """Who is there?"""

    op: Literal["hello"]


class Load(_Message):
    """Build the world and its vehicles at time zero, paused."""

    op: Literal["load"]
    world: Path
    physics_step_ns: Annotated[StrictInt, Field(gt=0, le=100_000_000)]
    seed: Annotated[StrictInt, Field(ge=0, lt=2**63)]
    vehicles: tuple[VehicleEntry, ...] = ()


class Sync(_Message):
    """Publish a frame that a subscriber can recognise."""

    op: Literal["sync"]
    token: str | int


class DriveCommand(_Message):
    """The speed that a vehicle's drive is to aim at."""

    vehicle: str
    linear_mps: float
    angular_radps: float


class Step(_Message):
    """Advance to a time and stop there; commands given along apply from its first instant.

    It is done before the answer, or with `rtf` at that pace after it.
    """

    op: Literal["step"]
    until_ns: _Nanoseconds | None = None
    advance_ns: _Nanoseconds | None = None
    steps: Annotated[StrictInt, Field(ge=0, le=10**9)] | None = None
    rtf: _Pace | None = None
    commands: tuple[DriveCommand, ...] = ()

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if sum(value is not None for value in (self.until_ns, self.advance_ns, self.steps)) != 1:
            raise ValueError("give one of until_ns, advance_ns and steps")
        return self


class Pause(_Message):
    """Stop free running."""

    op: Literal["pause"]


class Resume(_Message):
    """Run freely at a real-time factor, or as fast as possible."""

    op: Literal["resume"]
    rtf: _Pace | None = None


class State(_Message):
    """What time is it, and does it run?"""

    op: Literal["state"]


class Command(DriveCommand):
    """Set the speed that a vehicle's drive aims at, while time runs freely."""

    op: Literal["command"]


class Box(_Message):
    """A box by its edge lengths in metres."""

    type: Literal["box"]
    size: tuple[_Length, _Length, _Length]


class Cylinder(_Message):
    """An upright cylinder, in metres."""

    type: Literal["cylinder"]
    radius: _Length
    length: _Length


class Sphere(_Message):
    """A sphere, in metres."""

    type: Literal["sphere"]
    radius: _Length


Shape = Annotated[Box | Cylinder | Sphere, Field(discriminator="type")]
_Unit = Annotated[float, Field(ge=0, le=1)]


class Spawn(_Message):
    """Add a model: a shape that stands on `pose`, or an SDF model placed at it."""

    op: Literal["spawn"]
    model: _Name
    pose: Place
    shape: Shape | None = None
    sdf: Path | None = None
    static: bool = True
    mass_kg: Annotated[float, Field(gt=0, le=1e6)] = 1.0
    color: tuple[_Unit, _Unit, _Unit] = (0.8, 0.6, 0.3)

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if (self.shape is None) == (self.sdf is None):
            raise ValueError("give either shape or sdf")
        extra = self.model_fields_set & {"static", "mass_kg", "color"}
        if self.sdf is not None and extra:
            raise ValueError(f"{', '.join(sorted(extra))}: the model of sdf has its own")
        return self


class Remove(_Message):
    """Take a model of the world away."""

    op: Literal["remove"]
    model: str


class Teleport(_Message):
    """Put a model or vehicle elsewhere at once, its velocities kept."""

    op: Literal["teleport"]
    model: str
    pose: Place


class Wind(_Message):
    """Set the wind in m/s, world frame."""

    op: Literal["wind"]
    velocity: tuple[float, float, float]
    enabled: bool = True


class Shutdown(_Message):
    """End the process."""

    op: Literal["shutdown"]


Request = (
    Hello
    | Load
    | Sync
    | Step
    | Pause
    | Resume
    | State
    | Command
    | Spawn
    | Remove
    | Teleport
    | Wind
    | Shutdown
)
_MESSAGES: Final[dict[str, type[_Message]]] = {
    "hello": Hello,
    "load": Load,
    "sync": Sync,
    "step": Step,
    "pause": Pause,
    "resume": Resume,
    "state": State,
    "command": Command,
    "spawn": Spawn,
    "remove": Remove,
    "teleport": Teleport,
    "wind": Wind,
    "shutdown": Shutdown,
}
OPS: Final = tuple(_MESSAGES)
_ADAPTER: Final[TypeAdapter[Request]] = TypeAdapter(Annotated[Request, Field(discriminator="op")])


def parse_request(payload: bytes) -> Request:
    """Turn the bytes of a request into its message.

    Raises:
        RequestError: `unknown_op`, or `bad_request` with every field that is wrong.
    """
    try:
        fields = decode(payload)
    except WireError as error:
        raise RequestError(Code.BAD_REQUEST, str(error)) from error
    op = fields.get("op")
    if not isinstance(op, str):
        raise RequestError(Code.BAD_REQUEST, "op: must name a request")
    if op not in _MESSAGES:
        near = difflib.get_close_matches(op, OPS, n=1)
        hint = f" (nearest: {near[0]})" if near else ""
        raise RequestError(Code.UNKNOWN_OP, f"no request is called {op}{hint}")
    try:
        return _ADAPTER.validate_python(fields)
    except ValidationError as error:
        raise RequestError(Code.BAD_REQUEST, explain(error, skip=1)) from error


def explain(error: ValidationError, *, skip: int = 0) -> str:
    """Say every problem of a validation error in one line; `skip` leading path parts are left out.

    Each reads `path[0].key: what (got value)`.
    """
    rows = []
    for problem in error.errors(include_url=False):
        path = ""
        for part in problem["loc"][skip:]:
            path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
        given = "" if problem["type"] == "missing" else f" (got {problem['input']!r:.80})"
        what = problem["msg"].removeprefix("Value error, ")
        rows.append(f"{path}: {what}{given}" if path else what)
    return "; ".join(rows)


def success(**fields: Any) -> bytes:
    """Pack the answer to a request that was carried out."""
    return encode({"ok": True, **fields})


def failure(code: Code, message: str) -> bytes:
    """Pack the answer to a request that was not."""
    return encode({"ok": False, "code": code.value, "message": message})
