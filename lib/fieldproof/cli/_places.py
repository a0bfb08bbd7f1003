"""Where in its scenario file each entry and assertion of a run stands: `scenarios/x.yaml:31`."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fieldproof.model import ScenarioError, SourceMap, read_yaml
from fieldproof.runs import RunDirectory, RunError, read_json

_SOURCE = re.compile(r"assertions\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Places:
    """File and line of each assertion by its name, and of each timeline entry by its label."""

    assertions: Mapping[str, str] = field(default_factory=dict)
    timeline: Mapping[str, str] = field(default_factory=dict)


def places_of(record: Mapping[str, Any], run: RunDirectory, scenario: Path) -> Places:
    """Return where the parts of a run's scenario stand.

    Nothing is known when the file is not the one any more that the run was made of.

    Args:
        record: run.json.
        run: the run's folder, which has the plan.
        scenario: the scenario file.
    """
    try:
        raw = scenario.read_bytes()
        if hashlib.sha256(raw).hexdigest() != record["scenario"].get("sha256"):
            return Places()
        source = read_yaml(raw.decode("utf-8-sig"), file=str(scenario)).source
        entries = read_json(run.path / "execution.json")["timeline"]
    except (OSError, UnicodeDecodeError, ScenarioError, RunError):
        return Places()

    sources = {each["name"]: each.get("source") or "" for each in record["assertions"]}
    timeline = {
        entry["label"]: f"{scenario}:{source.locate(('timeline', place))[0]}"
        for place, entry in enumerate(entries)
    }
    return Places(_lines(sources, source, scenario), timeline)


def assertions_at(
    sources: Mapping[str, str], scenario: Path, *, sha256: str | None = None
) -> Mapping[str, str]:
    """Return file and line of each assertion by its name; nothing for a file that has changed.

    Args:
        sources: where each stands in the scenario, such as `assertions[0]`, by its name.
        scenario: the scenario file.
        sha256: of the file that is meant; whatever is there when None.
    """
    try:
        raw = scenario.read_bytes()
        if sha256 is not None and hashlib.sha256(raw).hexdigest() != sha256:
            return {}
        source = read_yaml(raw.decode("utf-8-sig"), file=str(scenario)).source
    except (OSError, UnicodeDecodeError, ScenarioError):
        return {}
    return _lines(sources, source, scenario)


def _lines(sources: Mapping[str, str], source: SourceMap, scenario: Path) -> dict[str, str]:
    matches = {name: _SOURCE.fullmatch(place) for name, place in sources.items()}
    return {
        name: f"{scenario}:{source.locate(('assertions', int(match[1])))[0]}"
        for name, match in matches.items()
        if match
    }
