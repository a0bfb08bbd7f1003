import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from fieldproof.model import Path, Problem, TextForm, faults

Identifier = Annotated[
    str,
    TextForm(
        r"^[a-z0-9][a-z0-9_-]{0,99}$",
        "lower-case letters, digits, underscores and hyphens, not a sign first, at most 100",
    ),
]
"""The id of a scenario, a suite or a pack; it names files, so nothing in it leads elsewhere."""

Tag = Annotated[
    str,
    TextForm(
        r"^[a-z0-9]+([_-][a-z0-9]+)*$",
        "a slug such as urban or lane-change: lower-case words joined by - or _",
    ),
]
"""A tag of a scenario."""

ActorName = Annotated[
    str,
    TextForm(
        r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$", "letters, digits, underscores and hyphens, at most 100"
    ),
]
"""The id or the type of an actor, of a traffic light or of a road."""

Version = Annotated[
    str, TextForm(r"^[0-9]+(\.[0-9]+){0,3}([-+.][A-Za-z0-9.+-]+)?$", "a version such as 1.0.0")
]
"""The version of a pack."""

Sha256 = Annotated[
    str, TextForm(r"^[0-9a-f]{64}$", "a SHA-256: 64 hexadecimal digits in lower case")
]
"""A SHA-256."""

MOST_FOLDERS = 8
"""A file of a pack lies in so many folders at most, the pack's own included."""

InnerFile = Annotated[
    str,
    TextForm(
        r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*){0,7}$",
        "a path inside the folder, without .., a leading / or a hidden part",
    ),
]
"""A file under the folder of the one that names it."""

Metres = Annotated[float, Field(ge=-1e6, le=1e6)]
PositiveMetres = Annotated[float, Field(gt=0, le=1e6)]
Degrees = Annotated[float, Field(ge=-36_000, le=36_000)]
Speed = Annotated[float, Field(ge=0, le=1000)]


def _written(value: Any) -> Any:
    found = [Problem("must be a finite number", path) for path in _nonfinite(value, ())]
    if found:
        raise faults("PassedOn", found)
    return value


def _nonfinite(value: Any, path: Path) -> Iterator[Path]:
    if isinstance(value, float) and not math.isfinite(value):
        yield path
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _nonfinite(one, (*path, key))
    elif isinstance(value, list | tuple):
        for place, one in enumerate(value):
            yield from _nonfinite(one, (*path, place))


PassedOn = AfterValidator(_written)
"""Of what is not looked at but written into JSON files, which have no NaN and no infinities."""
