import re
from typing import Annotated

from pydantic import AfterValidator, Field

from fieldproof.model import fault, shown

_ID = r"^[a-z0-9][a-z0-9_-]{0,99}$"
_TAG = r"^[a-z0-9]+([_-][a-z0-9]+)*$"
_ACTOR = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$"
_VERSION = r"^[0-9]+(\.[0-9]+){0,3}([-+.][A-Za-z0-9.+-]+)?$"
_SHA256 = r"^[0-9a-f]{64}$"
_FILE = r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*){0,7}$"
_LONGEST = 255


def _matching(pattern: str, what: str) -> AfterValidator:
    compiled = re.compile(pattern.removesuffix("$") + r"\Z", re.ASCII)

    def check(text: str) -> str:
        if len(text) > _LONGEST or not compiled.match(text):
            raise fault(f"must be {what} (got {shown(text)})")
        return text

    return AfterValidator(check)


Identifier = Annotated[
    str,
    _matching(
        _ID, "lower-case letters, digits, underscores and hyphens, not a sign first, at most 100"
    ),
    Field(json_schema_extra={"pattern": _ID}),
]
"""The id of a scenario, a suite or a pack; it names files, so nothing in it leads elsewhere."""

Tag = Annotated[
    str,
    _matching(_TAG, "a slug such as urban or lane-change: lower-case words joined by - or _"),
    Field(json_schema_extra={"pattern": _TAG}),
]
"""A tag of a scenario."""

ActorName = Annotated[
    str,
    _matching(_ACTOR, "letters, digits, underscores and hyphens, at most 100"),
    Field(json_schema_extra={"pattern": _ACTOR}),
]
"""The id or the type of an actor, of a traffic light or of a road."""

Version = Annotated[
    str,
    _matching(_VERSION, "a version such as 1.0.0"),
    Field(json_schema_extra={"pattern": _VERSION}),
]
"""The version of a pack."""

Sha256 = Annotated[
    str,
    _matching(_SHA256, "a SHA-256: 64 hexadecimal digits in lower case"),
    Field(json_schema_extra={"pattern": _SHA256}),
]
"""A SHA-256."""

InnerFile = Annotated[
    str,
    _matching(_FILE, "a path inside the folder, without .., a leading / or a hidden part"),
    Field(json_schema_extra={"pattern": _FILE}),
]
"""A file under the folder of the one that names it."""

Metres = Annotated[float, Field(ge=-1e6, le=1e6)]
PositiveMetres = Annotated[float, Field(gt=0, le=1e6)]
Degrees = Annotated[float, Field(ge=-36_000, le=36_000)]
Speed = Annotated[float, Field(ge=0, le=1000)]
