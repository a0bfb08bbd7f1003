"""What of an agent's answer can be worked with and written down, whatever it means."""

from typing import Any

from fieldproof.model import legible, printable

_DEEPEST = 100
_LARGEST = 2**1023
_LONGEST_VERSION = 200
_LONGEST_ERROR = 1000
_LONGEST_TRACE = 4000


def problem_of(value: Any) -> str:
    """Return why JSON data cannot be worked with, empty if it can.

    Text must be Unicode that can be written, an integer fit into a floating-point number, and
    lists and mappings lie in each other at most a hundred deep. NaN and infinities are left to
    whoever takes the numbers.
    """
    waiting = [(value, 0)]
    while waiting:
        one, depth = waiting.pop()
        if isinstance(one, str):
            if not _is_text(one):
                return f"text that is no Unicode: {printable(one[:40])}"
        elif isinstance(one, int):
            if abs(one) >= _LARGEST:
                return f"an integer of {one.bit_length()} bits, larger than any number"
        elif isinstance(one, list | dict):
            if depth == _DEEPEST:
                return f"lists or mappings more than {_DEEPEST} deep in each other"
            inner = one if isinstance(one, list) else [*one, *one.values()]
            waiting += [(each, depth + 1) for each in inner]
    return ""


def about_of(value: Any) -> dict[str, str | None] | None:
    """Return what an agent says of itself, printable and short; None if it is nothing of the kind.

    Args:
        value: the answer to `load`.
    """
    if not isinstance(value, dict) or set(value) != {"file", "version"}:
        return None
    if not all(one is None or isinstance(one, str) for one in value.values()):
        return None
    file, version = value["file"], value["version"]
    said = None if version is None else legible(printable(version), most=_LONGEST_VERSION)
    return {"file": file, "version": said}


def error_of(answer: dict[str, Any]) -> tuple[str, str]:
    """Return what an agent raised and the end of its trace, printable and short."""
    error, trace = answer.get("error"), answer.get("trace")
    said = printable(error[:_LONGEST_ERROR]) if isinstance(error, str) else "what it does not name"
    lines = trace[-_LONGEST_TRACE:].splitlines() if isinstance(trace, str) else []
    return said, "\n".join(map(printable, lines))


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
