"""The schema that editors use: committed, up to date, and in step with the models."""

import json
from pathlib import Path

import jsonschema
import pytest

from fieldproof.engine.resolve import installed_schema
from fieldproof.model import read_yaml_file

ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / "schemas" / "scenario.schema.json"
SCENARIOS = sorted((ROOT / "scenarios").glob("*.yaml"))


def test_the_committed_schema_is_that_of_what_is_installed():
    assert json.loads(COMMITTED.read_text()) == installed_schema(), (
        "write it anew: ./fieldproof schema > schemas/scenario.schema.json"
    )


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_every_scenario_tells_editors_of_its_schema_and_satisfies_it(path):
    first = path.read_text().splitlines()[0]
    said = first.removeprefix("# yaml-language-server: $schema=")
    assert said != first, f"{path.name} has no modeline"
    assert (path.parent / said).resolve() == COMMITTED
    jsonschema.Draft7Validator(installed_schema()).validate(read_yaml_file(path).value)
