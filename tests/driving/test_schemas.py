"""The committed JSON Schemas are those of the models, and every file here is valid by them.

FIELDPROOF_UPDATE_GOLDEN=1 writes them anew.
"""

import json
import os

import jsonschema
import pytest
import yaml

from fieldproof.driving.artefacts import MODELS, schema_of

from .builders import ROOT

FOLDER = ROOT / "schemas" / "driving"


@pytest.mark.parametrize("name", sorted(MODELS))
def test_a_schema_is_as_committed(name):
    schema = schema_of(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    path = FOLDER / f"{name}.schema.json"
    if os.environ.get("FIELDPROOF_UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(schema, indent=2, sort_keys=True) + "\n", "utf-8")
    assert json.loads(path.read_text("utf-8")) == schema


def test_no_schema_is_committed_that_no_model_has():
    assert {path.name for path in FOLDER.iterdir()} == {f"{name}.schema.json" for name in MODELS}


FILES = [
    *(("scenario", path) for path in sorted(ROOT.glob("scenarios/driving/*.yaml"))),
    *(("scenario", path) for path in sorted(ROOT.glob("packs/*/scenarios/*.yaml"))),
    *(("suite", path) for path in sorted(ROOT.glob("scenarios/suites/*.yaml"))),
    *(("pack", path) for path in sorted(ROOT.glob("packs/*/pack.yaml"))),
]


@pytest.mark.parametrize(("name", "path"), FILES, ids=lambda value: getattr(value, "stem", value))
def test_every_file_here_is_valid_by_its_schema(name, path):
    schema = json.loads((FOLDER / f"{name}.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(yaml.safe_load(path.read_text("utf-8")))
