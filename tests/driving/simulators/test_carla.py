"""The adapter of CARLA against a stand-in for its client package; no server was ever asked."""

import json
import os
import socket

import pytest

from fieldproof.driving.agents import find_agent
from fieldproof.driving.simulators import CarlaAdapter, SimulatorFault
from fieldproof.driving.suite import SuiteOptions, run_suite_into
from tests.driving.builders import EXAMPLES, ROOT, actor, loaded, scenario_data, suite_of

from . import stand_in
from .stand_in import World, client_of

SENSORS = {
    "cameras": [{"name": "front", "type": "rgb", "width": 640, "height": 480, "fov": 70}],
    "lidar": {"name": "roof", "channels": 64, "range_m": 80},
}


@pytest.fixture
def world():
    return World()


def adapter(folder, world, simulator=None, **changes):
    scenario = loaded(folder, simulator={"name": "carla", **(simulator or {})}, **changes)
    return CarlaAdapter(scenario, client=client_of(world))


def test_the_ego_starts_where_the_resolved_start_is_in_a_left_handed_frame(tmp_path, world):
    pose = {"x": 1, "y": 2, "z": 3, "yaw": 90}
    one = adapter(tmp_path, world, ego=None, initial_state={"pose": pose, "speed": 4})
    first = one.start()
    (ego,) = world.of("vehicle")
    assert (ego.transform.location.z, ego.transform.rotation.yaw) == (3, -90)
    assert (ego.velocity.y, first.ego["speed"]) == (-4, 4)
    assert first.ego["y"] == pytest.approx(2.4)  # the tick after which there is a state
    one.close()


def test_a_step_of_the_scenario_is_as_many_of_the_simulator_as_go_into_it(tmp_path, world):
    one = adapter(tmp_path, world, {"fixed_delta_seconds": 0.05})
    one.start()
    assert world.settings.fixed_delta_seconds == 0.05
    frame = world.frame
    step = one.step({"throttle": 0.5, "steer": 0.2})
    assert (world.frame - frame, step.t) == (2, 0.1)
    (ego,) = world.of("vehicle")
    assert (ego.controls[0].throttle, ego.controls[0].steer) == (0.5, -0.2)
    one.close()


def test_a_red_light_in_any_step_of_the_simulator_counts_once_while_it_lasts(tmp_path, world):
    one = adapter(tmp_path, world, {"fixed_delta_seconds": 0.05})
    one.start()
    world.red_frames = (world.frame + 1, world.frame + 4, world.frame + 5, world.frame + 6)
    kinds = [[event["type"] for event in one.step({}).events] for _ in range(3)]
    assert kinds == [["red_light_violation"], ["red_light_violation"], []]
    one.close()


def test_sensors_are_spawned_on_the_ego_as_the_scenario_says(tmp_path, world):
    one = adapter(tmp_path, world, {"fixed_delta_seconds": 0.05}, sensors=SENSORS)
    one.start()
    (ego,) = world.of("vehicle")
    (camera,), (lidar,) = world.of("sensor.camera.rgb"), world.of("sensor.lidar.ray_cast")
    assert camera.attach_to is ego
    assert lidar.attach_to is ego
    assert camera.blueprint.attributes == {
        "image_size_x": "640",
        "image_size_y": "480",
        "fov": "70.0",
    }
    assert lidar.blueprint.attributes == {
        "channels": "64",
        "range": "80.0",
        "rotation_frequency": "20.0",
    }
    one.close()


@pytest.mark.parametrize(
    ("kind", "blueprint"),
    [("depth", "sensor.camera.depth"), ("semantic", "sensor.camera.semantic_segmentation")],
)
def test_a_camera_is_of_its_type(tmp_path, world, kind, blueprint):
    one = adapter(tmp_path, world, sensors={"cameras": [{"name": "front", "type": kind}]})
    one.start()
    assert [each.blueprint.id for each in world.of("sensor")] == [blueprint]
    one.close()


