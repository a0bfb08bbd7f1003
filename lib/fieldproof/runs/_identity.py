import re
from datetime import UTC, datetime
from uuid import UUID

_RUN_ID = re.compile(r"[0-9a-f]{8,64}-\d{8}T\d{6}Z-[0-9a-f]{8}")
_SHORT = 8


def make_run_id(scenario_sha256: str, *, now: datetime, unique: UUID) -> str:
    """Return `<scenario hash>-<UTC timestamp>-<short uuid>`, which names a run and its folder.

    Args:
        scenario_sha256: lower-case hexadecimal; the first 8 digits are used.
        now: when the run starts, with its time zone.
        unique: tells apart runs of one scenario that start in one second.

    Raises:
        ValueError: The hash is too short or not hexadecimal, or `now` has no time zone.
    """
    if now.tzinfo is None:
        raise ValueError("the start of a run needs a time zone")
    run_id = (
        f"{scenario_sha256[:_SHORT]}-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{unique.hex[:_SHORT]}"
    )
    if not is_run_id(run_id):
        raise ValueError(f"{scenario_sha256!r} is not a SHA-256 in lower-case hexadecimal")
    return run_id


def is_run_id(text: str) -> bool:
    """Tell whether a text has the form of a run id."""
    return _RUN_ID.fullmatch(text) is not None


def start_of(run_id: str) -> str:
    """Return the part of a run id that sorts runs by their start."""
    return run_id.split("-")[1]
