"""What agents are told is documented, key by key."""

import re

import pytest

from fieldproof.driving.loading import load_suite
from fieldproof.driving.loop import scenario_info
from fieldproof_sim.mock import MockSimulator
from tests.driving.builders import ROOT, SUITES, actor, loaded


def keys_of(data):
    """Every key in data, whatever it is in."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield key
            yield from keys_of(value)
    elif isinstance(data, list):
        for one in data:
            yield from keys_of(one)


def documented(heading):
    """What stands in backticks in the table below a sentence."""
    text = (ROOT / "docs" / "driving.md").read_text("utf-8")
    table = text.partition(heading)[2].split("\n\n")[1]
    return set(re.findall(r"`([a-z_]+)`", table))


@pytest.fixture(
    scope="module", params=["urban_driving", "urban_driving_smoke", "drones", "manipulators"]
)
def scenarios(request):
    return load_suite(SUITES / f"{request.param}.yaml").scenarios


def test_every_key_that_reset_is_told_is_documented(scenarios):
    known = documented("What `reset` is told") | {"tolerance", "yaw", "speed"}  # of a scenario
    for one in scenarios:
        assert set(keys_of(scenario_info(one))) <= known


def test_every_key_of_an_observation_is_documented(scenarios):
    known = documented("What `act` is told")
    for one in scenarios:
        simulator = MockSimulator(one.to_data())
        assert set(keys_of(simulator.reset())) <= known
        assert set(keys_of(simulator.step({}).observation)) <= known


def test_every_key_of_a_traffic_light_and_an_actor_is_documented(tmp_path):
    light = {"id": "l", "state": "red", "stop_line": {"x": 9, "y": 0, "width": 6}}
    one = loaded(tmp_path, actors=[actor()], environment={"traffic_lights": [light]})
    seen = MockSimulator(one.to_data()).reset()
    assert set(keys_of(seen)) <= documented("What `act` is told")
    assert {"id", "state", "stop_line"} <= set(keys_of(seen))
