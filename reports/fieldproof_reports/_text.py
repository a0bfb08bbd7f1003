import json
import math
import re
from collections.abc import Mapping
from typing import Any

# What XML 1.0 forbids, the control characters that it merely discourages, lone surrogates, and
# the characters that reorder the text around them.
_UNWANTED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
# A terminal's escape sequences (ECMA-48), whole: without their first character they are litter.
_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-~]"
)
_BEYOND = re.compile(
    "|".join(f"[{chr(n + 0xFFFE)}{chr(n + 0xFFFF)}]" for n in range(0x10000, 0x110000, 0x10000))
)
_SPACE = re.compile(r"\s+")


def clean(text: str) -> str:
    """Return a text without characters that break or disguise a report; line ends become LF."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0c", "\n")
    return _BEYOND.sub("", _UNWANTED.sub("", _ESCAPE.sub("", lines)))


def one_line(text: object) -> str:
    """Return a value as clean text on one line, without white space at its ends."""
    return _SPACE.sub(" ", clean(str(text))).strip()


def first_and_rest(text: object) -> tuple[str, list[str]]:
    """Return a text's first line and its further lines, clean and without ends of white space.

    The reason of an infrastructure error goes on with the last lines of a process.
    """
    lines = [line.rstrip() for line in clean(str(text)).strip().split("\n")]
    return one_line(lines[0]), lines[1:]


def clean_value(value: Any) -> Any:
    """Return JSON data whose texts are clean and whose numbers are finite.

    NaN and the infinities, and the form that samples give them, become the texts `nan`, `inf` and
    `-inf`; what is no JSON data becomes its text.
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, list | tuple):
        return [clean_value(item) for item in value]
    if isinstance(value, Mapping) and set(value) != {"$float"}:
        return {clean(str(key)): clean_value(item) for key, item in value.items()}
    return clean(str(value["$float"] if isinstance(value, Mapping) else value))


def compact(value: Any) -> str:
    """Return JSON data as one line of text with sorted keys."""
    return json.dumps(clean_value(value), sort_keys=True, ensure_ascii=False)


def number(value: Any) -> str:
    """Return a measured value for people: at most six significant digits, texts as they are."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return (
            ""
            if value is None
            else one_line(compact(value) if isinstance(value, list | Mapping) else value)
        )
    if isinstance(value, int) or not math.isfinite(value):
        return str(value)
    return f"{value:.6g}"


def seconds(value: Any) -> str:
    """Return a time in seconds with its unit, empty if there is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return ""
    return f"{value:.3f} s"


def size(count: Any) -> str:
    """Return a number of bytes with the binary unit that suits it."""
    if isinstance(count, bool) or not isinstance(count, int):
        return ""
    amount = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024 or unit == "GiB":  # noqa: PLR2004
            break
        amount /= 1024
    return f"{count} B" if unit == "B" else f"{amount:.1f} {unit}"
