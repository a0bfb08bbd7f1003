import json

import jsonschema
import pytest

from fieldproof.model import read_yaml, scenario_schema

from .kinds import ASSERTIONS, EVENTS, KPIS, SCENARIO
from .test_malformed_scenarios import TABLE

SCHEMA = scenario_schema(EVENTS, ASSERTIONS, KPIS)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
CAUGHT_BY_EDITORS = [
    "unknown_key_at_the_root",
    "missing_world",
    "other_version",
    "name_in_capitals",
    "unknown_mode",
    "seed_is_text",
    "seed_is_negative",
    "no_vehicles",
    "vehicle_without_spawn",
    "coordinate_is_text",
    "entry_is_text",
    "entry_without_action",
    "unknown_action",
    "unknown_parameter",
    "duration_like_a_clock",
    "duration_without_unit",
    "duration_of_another_unit",
    "count_is_zero",
    "when_of_unknown_metric",
    "text_is_a_number",
    "unknown_assertion_type",
    "assertion_without_name",
    "unknown_reaction",
    "limit_is_missing",
    "unknown_kpi_type",
    "flag_is_text",
    "topics_is_text",
]


def test_the_schema_is_a_draft_07_schema_and_deterministic():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"
    again = scenario_schema(dict(reversed(EVENTS.items())), ASSERTIONS, KPIS)
    assert json.dumps(again) == json.dumps(SCHEMA)
    text = json.dumps(SCHEMA)
    assert "$defs" not in text
    assert "prefixItems" not in text


def test_a_sound_scenario_satisfies_the_schema():
    VALIDATOR.validate(read_yaml(SCENARIO, file="s").value)


@pytest.mark.parametrize("name", CAUGHT_BY_EDITORS)
def test_an_editor_sees_the_fault(name):
    (row,) = [row for row in TABLE if row[0] == name]
    value = read_yaml(SCENARIO.replace(row[1], row[2]), file="s").value
    assert list(VALIDATOR.iter_errors(value))


def test_parameters_carry_their_descriptions():
    assert SCHEMA["definitions"]["Drive"]["properties"]["within_s"]["description"]
    assert SCHEMA["properties"]["world"]["description"]


def test_a_schema_without_any_type_is_still_one():
    empty = scenario_schema({}, {})
    jsonschema.Draft7Validator.check_schema(empty)


def test_every_default_is_one_that_a_file_could_have():
    schema = scenario_schema(EVENTS, ASSERTIONS, KPIS)
    tried = 0
    for part in parts_with_a_default(schema):
        if part["default"] is not None:
            within = {**part, "definitions": schema["definitions"]}
            jsonschema.Draft7Validator(within).validate(part["default"])
            tried += 1
    assert tried > 5


def parts_with_a_default(part):
    if isinstance(part, list):
        for item in part:
            yield from parts_with_a_default(item)
    elif isinstance(part, dict):
        if "default" in part and {"type", "anyOf", "allOf", "enum", "$ref"} & part.keys():
            yield part
        for item in part.values():
            yield from parts_with_a_default(item)
