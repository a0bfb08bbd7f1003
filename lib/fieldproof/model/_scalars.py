import re

from fieldproof.model._problems import shown

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_INTEGER = re.compile(r"[-+]?[0-9]+", re.ASCII)
_OCTAL = re.compile(r"0o[0-7]+", re.ASCII)
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_INFINITE = re.compile(r"([-+]?)\.(?:inf|Inf|INF)", re.ASCII)
_NAN = frozenset({".nan", ".NaN", ".NAN"})
_LONGEST_NUMBER = 400
_LARGEST = 2**63 - 1

STR = "tag:yaml.org,2002:str"
_TAGS = {
    "tag:yaml.org,2002:null": type(None),
    "tag:yaml.org,2002:bool": bool,
    "tag:yaml.org,2002:int": int,
    "tag:yaml.org,2002:float": float,
}

Scalar = None | bool | int | float | str


class ScalarError(ValueError):
    """A scalar has no value: it is out of range, or its tag does not fit."""


def plain_scalar(text: str) -> Scalar:
    """Return what an unquoted scalar stands for by the core schema of YAML 1.2.

    Only what that schema lists is anything but text: `on`, `no`, `1:30`, `1_000`, `0b1` and
    `2024-01-01` are texts, `1e3` and `5e-6` are numbers, `010` is ten.

    Raises:
        ScalarError: A number does not fit into 64 bits.
    """
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    first = text[0]
    if not (first.isdigit() or first in "+-."):
        return text
    return _number(text)


def tagged_scalar(tag: str, text: str) -> Scalar:
    """Return the value of a scalar with a tag of the core schema.

    Raises:
        ScalarError: The tag is another one, or the text is no such value.
    """
    if tag in {STR, "!"}:
        return text
    wanted = _TAGS.get(tag)
    if wanted is None:
        raise ScalarError(f"has the tag {shown(tag)}, and only those of plain data are read")
    value = plain_scalar(text)
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not wanted:
        raise ScalarError(f"is tagged !!{tag.rpartition(':')[2]} and is none (got {shown(text)})")
    return value


def _number(text: str) -> Scalar:
    integer = _INTEGER.fullmatch(text)
    if len(text) > _LONGEST_NUMBER and (integer or _FLOAT.fullmatch(text)):
        raise ScalarError("is a number of too many digits")
    value: Scalar = text
    if integer:
        value = int(text)
    elif _OCTAL.fullmatch(text) or _HEXADECIMAL.fullmatch(text):
        value = int(text, 0)
    elif _FLOAT.fullmatch(text):
        value = float(text)
        if value in {float("inf"), float("-inf")}:
            raise ScalarError(f"is a number out of range (got {shown(text)})")
    elif text in _NAN:
        value = float("nan")
    else:
        infinite = _INFINITE.fullmatch(text)
        value = float(f"{infinite[1]}inf") if infinite else text
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise ScalarError(f"is a whole number out of range (got {shown(text)})")
    return value
