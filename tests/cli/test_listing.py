import json

import pytest
from jsonschema.validators import validator_for

from fieldproof.assertions import assertion_types
from fieldproof.events import event_types
from fieldproof.kpis import kpi_types
from fieldproof.model import read_yaml_file

LEFT_OUT = {
    "acme.missing of acme-missing": "No module named 'acme_nowhere'",
    "acme.raises of acme-raises": "OSError: no licence",
    "acme.takes of acme-takes": "navigate_to_pose is already registered by fieldproof",
}


def test_every_event_is_listed_with_where_it_comes_from_and_its_keys(call):
    result = call("events")
    assert result.exit_code == 0
    for name, event in event_types().items():
        block = result.stdout.split(f"{name}  (")[1].split("\n\n")[0]
        assert event.summary in block
        for key in event.Entry.model_fields.keys() - {"action", *TRIGGERS}:
            assert f" {key} " in block or key == "vehicle"


TRIGGERS = ("name", "at", "after", "when", "within_s", "every", "count", "until_s")


def test_keys_have_types_in_words_defaults_with_units_and_what_they_are_for(call):
    text = call("events", "navigate_to_pose", "gps.offset", "set_wind").stdout
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "goal placement required Where to, in the world." in lines
    assert "timeout_s duration > 0 300 s How long the drive may take." in lines
    assert "east_m number >= -1000000, <= 1000000 m 0 m Metres east." in lines
    assert (
        "velocity list of 3: number >= -200, <= 200 required [x, y, z] in m/s: east, north, up."
        in lines
    )
    assert "drop" not in text


def test_what_every_entry_has_stands_once_at_the_end(call):
    text = call("events").stdout
    assert text.count("every entry of timeline has") == 1
    common = text.split("every entry of timeline has\n")[1].strip()
    assert [line.split()[0] for line in common.splitlines()] == [
        "name",
        "action",
        "vehicle",
        *TRIGGERS[1:],
    ]


def test_events_are_data_too(call):
    data = json.loads(call("events", "--json").stdout)
    assert data["schema_version"] == 1
    assert data["problems"] == []
    events = {one["action"]: one for one in data["events"]}
    assert set(events) == set(event_types())
    assert events["gps.deny"]["distribution"] == "fieldproof"
    timeout = next(
        one for one in events["navigate_to_pose"]["parameters"] if one["name"] == "timeout_s"
    )
    assert timeout == {
        "name": "timeout_s",
        "type": "duration > 0",
        "required": False,
        "default": 300,
        "unit": "s",
        "description": "How long the drive may take.",
    }
    common = data["common"]["timeline"]
    assert [one["name"] for one in common] == ["name", "action", "vehicle", *TRIGGERS[1:]]


def test_every_assertion_type_is_listed_with_what_it_measures(call):
    result = call("assertions")
    assert result.exit_code == 0
    for name, kind in assertion_types().items():
        block = result.stdout.split(f"{name}  (")[1].split("\n\n")[0]
        for key in [*kind.Spec.model_fields.keys() - {"name", "type", "on_fail"}, *kind.metrics]:
            assert f" {key} " in block
    data = json.loads(call("assertions", "--json").stdout)
    types = {one["type"]: one for one in data["assertions"]}
    assert types["reach_pose"]["metrics"][0] == {
        "name": "closest_m",
        "unit": "m",
        "description": "smallest distance to the target",
    }


def test_every_collector_is_listed_below_the_assertions(call):
    text = call("assertions").stdout
    _, below = text.split("every entry of assertions has")
    for name, kind in kpi_types().items():
        block = below.split(f"{name}  (")[1].split("\n\n")[0]
        for key in [*kind.Spec.model_fields.keys() - {"name", "type"}, *kind.metrics]:
            assert f" {key} " in block
    data = json.loads(call("assertions", "--json").stdout)
    assert [one["type"] for one in data["collectors"]] == sorted(kpi_types())
    assert [one["name"] for one in data["common"]["kpis"]] == ["name", "type"]


