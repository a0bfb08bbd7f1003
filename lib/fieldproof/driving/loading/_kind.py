"""What a YAML file is meant to be, by its keys."""

import pathlib
from collections.abc import Mapping
from typing import Any

from fieldproof.model import ScenarioError, read_yaml, read_yaml_file

DRIVING_SCENARIO = "a driving scenario"
DRIVING_SUITE = "a driving suite"
PACK = "the manifest of a pack"
ROBOT_SCENARIO = "a robot scenario"

_OF_ROBOTS = frozenset({"apiVersion", "kind", "timeline", "vehicles", "world"})
_OF_SCENARIOS = frozenset(
    {"actors", "duration_seconds", "ego", "initial_state", "timestep_seconds"}
)


def kind_of_file(path: pathlib.Path) -> str | None:
    """Return what the document in a file is meant to be; None where that cannot be told.

    A file that is not there, is no YAML or no mapping is none of these; whoever reads it says why.
    """
    try:
        return kind_of(read_yaml_file(path).value)
    except (OSError, ScenarioError):
        return None


def kind_of_text(text: str) -> str | None:
    """Return what the document in a text is meant to be; None where that cannot be told."""
    try:
        return kind_of(read_yaml(text, file="").value)
    except ScenarioError:
        return None


def kind_of(document: Any) -> str | None:
    """Return what a document is meant to be; None where that cannot be told."""
    if not isinstance(document, Mapping):
        return None
    if _OF_ROBOTS & document.keys():
        return ROBOT_SCENARIO
    if _OF_SCENARIOS & document.keys():
        return DRIVING_SCENARIO
    scenarios = document.get("scenarios")
    if isinstance(scenarios, list) and any(isinstance(one, Mapping) for one in scenarios):
        return PACK
    return DRIVING_SUITE if "gates" in document or scenarios is not None else None
