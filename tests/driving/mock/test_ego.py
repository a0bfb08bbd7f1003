"""The ego: cars, drones and manipulators, and that a drive repeats to the byte."""

import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldproof.driving.loading import load_suite
from fieldproof_sim.mock import MockSimulator
from tests.driving.builders import SUITES, actor

from .drives import STANDING, drive, simulator

DRONE = {"metric_group": "drones"}
ARM = {"marketplace_pack_domain": "manipulators"}
AT_REST = {"start": {"x": 0, "y": 0, "yaw": 0, "speed": 0}, "goal": None}


def test_throttle_adds_speed_and_brake_takes_it_to_zero_and_no_further(tmp_path):
    steps = drive(tmp_path, 0, [{"throttle": 1.0}] * 10 + [{"brake": 1.0}] * 10, ego=AT_REST)
    assert steps[9].ego["speed"] == pytest.approx(3.0)
    assert steps[10].ego["speed"] == pytest.approx(2.2)
    assert steps[-1].ego["speed"] == 0.0
    assert steps[-1].ego["x"] == steps[-2].ego["x"]


def test_without_an_action_a_car_rolls_on_along_its_heading(tmp_path):
    ego = {"start": {"x": 1, "y": 2, "yaw": 90, "speed": 5}, "goal": None}
    last = drive(tmp_path, 20, ego=ego)[-1].ego
    assert (last["x"], last["y"], last["yaw"], last["speed"]) == pytest.approx((1, 12, 90, 5))


def test_positive_steer_turns_to_the_left(tmp_path):
    ego = {"start": {"x": 0, "y": 0, "yaw": 0, "speed": 5}, "goal": None}
    assert drive(tmp_path, 5, {"steer": 0.5}, ego=ego)[-1].ego["y"] > 0
    assert drive(tmp_path, 5, {"steer": -0.5}, ego=ego)[-1].ego["y"] < 0


def test_a_car_heads_for_the_points_of_its_route_whatever_it_steers(tmp_path):
    route = [{"x": 10, "y": 0}, {"x": 10, "y": 10}]
    ego = {"start": {"x": 0, "y": 0, "yaw": 180, "speed": 5}, "goal": None, "route": route}
    steps = drive(tmp_path, 38, {"steer": 1.0}, ego=ego)
    assert steps[0].ego["yaw"] == 0
    assert max(step.ego["x"] for step in steps) < 10.5
    assert math.dist((steps[-1].ego["x"], steps[-1].ego["y"]), (10, 10)) < 1.5
    assert steps[-1].sim_state["route_index"] >= 1


def test_a_drone_follows_a_commanded_velocity_with_a_limited_acceleration(tmp_path):
    steps = drive(tmp_path, 20, {"vx": 2.0, "vz": 1.0}, ego=AT_REST, environment=DRONE)
    assert math.hypot(steps[0].ego["vx"], steps[0].ego["vz"]) == pytest.approx(0.4)
    last = steps[-1].ego
    assert (last["vx"], last["vy"], last["vz"]) == pytest.approx((2, 0, 1))
    assert last["altitude"] == last["z"] > 0
    assert last["speed"] == pytest.approx(math.hypot(2, 1))


@pytest.mark.parametrize(
    "action",
    [
        {"linear_velocity": [1.0, 2.0, 0.5]},
        {"linear_velocity": {"x": 1.0, "y": 2.0, "z": 0.5}},
        {"vx": 1.0, "vy": 2.0, "vz": 0.5, "target_speed": 9.0},
    ],
)
def test_a_drone_s_velocity_can_be_written_in_three_ways(tmp_path, action):
    last = drive(tmp_path, 20, action, ego=AT_REST, environment=DRONE)[-1].ego
    assert (last["vx"], last["vy"], last["vz"]) == pytest.approx((1, 2, 0.5))


def test_a_drone_with_a_target_speed_flies_its_route_and_then_ahead(tmp_path):
    route = [{"x": 0, "y": 10, "z": 8}]
    ego = {**AT_REST, "route": route}
    steps = drive(tmp_path, 60, {"target_speed": 4.0}, ego=ego, environment=DRONE)
    near = [math.dist((s.ego["x"], s.ego["y"], s.ego["z"]), (0, 10, 8)) for s in steps]
    assert min(near) < 1.5
    assert steps[-1].ego["vx"] == pytest.approx(4.0)


def test_a_drone_turns_at_its_yaw_rate_and_halts_without_a_command(tmp_path):
    ego = {"start": {"x": 0, "y": 0, "yaw": 0, "speed": 4}, "goal": None}
    steps = drive(tmp_path, 20, {"yaw_rate": 45.0}, ego=ego, environment=DRONE)
    assert steps[-1].ego["yaw"] == pytest.approx(90)
    assert steps[-1].ego["speed"] == pytest.approx(0)