@pytest.mark.parametrize(
    ("command", "name", "hint"),
    [
        (
            "events",
            "navigate_to_pos",
            "unknown action 'navigate_to_pos' (nearest: navigate_to_pose",
        ),
        ("assertions", "reach_pos", "unknown type 'reach_pos' (nearest: reach_pose"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(call, command, name, hint):
    result = call(command, name)
    assert result.exit_code == 1
    assert hint in result.stderr


def test_broken_plugins_are_named_with_their_distribution_and_the_exit_code_is_2(
    process, broken_plugins
):
    done = process("events", "--no-color", path=[broken_plugins])
    assert done.returncode == 2
    assert "navigate_to_pose  (fieldproof)" in done.stdout
    assert "acme" not in done.stdout
    for plugin, why in LEFT_OUT.items():
        line = next(line for line in done.stderr.splitlines() if plugin in line)
        assert line.startswith(f"warning: plugin left out: {plugin}: ")
        assert why in line
    done = process("events", "--json", path=[broken_plugins])
    assert done.returncode == 2
    problems = json.loads(done.stdout)["problems"]
    assert {f"{one['name']} of {one['distribution']}" for one in problems} == set(LEFT_OUT)


def test_a_broken_plugin_that_is_asked_for_by_name_is_told_what_is_wrong_with_it(
    process, broken_plugins
):
    done = process("events", "acme.raises", path=[broken_plugins])
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("plugin left out: acme.raises of acme-raises: ")
    assert LEFT_OUT["acme.raises of acme-raises"] in line


def test_a_broken_assertion_plugin_is_named_by_its_own_command(process, broken_plugins):
    done = process("assertions", path=[broken_plugins])
    assert done.returncode == 2
    assert "acme.other of acme-other: is not a class" in done.stderr
    assert "acme.missing" not in done.stderr


def test_a_broken_plugin_is_a_warning_of_validate_and_its_action_unknown(
    process, broken_plugins, root, tmp_path
):
    valid = root / "scenarios" / "ugv_nav_to_goal.yaml"
    done = process("validate", valid, path=[broken_plugins])
    assert done.returncode == 0
    for plugin in [*LEFT_OUT, "acme.other of acme-other"]:
        assert f"warning: plugin left out: {plugin}: " in done.stderr
    uses = tmp_path / "uses.yaml"
    uses.write_text(valid.read_text().replace("action: navigate_to_pose", "action: acme.raises"))
    done = process("validate", uses, path=[broken_plugins])
    assert done.returncode == 2
    assert "unknown action 'acme.raises'" in done.stderr


@pytest.mark.parametrize(
    "command",
    [("run",), ("run", "--dry-run"), ("evaluate", "drive.mcap", "--scenario")],
    ids=["run", "dry_run", "evaluate"],
)
def test_a_broken_plugin_is_a_warning_wherever_its_name_is_unknown(
    process, broken_plugins, root, tmp_path, command
):
    valid = root / "scenarios" / "ugv_nav_to_goal.yaml"
    uses = tmp_path / "uses.yaml"
    uses.write_text(valid.read_text().replace("action: navigate_to_pose", "action: acme.raises"))
    done = process(*command, uses, path=[broken_plugins])
    assert done.returncode == 2
    assert "unknown action 'acme.raises'" in done.stderr
    for plugin in [*LEFT_OUT, "acme.other of acme-other"]:
        assert f"warning: plugin left out: {plugin}: " in done.stderr
    uses.write_text(valid.read_text().replace("world:", "wrld:"))
    assert "plugin left out" not in process(*command, uses, path=[broken_plugins]).stderr


@pytest.mark.parametrize("command", ["events", "assertions"])
def test_a_list_is_coloured_only_where_it_is_asked_for(call, command):
    assert "\x1b" not in call(command).stdout
    assert "\x1b[1m" in call(command, "--color").stdout
    assert "\x1b[1m" in call("--color", command).stdout
    assert "\x1b" not in call("--color", command, "--no-color").stdout


@pytest.mark.parametrize(
    ("kind", "files"),
    [
        ("scenario", "scenarios/*.yaml"),
        ("world", "worlds/*/world.yaml"),
        ("robot", "robots/*/robot.yaml"),
        ("driving_scenario", "scenarios/driving/*.yaml"),
        ("suite", "scenarios/suites/*.yaml"),
        ("pack", "packs/*/pack.yaml"),
    ],
)
def test_the_schema_of_each_kind_of_file_takes_those_of_the_repository(call, root, kind, files):
    schema = json.loads(call("schema", kind).stdout)
    validator = validator_for(schema)(schema)
    validator.check_schema(schema)
    paths = sorted(root.glob(files))
    assert paths
    for path in paths:
        assert not list(validator.iter_errors(read_yaml_file(path).value)), path
        assert list(validator.iter_errors({"kind": "Nonsense"}))


def test_without_a_kind_the_schema_is_that_of_scenarios(call):
    assert call("schema").stdout == call("schema", "scenario").stdout
    assert call("schema", "lorry").exit_code == 2
