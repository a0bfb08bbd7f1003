"""Scenarios and suites for tests: sound ones, changed where a test wants them so."""

import copy
from pathlib import Path

import yaml

from fieldproof.driving.loading import load_scenario, load_suite

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "agents"
SUITES = ROOT / "scenarios" / "suites"
SMOKE = SUITES / "urban_driving_smoke.yaml"

PLAIN = {
    "id": "plain",
    "name": "Plain",
    "duration_seconds": 10,
    "timestep_seconds": 0.1,
    "ego": {"start": {"x": 0, "y": 0, "yaw": 0, "speed": 5}, "goal": {"x": 20, "y": 0}},
}


def merged(base, changes):
    """A copy of a mapping with others laid over it; None takes a key away."""
    result = copy.deepcopy(base)
    for key, value in changes.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = copy.deepcopy(value)
    return result


def scenario_data(**changes):
    return merged(PLAIN, changes)


def written(folder, data, name=None):
    path = folder / (name or f"{data.get('id', 'scenario')}.yaml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(data, sort_keys=False), "utf-8")
    return path


def loaded(folder, **changes):
    return load_scenario(written(folder, scenario_data(**changes)))


def suite_of(folder, scenarios, gates=None, **changes):
    """A suite over scenario mappings, loaded."""
    names = [written(folder, one, f"driving/{one['id']}.yaml").name for one in scenarios]
    data = {
        "id": "suite",
        "name": "Suite",
        "scenarios": [f"driving/{name}" for name in names],
        **({"gates": gates} if gates else {}),
        **changes,
    }
    return load_suite(written(folder, data, "suite.yaml"))


def actor(**changes):
    base = {"id": "a1", "type": "vehicle", "start": {"x": 50, "y": 0, "yaw": 0, "speed": 0}}
    return merged(base, changes)