def test_a_drone_starts_at_the_cruise_altitude_unless_it_says_another(tmp_path):
    sky = {**DRONE, "replay_scene": {"cruise_altitude_m": 30}}
    assert simulator(tmp_path, ego=AT_REST, environment=sky).state()["ego"]["altitude"] == 30
    low = {"start": {"x": 0, "y": 0, "z": 3, "speed": 0}, "goal": None}
    assert simulator(tmp_path, ego=low, environment=sky).state()["ego"]["altitude"] == 3


def test_a_drone_that_starts_at_an_initial_pose_has_the_cruise_altitude_too(tmp_path):
    environment = {"metric_group": "drones", "replay_scene": {"cruise_altitude_m": 12}}
    for pose, z in [({"x": 0, "y": 0}, 12), ({"x": 0, "y": 0, "z": 0}, 0)]:
        one = simulator(tmp_path, ego=None, initial_state={"pose": pose}, environment=environment)
        assert one.state()["ego"]["z"] == z


def test_a_drone_does_not_sink_below_the_ground(tmp_path):
    low = {"start": {"x": 0, "y": 0, "z": 1, "speed": 0}, "goal": None}
    last = drive(tmp_path, 30, {"vz": -5.0}, ego=low, environment=DRONE)[-1].ego
    assert (last["z"], last["vz"]) == (0.0, 0.0)


def test_an_arm_shows_joints_gripper_and_end_effector(tmp_path):
    one = simulator(tmp_path, ego=AT_REST, environment=ARM)
    seen = one.reset()["robot"]
    assert seen["joint_positions"] == [0.0] * 6
    assert seen["end_effector_pose"] == {"x": 1.5, "y": 0.0, "z": 0.0, "yaw": 0.0, "pitch": 0.0}


def test_an_arm_approaches_positions_at_a_limited_rate(tmp_path):
    action = {"joint_positions": [math.pi / 2, 0, 0, 0, 0, 0], "gripper": 1.0}
    steps = drive(tmp_path, 30, action, ego=AT_REST, environment=ARM)
    assert steps[0].robot["joint_positions"][0] == pytest.approx(0.15)
    assert steps[0].robot["joint_velocities"][0] == pytest.approx(1.5)
    end = steps[-1].robot["end_effector_pose"]
    assert (end["x"], end["y"], end["yaw"]) == pytest.approx((0, 1.5, 90), abs=1e-6)
    assert steps[-1].robot["gripper"] == 1.0
    assert steps[-1].ego["speed"] == pytest.approx(0)


def test_an_arm_follows_velocities_and_stops_at_a_full_turn(tmp_path):
    action = {"joint_velocities": [1.0, 0, 0, 0, 0, 0]}
    steps = drive(tmp_path, 80, action, ego=AT_REST, environment=ARM)
    assert steps[4].robot["joint_positions"][0] == pytest.approx(0.5)
    assert steps[-1].robot["joint_positions"][0] == math.tau
    assert steps[-1].robot["joint_velocities"][0] == 0


def test_an_arm_starts_with_the_joints_of_its_initial_state(tmp_path):
    state = {"joint_positions": [0.0, math.pi / 2]}
    seen = simulator(tmp_path, ego=AT_REST, environment=ARM, initial_state=state).reset()
    end = seen["robot"]["end_effector_pose"]
    assert (end["x"], end["z"]) == pytest.approx((0, 0.3))


def test_the_goal_of_an_arm_is_reached_by_its_end_effector(tmp_path):
    ego = {
        "start": {"x": 0, "y": 0, "speed": 0},
        "goal": {"x": 1.5, "y": 0, "z": 0, "tolerance": 0.1},
    }
    (step,) = drive(tmp_path, 1, ego=ego, environment=ARM)
    assert [one["type"] for one in step.events] == ["goal_reached"]


ACTIONS = st.fixed_dictionaries(
    {
        "throttle": st.floats(0, 1),
        "brake": st.floats(0, 1),
        "steer": st.floats(-1, 1),
    }
)


@settings(
    max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(actions=st.lists(ACTIONS, min_size=1, max_size=25))
def test_a_drive_repeats_to_the_byte_and_stays_finite(tmp_path, actions):
    others = [
        actor(
            id=f"a{place}", start={"x": 10 * place, "y": 3, "speed": 3}, behavior={"pattern": name}
        )
        for place, name in enumerate(("cut in", "crossing", "tailgating pressure", "rolling stop"))
    ]

    def text():
        steps = drive(tmp_path, 0, actions, ego=STANDING, actors=others)
        return json.dumps(
            [(one.observation, one.events, one.sim_state) for one in steps], allow_nan=False
        )

    assert text() == text()


@pytest.mark.parametrize("path", sorted(SUITES.glob("*.yaml")), ids=lambda path: path.stem)
def test_reset_goes_back_to_the_start_of_every_scenario_here(path):
    for scenario in load_suite(path).scenarios:
        one = MockSimulator(scenario.to_data())
        first = [one.reset(), *(one.step({}).observation for _ in range(5))]
        assert [one.reset(), *(one.step({}).observation for _ in range(5))] == first
