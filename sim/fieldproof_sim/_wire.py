from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

import msgpack

PROTOCOL_VERSION: Final = 1
SYNC_TOPIC: Final = "sync"
CLOCK_TOPIC: Final = "clock"
POSE_TOPIC: Final = "pose"


class Code(StrEnum):
    """Why a simulator refused a request."""

    BAD_REQUEST = "bad_request"
    UNKNOWN_OP = "unknown_op"
    NOT_LOADED = "not_loaded"
    NOT_PAUSED = "not_paused"
    UNKNOWN_VEHICLE = "unknown_vehicle"
    BAD_WORLD = "bad_world"
    BAD_ROBOT = "bad_robot"
    NOT_IMPLEMENTED = "not_implemented"
    REFUSED = "refused"


class WireError(ValueError):
    """Bytes that are not a msgpack map with string keys."""


def contact_topic(vehicle: str) -> str:
    """Topic of the frames of a vehicle's contact sensor."""
    return f"contact/{vehicle}"


def sensor_topic(vehicle: str, sensor: str) -> str:
    """Topic of the frames of one sensor of a vehicle."""
    return f"sensor/{vehicle}/{sensor}"


def encode(message: Mapping[str, Any]) -> bytes:
    """Pack a map; byte strings stay bytes, text becomes utf-8."""
    packed: bytes = msgpack.packb(message, use_bin_type=True)
    return packed


def decode(payload: bytes) -> dict[str, Any]:
    """Unpack a map with string keys.

    Raises:
        WireError: the bytes are anything else.
    """
    try:
        message = msgpack.unpackb(payload, raw=False, strict_map_key=True)
    except (ValueError, msgpack.UnpackException) as error:
        raise WireError(f"not msgpack: {error}") from error
    if not isinstance(message, dict) or not all(isinstance(key, str) for key in message):
        raise WireError("not a map with string keys")
    return message
