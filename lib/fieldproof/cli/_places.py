"""Where in its scenario file each entry and assertion of a run stands: `scenarios/x.yaml:31`."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fieldproof.model import ScenarioError, read_yaml
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

    def at(section: str, place: int) -> str:
        line, _ = source.locate((section, place))
        return f"{scenario}:{line}"

    matches = {
        each["name"]: _SOURCE.fullmatch(each.get("source") or "") for each in record["assertions"]
    }
    return Places(
        {name: at("assertions", int(match[1])) for name, match in matches.items() if match},
        {entry["label"]: at("timeline", place) for place, entry in enumerate(entries)},
    )
