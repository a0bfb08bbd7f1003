"""What parameters each fault takes, and what is said of those that it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

if TYPE_CHECKING:
    from collections.abc import Mapping

Metres = Annotated[float, Field(ge=-1e6, le=1e6)]
NotNegative = Annotated[float, Field(ge=0.0)]
Vector = Annotated[list[float], Field(min_length=3, max_length=3)]


class _Parameters(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class _Plain(_Parameters):
    pass


class _Offset(_Parameters):
    east_m: Metres = 0.0
    north_m: Metres = 0.0
    up_m: Metres = 0.0


class _Bias(_Parameters):
    gyro_radps: Vector = [0.0, 0.0, 0.0]
    accel_mps2: Vector = [0.0, 0.0, 0.0]


class _Dropout(_Parameters):
    probability: float = Field(default=1.0, ge=0.0, le=1.0)


class _Drain(_Parameters):
    to_pct: float = Field(default=0.0, ge=0.0, le=100.0)
    duration_s: float = Field(gt=0.0)


class _Limit(_Parameters):
    max_linear_mps: NotNegative | None = None
    max_angular_radps: NotNegative | None = None


class _LidarNoise(_Parameters):
    range_m: NotNegative = 0.0


class _ImuNoise(_Parameters):
    gyro_radps: NotNegative = 0.0
    accel_mps2: NotNegative = 0.0


class _GnssNoise(_Parameters):
    horizontal_m: NotNegative = 0.0
    vertical_m: NotNegative = 0.0


class _OdometryNoise(_Parameters):
    linear_mps: NotNegative = 0.0
    angular_radps: NotNegative = 0.0


_MODELS: Final[dict[str, type[_Parameters]]] = {
    "deny": _Plain,
    "offset": _Offset,
    "bias": _Bias,
    "dropout": _Dropout,
    "freeze": _Plain,
    "drain": _Drain,
    "limit": _Limit,
}
_NOISES: Final[dict[str, type[_Parameters]]] = {
    "lidar": _LidarNoise,
    "imu": _ImuNoise,
    "gnss": _GnssNoise,
    "odometry": _OdometryNoise,
}
_SENTENCES: Final = {
    "missing": "is missing",
    "finite_number": "must be a finite number",
    "float_type": "must be a number",
    "list_type": "must be a list of three numbers",
    "too_short": "must have three numbers",
    "too_long": "must have three numbers",
    "greater_than": "must be greater than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than_equal": "must be at most {le:g}",
    "model_type": "must be a map of parameters",
}


def checked(kind: str, fault: str, parameters: object) -> Mapping[str, Any]:
    """The parameters of a fault, with the defaults of those that were left out.

    Args:
        kind: the kind of the route, for what differs between kinds.
        fault: the fault's name.
        parameters: as they were given.

    Raises:
        ValueError: with a sentence for each thing that is wrong.
    """
    model = _NOISES[kind] if fault == "noise" else _MODELS[fault]
    try:
        found = model.model_validate(parameters)
    except ValidationError as error:
        known = ", ".join(model.model_fields) or "none"
        raise ValueError("; ".join(_said(one, known) for one in error.errors())) from error
    if isinstance(found, _Limit) and found == _Limit():
        raise ValueError("needs max_linear_mps, max_angular_radps or both")
    return found.model_dump()


def _said(problem: Mapping[str, Any], known: str) -> str:
    """One problem of pydantic's, in the words used here."""
    path = ""
    for part in problem["loc"]:
        path += f"[{part}]" if isinstance(part, int) else str(part)
    if problem["type"] == "extra_forbidden":
        return f"{path} is no parameter of it (known: {known})"
    said = _SENTENCES.get(problem["type"], problem["msg"]).format_map(problem.get("ctx", {}))
    got = "" if problem["type"] == "missing" else f" (got {problem['input']!r})"
    return f"{path} {said}{got}".strip()
