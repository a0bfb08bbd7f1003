import hashlib
import json
from collections.abc import Mapping, Sequence

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


def canonical_json(value: object) -> str:
    """Return the one text that stands for a value made of mappings, lists and scalars.

    Keys are sorted, separators compact, non-ASCII text is kept, and there is no final newline.

    Raises:
        ValueError: A number is NaN or infinite.
        TypeError: A value or a key has no JSON form.
    """
    _check_keys(value)
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def canonical_document(value: object) -> str:
    """Return the canonical text as a file holds it: one line, ended by a newline."""
    return canonical_json(value) + "\n"


def digest_of(value: object) -> str:
    """Return the SHA-256 of the canonical text in UTF-8, in lower-case hexadecimal."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def _check_keys(value: object) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"a key of a JSON object must be a string, not {key!r}")
            _check_keys(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_keys(item)
