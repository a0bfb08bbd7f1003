import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ENVELOPE = ("kind", "wall", "sim")

_NUMBER = (float, int)
_TEXT = (str,)
_COUNT = (int,)
_FIGURE = (float, int, type(None))
_ANY: tuple[type, ...] = ()

KINDS: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "timeline": {"event": _TEXT},
    "action": {"label": _TEXT, "event": _TEXT, "action": _TEXT},
    "pose": dict.fromkeys(("x", "y", "z", "yaw", "qx", "qy", "qz", "qw"), _NUMBER)
    | {"model": _TEXT},
    "gone": {"model": _TEXT},
    "rate": {"topic": _TEXT, "hz": _NUMBER, "window_s": _NUMBER, "messages": _COUNT},
    "value": {"topic": _TEXT, "field": _TEXT, "value": _ANY},
    "contact": {"vehicle": _TEXT, "collision1": _TEXT, "collision2": _TEXT, "count": _COUNT},
    "latency": dict.fromkeys(("mean_ms", "max_ms", "min_ms", "p95_ms"), _FIGURE)
    | {"topic": _TEXT, "count": _COUNT, "window_s": _NUMBER},
    "lifecycle": {"node": _TEXT, "state": _TEXT},
    "clock": {},
    "resource": dict.fromkeys(("cpu_pct", "memory_mb"), _NUMBER)
    | {"container": _TEXT, "role": _TEXT},
    "field_error": {"topic": _TEXT, "field": _TEXT, "message": _TEXT},
    "ready": {},
    "subscribed": {},
    "recording": {},
    "error": {},
    "stopped": {},
}
"""The kinds of sample, each with the fields it must have and the types they may take."""


class SampleError(ValueError):
    """Something is not a sample.

    Attributes:
        what: The fault, without its place.
        line: The line of the stream it stands on, counted from 1; 0 when it has none.
    """

    def __init__(self, what: str, *, line: int = 0) -> None:
        self.what = what
        self.line = line
        super().__init__(f"line {line}: {what}" if line else what)


@dataclass(frozen=True, slots=True)
class Sample:
    """One observation of a run: a pose, a rate, a field's value, an action's start.

    Attributes:
        kind: What was observed, one of `KINDS`.
        wall: Seconds of the Unix epoch when it was observed; None in lockstep.
        sim: Seconds of simulation time; None when the observation has none.
        data: The kind's own fields, as JSON data (lists rather than tuples). SI units unless a
            suffix says otherwise; poses are in the world frame. Numbers may be NaN or infinite.
    """

    kind: str
    wall: float | None
    sim: float | None
    data: Mapping[str, Any]

    @classmethod
    def of(
        cls, kind: str, *, wall: float | None = None, sim: float | None = None, **data: Any
    ) -> "Sample":
        """Return a sample made from its fields, checked.

        Raises:
            SampleError: The kind is unknown, or a field is missing or of the wrong type.
        """
        return cls.from_data({"kind": kind, "wall": wall, "sim": sim, **data})

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "Sample":
        """Return the sample of a flat mapping, as a line of samples.jsonl holds it.

        Raises:
            SampleError: The kind is unknown, or a field is missing or of the wrong type.
        """
        fields = dict(data)
        try:
            kind, wall, sim = fields.pop("kind"), fields.pop("wall"), fields.pop("sim")
        except KeyError as missing:
            raise SampleError(f"a sample must have {missing}") from None
        required = KINDS.get(kind) if isinstance(kind, str) else None
        if required is None:
            raise SampleError(f"no sample kind is called {kind!r} (known: {', '.join(KINDS)})")
        if (wall is not None or sim is not None) and not (_is_time(wall) and _is_time(sim)):
            raise SampleError(f"wall and sim must be finite seconds or null, not {wall!r}, {sim!r}")
        for name, types in required.items():
            if name not in fields:
                raise SampleError(f"a {kind} sample must have {name!r}")
            if types and type(fields[name]) not in types:
                raise SampleError(f"{name!r} of a {kind} sample is {fields[name]!r}")
        return cls(kind, wall, sim, fields)

    def to_data(self) -> dict[str, Any]:
        """Return the flat mapping that `from_data` takes."""
        return {"kind": self.kind, "wall": self.wall, "sim": self.sim, **self.data}


def _is_time(value: object) -> bool:
    return value is None or (type(value) in _NUMBER and math.isfinite(value))  # type: ignore[arg-type]