def test_an_observation_has_what_each_sensor_measured_in_its_very_frame(tmp_path, world):
    one = adapter(tmp_path, world, {"fixed_delta_seconds": 0.05}, sensors=SENSORS)
    one.start()
    seen = one.step({}).observation["sensors"]
    assert {name: about["frame"] for name, about in seen.items()} == {
        "front": world.frame,
        "roof": world.frame,
    }
    assert (seen["front"]["width"], seen["roof"]["points"]) == (640, 5)
    one.close()


def test_a_sensor_that_measures_nothing_is_a_fault_of_the_simulator(tmp_path, world):
    one = adapter(tmp_path, world, {"timeout_seconds": 0.01}, sensors=SENSORS)
    world.silent = True
    with pytest.raises(SimulatorFault, match=r"the sensor front measured nothing within 0\.01 s"):
        one.start()
    one.close()
    assert world.actors == []


def test_a_server_that_runs_free_is_not_waited_for(tmp_path, world):
    one = adapter(tmp_path, world, {"sync": False}, sensors=SENSORS)
    one.start()
    world.silent = True
    frame = world.frame
    assert one.step({}).observation["sensors"]["front"]["frame"] == frame
    one.close()


@pytest.mark.parametrize(
    ("weather", "preset"),
    [("clear", "ClearNoon"), ("rain", "MidRainyNoon"), ("night", "ClearNight")],
)
def test_the_weather_is_that_of_the_scenario(tmp_path, world, weather, preset):
    one = adapter(tmp_path, world, environment={"weather": weather})
    one.start()
    assert world.weather == preset
    one.close()


def test_the_server_gets_everything_back(tmp_path, world):
    one = adapter(tmp_path, world, sensors=SENSORS, actors=[actor()])
    before = world.get_settings()
    one.start()
    assert len(world.actors) == 4
    one.close()
    one.close()
    assert (world.actors, world.settings, world.weather) == ([], before, "the server's own")


def test_who_drives_through_another_in_the_first_step_has_collided(tmp_path, world):
    through = actor(start={"x": 8.5, "y": 0, "speed": 0})
    one = adapter(
        tmp_path, world, timestep_seconds=1, ego={"start": {"speed": 6}}, actors=[through]
    )
    one.start()
    assert [event["type"] for event in one.step({}).events] == ["collision"]
    one.close()


def test_a_server_that_does_not_answer_is_a_fault_of_the_simulator(tmp_path, world, monkeypatch):
    one = adapter(tmp_path, world)
    one.start()

    def silent():
        raise RuntimeError("time-out of 10000ms")

    monkeypatch.setattr(world, "tick", silent)
    with pytest.raises(SimulatorFault, match="CARLA: time-out of 10000ms"):
        one.step({})
    one.close()
    assert world.actors == []


def test_a_suite_drives_in_it_from_the_check_to_the_report(tmp_path, monkeypatch):
    package = f"from {stand_in.__name__} import *\nglobals().update(vars(client_of(World())))\n"
    (tmp_path / "client").mkdir()
    (tmp_path / "client" / "carla.py").write_text(package, "utf-8")
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.syspath_prepend(str(tmp_path / "client"))
    with socket.create_server(("127.0.0.1", 0)) as server:
        where = {"name": "carla", "host": "127.0.0.1", "port": server.getsockname()[1]}
        simulator = {**where, "fixed_delta_seconds": 0.05}
        suite = suite_of(tmp_path, [scenario_data(simulator=simulator, sensors=SENSORS)])
        agent = find_agent(str(EXAMPLES / "rule_based_agent.py"))
        finished = run_suite_into(suite, SuiteOptions(agent, host=os.environ), tmp_path / "out")
    assert finished.passed
    entry = finished.metrics["scenarios"]["plain"]
    assert (entry["ended_by"], entry["simulator_fault"]) == ("goal_reached", None)
    steps = (finished.folder / entry["steps_path"]).read_text("utf-8").splitlines()
    assert set(json.loads(steps[-1])["observation"]["sensors"]) == {"front", "roof"}
    outcome = json.loads((finished.folder / "outcome.json").read_text("utf-8"))
    assert outcome["determinism"] == "wall"
