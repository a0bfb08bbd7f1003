"""How measured values are written down: rounded, in sentences, and as JSON data."""

import math
from collections.abc import Mapping
from typing import Any

from fieldproof.model import printable

_DIGITS = 6
_DECIMALS = 3
_MOST_DECIMALS = 16
_LONGEST_TEXT = 200
_LONGEST_LIST = 8


def rounded(value: float | None) -> float | None:
    """Return a calculated figure to six decimals, so that its last bits tell no tale."""
    return None if value is None else round(value, _DIGITS) + 0.0


def number(value: float, *others: float | None) -> str:
    """Return a figure for a sentence: at most three decimals.

    Args:
        value: The figure.
        others: What it is compared with, such as its limit: it gets the decimals that tell it
            apart from those that are not equal to it. Write these in the same way.
    """
    apart = [other for other in others if other is not None and other != value]
    for decimals in range(_DECIMALS, _MOST_DECIMALS):
        text = _fixed(value, decimals)
        if all(text != _fixed(other, decimals) for other in apart):
            return text
    return repr(value)


def _fixed(value: float, decimals: int) -> str:
    if not math.isfinite(value):
        return str(value)
    text = f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def brief(value: Any) -> Any:
    """Return a message's value as evidence shows it: long lists and texts are cut short."""
    if isinstance(value, float | int):
        return value
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return value[:_LONGEST_TEXT] + "…"
    if isinstance(value, list | tuple) and len(value) > _LONGEST_LIST:
        return {"length": len(value), "first": [brief(item) for item in value[:_LONGEST_LIST]]}
    return value


def evidence_of(value: Any) -> Any:
    """Return a copy of a value as JSON data, with NaN and infinities as text.

    Raises:
        TypeError: It holds something that is no JSON data.
    """
    if isinstance(value, bool) or value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {str(key): evidence_of(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [evidence_of(item) for item in value]
    raise TypeError(f"{type(value).__name__} is not JSON data")


def figure_of(value: Any) -> Any:
    """Return a metric as JSON data, None for a number that is not finite.

    Raises:
        TypeError: It is no JSON data.
    """
    plain = evidence_of(value)
    return None if isinstance(value, float) and not math.isfinite(value) else plain
