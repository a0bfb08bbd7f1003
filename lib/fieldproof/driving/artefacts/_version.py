import hashlib
import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from fieldproof.model import ScenarioError, read_plain_file, validated

SCHEMA_VERSION = "1.0"
_MAJOR = 1
_LARGEST_BYTES = 256 << 20

_Model = TypeVar("_Model", bound=BaseModel)


class ArtefactError(Exception):
    """A file of a run or a baseline cannot be read, or not by this version; the text says why."""


def read_artefact(path: Path, model: type[_Model]) -> _Model:
    """Return the artefact in a JSON file.

    Keys that are not known are kept, those that are known must be of their type.

    Raises:
        ArtefactError: There is no such file, it is no JSON, was written by a newer version, or
            does not hold what it should.
    """
    data = read_json_file(path)
    version = data.get("schema_version", SCHEMA_VERSION) if isinstance(data, dict) else None
    if version is not None and not _is_known(version):
        raise ArtefactError(
            f"{path} has the version {version!r}; this Fieldproof reads versions up to "
            f"{SCHEMA_VERSION}"
        )
    try:
        return validated(model, data)
    except ScenarioError as error:
        raise ArtefactError(f"{path}: {error.problems[0]}") from None


def read_json_file(path: Path) -> Any:
    """Return the JSON data in a file; NaN and infinities are refused, as JSON has none.

    Raises:
        ArtefactError: There is no such file, it is too large, or it is no JSON.
    """
    return read_json_and_hash(path)[0]


def read_json_and_hash(path: Path) -> tuple[Any, str]:
    """Return the JSON data in a file and the SHA-256 of the very bytes that it was read from.

    Raises:
        ArtefactError: As `read_json_file`.
    """
    try:
        raw = read_plain_file(path, file=str(path), most=_LARGEST_BYTES)
        return json.loads(raw, parse_constant=_refuse), hashlib.sha256(raw).hexdigest()
    except ScenarioError as error:
        raise ArtefactError(f"{path} {error.problems[0].what}") from None
    except FileNotFoundError:
        raise ArtefactError(f"{path} is not there{_instead(path.parent)}") from None
    except OSError as error:
        raise ArtefactError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise ArtefactError(f"{path} is no JSON: {error}") from None


def _instead(folder: Path) -> str:
    """What a folder is, if it is the run of a robot scenario: that has other files."""
    of_robots = (folder / "execution.json").is_file() and not (folder / "config.yaml").is_file()
    return ": this is the run of a robot scenario, not of a suite" if of_robots else ""


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def _is_known(version: object) -> bool:
    if not isinstance(version, str):
        return False
    major, _, minor = version.partition(".")
    return major.isdecimal() and minor.isdecimal() and int(major) <= _MAJOR
