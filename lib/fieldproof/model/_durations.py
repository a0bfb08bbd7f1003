import math
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from fieldproof.model._problems import fault, shown

NS_PER_S = 1_000_000_000
_LONGEST_NS = 1000 * 3600 * NS_PER_S
_UNITS = {"ms": Decimal(10**6), "s": Decimal(10**9), "m": Decimal(60 * 10**9)}
_UNITS["h"] = 60 * _UNITS["m"]
_TEXT = re.compile(r"([-+]?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18}))\s?(ms|s|m|h)", re.ASCII)
_BARE = re.compile(r"[-+]?\d[\d.]*", re.ASCII)
_HELP = "write 30s, 250ms, 1m, 2h, or a number of seconds"


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A span of time in whole nanoseconds; in a scenario `30s`, `250ms`, `1m`, `2h` or seconds.

    As a pydantic field it is parsed from text or a number and refuses spans beyond 1000 hours;
    serialised, it is a number of seconds, which parses back to the same nanoseconds.
    """

    ns: int = 0

    @classmethod
    def parse(cls, value: object) -> "Duration":
        """Return the duration that a text or a number of seconds stands for.

        Numbers are taken by their decimal digits, so 0.1 is 100 000 000 ns; digits finer than a
        nanosecond are rounded half to even.

        Raises:
            PydanticCustomError: It is no duration, or longer than 1000 hours.
        """
        if isinstance(value, Duration):
            return value
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise fault(f"must be a duration (got {shown(value)})", hint=_HELP)
        if isinstance(value, str):
            exact = _from_text(value)
        elif isinstance(value, float) and not math.isfinite(value):
            raise fault(f"must be a finite duration (got {value})")
        elif abs(value) > _LONGEST_NS:
            raise fault("must be at most 1000h")
        else:
            exact = Decimal(repr(value)) * NS_PER_S
        ns = int(exact.to_integral_value(ROUND_HALF_EVEN))
        if abs(ns) > _LONGEST_NS:
            raise fault(f"must be at most 1000h (got {shown(value)})")
        return cls(ns)

    @property
    def seconds(self) -> float:
        """The span in seconds, rounded once to the nearest float."""
        return self.ns / NS_PER_S

    def to_number(self) -> int | float:
        """Return seconds as an integer where that is exact, and as a float otherwise."""
        return self.ns // NS_PER_S if self.ns % NS_PER_S == 0 else self.seconds

    def __str__(self) -> str:
        return f"{self.to_number()}s"

    @classmethod
    def __get_pydantic_core_schema__(
        cls, _source: type[Any], _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls.parse,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda value: value.to_number(), when_used="json-unless-none"
            ),
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, _schema: CoreSchema, _handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {
            "anyOf": [
                {"type": "number"},
                {"type": "string", "pattern": r"^[-+]?(\d+(\.\d*)?|\.\d+) ?(ms|s|m|h)$"},
            ],
            "description": "A duration: 30s, 250ms, 1m, 2h, or a number of seconds.",
        }


def _from_text(text: str) -> Decimal:
    match = _TEXT.fullmatch(text)
    if match:
        return Decimal(match[1]) * _UNITS[match[2]]
    if _BARE.fullmatch(text):
        raise fault(f"has no unit (got {shown(text)})", hint=f"{text}s, or a number, unquoted")
    raise fault(f"must be a duration (got {shown(text)})", hint=_HELP)


def _not_negative(value: Duration) -> Duration:
    if value.ns < 0:
        raise fault(f"must not be negative (got {value})")
    return value


def _positive(value: Duration) -> Duration:
    if value.ns <= 0:
        raise fault(f"must be positive (got {value})")
    return value


NonNegativeDuration = Annotated[Duration, AfterValidator(_not_negative)]
PositiveDuration = Annotated[Duration, AfterValidator(_positive)]
