import pathlib

import jsonschema
import pytest

from fieldproof.engine.resolve import installed_schema, resolve
from fieldproof.model import ScenarioError, canonical_document, read_yaml

ROOT = pathlib.Path(__file__).parents[2]


def resolved(path, file=None):
    return resolve(path, ROOT / "worlds", ROOT / "robots", file=file)


@pytest.mark.parametrize("name", ["ugv_nav_to_goal", "ugv_nav_fails_on_time"])
def test_the_scenarios_of_the_first_drive_resolve(name):
    found = resolved(ROOT / f"scenarios/{name}.yaml")
    assert found.scenario.name == name
    (drive,) = found.execution["timeline"]
    assert drive["resolved"]["goal"]["x"] == pytest.approx(4.0)
    assert [one["name"] for one in found.evaluation["assertions"]] == [
        "reached_goal",
        "arrived_in_time",
        "lidar_alive",
        "no_collision",
        "speed_bounded",
        "stays_in_yard",
        "drives_straight",
        "mission_in_time",
        "odom_fresh",
        "stack_in_budget",
        "navigator_active",
        "mission_order",
        "stops_at_goal",
    ]
    assert [one["name"] for one in found.evaluation["kpis"]] == [
        "drive",
        "mission",
        "scan_age",
        "stack",
        "commanded",
    ]


def test_the_failing_scenario_runs_what_the_passing_one_runs():
    passing = resolved(ROOT / "scenarios/ugv_nav_to_goal.yaml").execution
    failing = resolved(ROOT / "scenarios/ugv_nav_fails_on_time.yaml").execution
    assert canonical_document(dict(passing, scenario=None)) == canonical_document(
        dict(failing, scenario=None)
    )


def test_faults_of_every_kind_are_found_at_once(tmp_path):
    text = (ROOT / "scenarios/ugv_nav_to_goal.yaml").read_text("utf-8")
    for old, new in [
        ("spawn_dock", "spawn_dok"),
        ("action: navigate_to_pose", "action: navigate_to_pos"),
        ("tolerance_m", "tolerence_m"),
        ("topic: scan\n    vehicle", "topic: scann\n    vehicle"),
        ("abs(value)", "abs(speed)"),
    ]:
        assert text.count(old) == 1
        text = text.replace(old, new)
    path = tmp_path / "s.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(ScenarioError) as caught:
        resolved(path, "s.yaml")
    assert [str(problem).split(": ", 1)[1] for problem in caught.value.problems] == [
        "vehicles[0].spawn.frame: unknown frame 'spawn_dok' of the world dock_yard (nearest: spawn_dock, spawn_dock_west)",
        "timeline[0].action: unknown action 'navigate_to_pos' (nearest: navigate_to_pose)",
        "assertions[0].tolerence_m: unknown key (nearest: tolerance_m, yaw_tolerance_rad)",
        "assertions[2].topic: unknown topic 'scann' (nearest: scan)",
        "assertions[4].condition: unknown name speed (known: value)",
    ]


def test_the_scenarios_of_the_repository_satisfy_the_schema_of_what_is_installed():
    validator = jsonschema.Draft7Validator(installed_schema())
    scenarios = sorted((ROOT / "scenarios").glob("*.yaml"))
    assert scenarios
    for path in scenarios:
        validator.validate(read_yaml(path.read_text("utf-8"), file=path.name).value)
