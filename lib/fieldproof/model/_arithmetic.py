import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_MOST_BITS = 4096
_MOST_EXPONENT = 1024
_MOST_DIGITS = 15


@dataclass(frozen=True, slots=True)
class Function:
    """A function that conditions may call, with the number of arguments it takes."""

    call: Callable[..., Any]
    least: int = 1
    most: int = 1


def _number(value: Any) -> Any:
    if isinstance(value, int | float):
        return value
    if isinstance(value, str | bytes | list | tuple | Mapping) or value is None:
        raise TypeError(f"{type(value).__name__} cannot be calculated with")
    return value.item() if hasattr(value, "item") else value


def _bounded(value: Any) -> Any:
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise OverflowError("a whole number grows beyond its bounds")
    return value


def _numeric(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda left, right: _bounded(function(_number(left), _number(right)))


def _power(base: Any, exponent: Any) -> Any:
    base, exponent = _number(base), _number(exponent)
    if isinstance(base, int) and isinstance(exponent, int) and exponent > 0:
        if exponent > _MOST_EXPONENT or base.bit_length() * exponent > _MOST_BITS:
            raise OverflowError("a power grows beyond its bounds")
        return base**exponent
    return math.pow(base, exponent)


def _round(value: Any, digits: int = 0) -> Any:
    if abs(digits) > _MOST_DIGITS:
        raise OverflowError(f"round takes at most {_MOST_DIGITS} digits")
    return round(_number(value), digits) if digits else round(_number(value))


def _whole(value: Any) -> int:
    if isinstance(value, str) and len(value) > 2 * _MOST_DIGITS:
        raise ValueError("the text is too long for a whole number")
    return int(value)


BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: _numeric(operator.add),
    ast.Sub: _numeric(operator.sub),
    ast.Mult: _numeric(operator.mul),
    ast.Div: _numeric(operator.truediv),
    ast.FloorDiv: _numeric(operator.floordiv),
    ast.Mod: _numeric(operator.mod),
    ast.Pow: _power,
}
UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: lambda value: +_number(value),
    ast.USub: lambda value: -_number(value),
}
COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, container: item in container,
    ast.NotIn: lambda item, container: item not in container,
}
FUNCTIONS: Mapping[str, Function] = {
    "abs": Function(abs),
    "min": Function(min, most=64),
    "max": Function(max, most=64),
    "round": Function(_round, most=2),
    "sqrt": Function(math.sqrt),
    "len": Function(len),
    "float": Function(float),
    "int": Function(_whole),
    "isnan": Function(math.isnan),
    "isinf": Function(math.isinf),
}
