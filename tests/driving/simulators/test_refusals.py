"""What is said of simulators before anything is run."""

import pytest

from fieldproof.driving.loading import load_scenario
from fieldproof.driving.simulators import check_simulators
from fieldproof.model import ScenarioError
from tests.driving.builders import merged, scenario_data, written

LIGHT = {"id": "a", "stop_line": {"x": 0, "y": 0, "width": 6}}
CARLA = {"simulator": {"name": "carla"}}


def refused(folder, *changes, missing=""):
    """What is said, without the folder."""
    data = scenario_data()
    for one in changes:
        data = merged(data, one)
    try:
        check_simulators([load_scenario(written(folder, data))], missing=lambda _settings: missing)
    except ScenarioError as error:
        return [str(one).removeprefix(f"{folder}/plain.yaml:") for one in error.problems]
    return []


# what of a scenario carla cannot do, and what is said
TABLE = [
    ("topics", {"simulator": {"topics": {"a": "/b"}}}, "17:5: simulator.topics: carla takes no topics"),
    ("options", {"simulator": {"options": {"a": 1}}}, "simulator.options: carla takes no options"),
    ("weather", {"environment": {"weather": "ran"}},
     "environment.weather: carla has no weather 'ran' (nearest: rain)"),
    ("lights", {"environment": {"traffic_lights": [LIGHT]}},
     "environment.traffic_lights: carla looks at the traffic lights of its map"),
    ("signals", {"environment": {"traffic_signals": [LIGHT]}},
     "environment.traffic_signals: carla looks at the traffic lights of its map"),
    ("drone", {"environment": {"metric_group": "drones"}},
     "simulator: carla drives cars, and this scenario is one of a drone (use mock)"),
    ("manipulator", {"environment": {"marketplace_task_type": "manipulation"}},
     "simulator: carla drives cars, and this scenario is one of a manipulator (use mock)"),
    ("pitch", {"ego": None, "initial_state": {"pose": {"x": 0, "y": 0, "pitch": 5}}},
     "initial_state.pose.pitch: carla puts cars down level"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "expected"), [pytest.param(*row[1:], id=row[0]) for row in TABLE]
)
def test_what_carla_cannot_do_is_refused_with_its_place_before_anything_is_run(
    tmp_path, changes, expected
):
    said = refused(tmp_path, CARLA, changes)
    assert [one for one in said if expected in one], said
    assert refused(tmp_path, {"simulator": "mock"}, {**changes, "simulator": None}) == []


def test_what_carla_can_do_is_not_refused(tmp_path):
    sensors = {"cameras": [{"name": "front"}], "lidar": {"name": "roof"}}
    changes = {"sensors": sensors, "environment": {"weather": "heavy_rain"}}
    assert refused(tmp_path, CARLA, changes) == []


def test_a_simulator_that_is_missing_is_named_beside_what_it_cannot_do(tmp_path):
    said = refused(
        tmp_path, CARLA, {"simulator": {"options": {"a": 1}}}, missing="no server is there"
    )
    assert [one.split(": ", 1)[1] for one in said] == [
        "simulator.name: no server is there",
        "simulator.options: carla takes no options (leave it out)",
    ]


def test_a_simulator_is_looked_for_once_for_all_that_name_it(tmp_path):
    asked = []
    scenarios = [
        load_scenario(written(tmp_path, scenario_data(id=name, **CARLA))) for name in "abc"
    ]
    check_simulators(scenarios, missing=lambda settings: asked.append(settings) or "")
    assert len(asked) == 1
