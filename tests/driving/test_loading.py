"""Scenario and suite files: what they mean, and what is said of what is wrong with them."""

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldproof.driving.loading import (
    DRIVING,
    DRONE,
    MANIPULATOR,
    load_scenario,
    load_suite,
)
from fieldproof.model import ScenarioError

from .builders import PLAIN, SMOKE, SUITES, actor, loaded, merged, suite_of, written


def problems_of(folder, **changes):
    path = folder / "s.yaml"
    path.write_text(yaml.safe_dump(merged(PLAIN, changes), sort_keys=False), "utf-8")
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path, file="s.yaml")
    return [str(one).removeprefix("s.yaml:") for one in caught.value.problems]


# id, changes of a sound scenario, and the problem without "s.yaml:"
TABLE = [
    ("unknown_key", {"tag": ["a"]}, "14:1: tag: unknown key (nearest: tags)"),
    ("traversal_in_the_id", {"id": "../evil"}, "1:5: id: must be lower-case"),
    ("id_in_capitals", {"id": "Plain"}, "1:5: id: must be lower-case"),
    ("zero_timestep", {"timestep_seconds": 0}, "4:19: timestep_seconds: must be positive (got 0)"),
    (
        "negative_duration",
        {"duration_seconds": -3},
        "3:19: duration_seconds: must be positive (got -3)",
    ),
    (
        "infinite_duration",
        {"duration_seconds": float("inf")},
        "3:19: duration_seconds: ",
    ),
    ("nan_pose", {"ego": {"start": {"x": float("nan")}}}, "7:8: ego.start.x: "),
    (
        "timestep_longer_than_all",
        {"timestep_seconds": 20},
        "4:19: timestep_seconds: must be at most duration_seconds (got 20)",
    ),
    (
        "too_many_steps",
        {"timestep_seconds": 1e-6},
        "4:19: timestep_seconds: makes 10000000 steps, at most 100000 are run",
    ),
    (
        "absurdly_many_steps",
        {"timestep_seconds": 1e-300},
        "4:19: timestep_seconds: makes 1e+301 steps, at most 100000 are run",
    ),
    (
        "nan_that_is_passed_on",
        {"environment": {"domain_metrics": {"a": [float("nan")]}}},
        "17:7: environment.domain_metrics.a[0]: must be a finite number",
    ),
    (
        "infinity_that_is_passed_on",
        {"environment": {"domain_metadata": {"a": float("-inf")}}},
        "16:8: environment.domain_metadata.a: must be a finite number",
    ),
    ("no_ego", {"ego": None}, "1:1: ego: is missing (or give initial_state.pose)"),
    (
        "unknown_simulator",
        {"simulator": "mok"},
        "14:12: simulator: unknown simulator 'mok' (nearest: mock)",
    ),
    ("tag_with_a_space", {"tags": ["two words"]}, "15:3: tags[0]: must be a slug"),
    ("tag_in_capitals", {"tags": ["Urban"]}, "15:3: tags[0]: must be a slug"),
    ("tag_twice", {"tags": ["a", "a"]}, "16:3: tags[1]: a is given twice"),
    (
        "severity",
        {"assertions": [{"name": "a", "type": "goal_reached", "severity": "hgh"}]},
        "17:13: assertions[0].severity: must be one of critical, high, medium, low (got 'hgh') (nearest: high)",
    ),
    (
        "severity_of_a_robot_assertion",
        {
            "assertions": [
                {"name": "a", "type": "reach_pose", "vehicle": "ego", "target": {"frame": "goal"}}
                | {"severity": "hgh"}
            ]
        },
        "20:13: assertions[0].severity: must be one of critical, high, medium, low (got 'hgh') (nearest: high)",
    ),
    (
        "unknown_assertion",
        {"assertions": [{"name": "a", "type": "goal_reachd"}]},
        "16:9: assertions[0].type: unknown type 'goal_reachd' (nearest: goal_reached",
    ),
    (
        "assertion_key",
        {"assertions": [{"name": "a", "type": "min_distance", "treshold": 1}]},
        "17:3: assertions[0].treshold: unknown key (nearest: threshold)",
    ),
    (
        "assertion_name_twice",
        {"assertions": [{"name": "a", "type": "no_collision"}, {"name": "a", "type": "max_speed"}]},
        "17:9: assertions[1].name: a is taken",
    ),
    (
        "unknown_vehicle_of_a_robot_assertion",
        {
            "assertions": [
                {"name": "a", "type": "reach_pose", "vehicle": "egoo", "target": {"x": 1, "y": 2}}
            ]
        },
        "17:12: assertions[0].vehicle: unknown vehicle 'egoo' (nearest: ego)",
    ),
    (
        "goal_needed",
        {"ego": {"goal": None}, "assertions": [{"name": "a", "type": "goal_reached"}]},
        "13:9: assertions[0].type: needs a goal (give ego.goal)",
    ),
    ("actor_called_ego", {"actors": [actor(id="ego")]}, "15:7: actors[0].id: ego is taken"),
    (
        "unknown_behavior",
        {"actors": [actor(behavior={"type": "constant"})]},
        "actors[0].behavior.type: must be one of constant_velocity",
    ),
    (
        "stop_line_of_both_kinds",
        {
            "environment": {
                "traffic_lights": [
                    {"id": "l", "stop_line": {"x": 1, "start": {"x": 0, "y": 0}, "end": {"x": 1, "y": 0}}}
                ]
            }
        },
        "stop_line.x: does not go with start and end",
    ),
    (
        "step_of_the_simulator",
        {"simulator": {"name": "carla", "fixed_delta_seconds": 0.03}},
        "simulator.fixed_delta_seconds: must go into timestep_seconds, 0.1, without a rest (got 0.03)",
    ),
    (
        "step_of_the_simulator_above_the_scenario_s",
        {"simulator": {"name": "carla", "fixed_delta_seconds": 0.2}},
        "simulator.fixed_delta_seconds: must go into timestep_seconds, 0.1, without a rest (got 0.2)",
    ),
    (
        "too_many_steps_of_the_simulator",
        {"simulator": {"name": "carla", "fixed_delta_seconds": 1e-5}},
        "simulator.fixed_delta_seconds: makes 1000000 steps, at most 100000 are run",
    ),
    (
        "sensor_name_twice",
        {"sensors": {"cameras": [{"name": "a"}, {"name": "b"}], "lidar": {"name": "b"}}},
        "19:11: sensors.lidar.name: b is taken",
    ),
    (
        "lidar_name_twice",
        {"sensors": {"lidar": [{"name": "a"}, {"name": "a"}]}},
        "17:11: sensors.lidar[1].name: a is taken",
    ),
    (
        "ego_without_a_start",
        {"ego": {"start": None}},
        "6:3: ego.start: is missing (or give initial_state.pose)",
    ),
    (
        "place_that_is_not_that_of_the_start",
        {"initial_state": {"pose": {"x": 5, "y": 0}}},
        "16:8: initial_state.pose.x: contradicts ego.start.x, 0 (got 5) (leave one of the two out)",
    ),
    (
        "heading_that_is_not_that_of_the_start",
        {"initial_state": {"pose": {"x": 0, "y": 0, "yaw": 90}}},
        "18:10: initial_state.pose.yaw: contradicts ego.start.yaw, 0 (got 90)",
    ),
    (
        "speed_that_is_not_that_of_the_start",
        {"initial_state": {"speed": 3}},
        "15:10: initial_state.speed: contradicts ego.start.speed, 5 (got 3)",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "expected"), [pytest.param(*row[1:], id=row[0]) for row in TABLE]
)
def test_a_fault_is_named_with_its_place(tmp_path, changes, expected):
    problems = problems_of(tmp_path, **changes)
    assert [one for one in problems if expected in one], problems


def test_all_faults_come_at_once_in_the_order_of_the_file(tmp_path):
    problems = problems_of(
        tmp_path,
        duration_seconds=-1,
        simulator="mok",
        assertions=[{"name": "a", "type": "goal_reachd"}, {"name": "b", "type": "max_speed"}],
    )
    assert [one.split(": ")[1] for one in problems] == [
        "duration_seconds",
        "simulator",
        "assertions[0].type",
        "assertions[1].max_speed",
    ]


def test_the_ego_starts_from_the_initial_pose_where_there_is_no_ego(tmp_path):
    state = {"pose": {"x": 1, "y": 2, "z": 3, "yaw": 90}, "speed": 4}
    scenario = loaded(tmp_path, ego=None, initial_state=state)
    start = scenario.ego.start
    assert (start.x, start.y, start.z, start.yaw, start.speed) == (1, 2, 3, 90, 4)
    assert scenario.to_data()["ego"]["start"]["yaw"] == 90


def test_an_initial_pose_without_a_height_leaves_the_height_open(tmp_path):
    scenario = loaded(tmp_path, ego=None, initial_state={"pose": {"x": 1, "y": 2}})
    assert scenario.ego.start.z is None
    assert scenario.to_data()["ego"]["start"]["z"] is None


def test_an_ego_that_starts_at_the_initial_pose_may_have_a_goal(tmp_path):
    state = {"pose": {"x": 1, "y": 2}, "speed": 4}
    scenario = loaded(tmp_path, ego={"start": None}, initial_state=state)
    assert (scenario.ego.start.x, scenario.ego.start.speed) == (1, 4)
    assert scenario.ego.goal.x == 20


def test_start_and_initial_state_may_say_different_parts_and_the_same(tmp_path):
    state = {"pose": {"x": 0, "y": 0, "z": 3, "yaw": 90}, "speed": 4}
    start = {"yaw": None, "speed": None}
    scenario = loaded(tmp_path, ego={"start": start}, initial_state=state)
    assert scenario.ego.start == type(scenario.ego.start)(x=0, y=0, z=3, yaw=90, speed=4)
    again = loaded(tmp_path, **{**scenario.file.model_dump(mode="json", exclude={"tags"}),
                                "ego": scenario.to_data()["ego"]})  # fmt: skip
    assert again.ego == scenario.ego


def test_an_initial_speed_of_zero_is_that_of_who_says_none(tmp_path):
    state = {"pose": {"x": 0, "y": 0, "z": 0, "yaw": 0}, "speed": 0}
    assert loaded(tmp_path, initial_state=state).ego.start.speed == 5


@pytest.mark.parametrize(("delta", "within"), [(None, 1), (0.1, 1), (0.05, 2), (0.1 / 3, 3)])
def test_the_simulator_s_own_step_goes_into_the_scenario_s(tmp_path, delta, within):
    simulator = {"name": "carla", "fixed_delta_seconds": delta}
    assert loaded(tmp_path, simulator=simulator).file.steps_within() == within


@pytest.mark.parametrize("written_as", ["carla", {"name": "carla"}])
def test_a_simulator_is_a_name_or_a_mapping(tmp_path, written_as):
    scenario = loaded(tmp_path, simulator=written_as)
    settings = scenario.file.simulator_settings()
    assert (settings.name, settings.host, settings.port, settings.sync) == (
        "carla",
        "localhost",
        None,
        True,
    )


@pytest.mark.parametrize("name", ["mock", "ros2", "sims/mine.py", "./native/sim.so"])
def test_names_and_paths_of_simulators_are_read(tmp_path, name):
    assert loaded(tmp_path, simulator=name).file.simulator_settings().name == name


@pytest.mark.parametrize(
    ("environment", "task_type"),
    [
        ({}, DRIVING),
        ({"marketplace_pack_domain": "drones"}, DRONE),
        ({"metric_group": "drones"}, DRONE),
        ({"replay_scene": {"domain": "Drones"}}, DRONE),
        ({"marketplace_pack_domain": "manipulators"}, MANIPULATOR),
        ({"marketplace_task_type": "manipulator"}, MANIPULATOR),
    ],
)
def test_the_task_type_follows_from_where_the_scenario_comes_from(tmp_path, environment, task_type):
    assert loaded(tmp_path, environment=environment).task_type == task_type


def test_running_out_of_time_fails_where_there_is_a_goal_and_nothing_is_said(tmp_path):
    assert loaded(tmp_path).timeout_fails
    assert not loaded(tmp_path, ego={"goal": None}).timeout_fails
    assert not loaded(tmp_path, failure_criteria={"timeout": False}).timeout_fails


def test_a_suite_finds_its_scenarios_from_its_own_folder():
    suite = load_suite(SMOKE)
    assert [one.id for one in suite.scenarios] == [
        "simple_lane_follow",
        "pedestrian_crossing_001",
        "obstacle_avoidance",
    ]
    assert suite.gates.max_regression_percent == 5


@pytest.mark.parametrize("path", sorted(SUITES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_suite_here_is_sound_and_is_called_as_its_file(path):
    assert load_suite(path).id == path.stem


def test_the_faults_of_a_suite_s_scenarios_come_together(tmp_path):
    written(tmp_path, merged(PLAIN, {"id": "one", "duration_seconds": 0}))
    written(tmp_path, merged(PLAIN, {"id": "two", "timestep_seconds": 0}))
    written(tmp_path, merged(PLAIN, {"id": "three"}))
    written(tmp_path, merged(PLAIN, {"id": "three"}), "again.yaml")
    names = ["one.yaml", "two.yaml", "three.yaml", "again.yaml", "gone.yaml", "/etc/passwd"]
    suite = {"id": "s", "name": "S", "scenarios": names}
    path = written(tmp_path, suite, "suite.yaml")
    with pytest.raises(ScenarioError) as caught:
        load_suite(path, file="suite.yaml")
    assert [str(one) for one in caught.value.problems] == [
        "one.yaml:3:19: duration_seconds: must be positive (got 0)",
        "suite.yaml:7:3: scenarios[3]: the id three is that of three.yaml as well",
        "suite.yaml:8:3: scenarios[4]: gone.yaml cannot be read: No such file or directory",
        "suite.yaml:9:3: scenarios[5]: must be relative to the suite's folder",
        "two.yaml:4:19: timestep_seconds: must be positive (got 0)",
    ]


def test_a_gate_is_named_by_its_nearest(tmp_path):
    with pytest.raises(ScenarioError, match=r"gates.min_succes_rate: unknown key \(nearest: min_s"):
        suite_of(tmp_path, [PLAIN], {"min_succes_rate": 1})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = [
    ("ego",), ("ego", "start"), ("ego", "goal", "x"), ("actors",), ("environment",), ("assertions",),
    ("simulator",), ("tags",), ("duration_seconds",), ("initial_state",), ("sensors",), ("id",),
    ("success_criteria",), ("failure_criteria", "collision"), ("name",), ("nonsense",),
]  # fmt: skip


def put(data, path, value):
    *most, last = path
    for key in most:
        data = data.setdefault(key, {})
    data[last] = value


@settings(
    max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(changes=st.lists(st.tuples(st.sampled_from(KEYS), json_values), min_size=1, max_size=3))
def test_whatever_stands_in_a_scenario_it_is_read_or_refused_with_positions(tmp_path, changes):
    data = merged(PLAIN, {})
    for path, value in changes:
        try:
            put(data, path, value)
        except (TypeError, AttributeError):
            continue  # an earlier change left no mapping there
    file = tmp_path / "fuzz.yaml"
    file.write_text(yaml.safe_dump(data, allow_unicode=True), "utf-8")
    refusal = None
    try:
        load_scenario(file)
    except ScenarioError as error:
        refusal = error
    if refusal is not None:
        assert refusal.problems
        assert all(one.file and one.line and one.what for one in refusal.problems)


@settings(
    max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(raw=st.binary(max_size=200))
def test_whatever_bytes_a_suite_holds_it_is_refused_with_positions(tmp_path, raw):
    file = tmp_path / "fuzz.yaml"
    file.write_bytes(raw)
    with pytest.raises(ScenarioError) as caught:
        load_suite(file)
    assert all(one.file for one in caught.value.problems)


def scoped(**changes):
    return {"name": "clear", "type": "no_collision", "actor_type": "pedestrain", **changes}


WALKER = actor(id="p1", type="pedestrian")


def test_an_assertion_over_a_type_that_no_actor_has_is_refused_if_it_could_never_fail(tmp_path):
    (problem,) = problems_of(tmp_path, actors=[WALKER], assertions=[scoped()])
    what = "no actor is of the type 'pedestrain', so that it would always hold"
    assert problem.endswith(f"assertions[0].actor_type: {what} (nearest: pedestrian)")


def test_an_assertion_over_a_type_is_refused_where_there_are_no_actors(tmp_path):
    (problem,) = problems_of(tmp_path, assertions=[scoped()])
    assert problem.endswith("(the scenario has no actors)")


@pytest.mark.parametrize(
    ("assertion", "so"),
    [
        (scoped(type="max_speed_when_actor_near", distance=5, max_speed=2), "it does not apply"),
        (scoped(type="min_distance", threshold=2), "it always fails"),
    ],
    ids=["max_speed_when_actor_near", "min_distance"],
)
def test_another_assertion_over_a_type_that_no_actor_has_is_doubted(tmp_path, assertion, so):
    (doubt,) = loaded(tmp_path, actors=[WALKER], assertions=[assertion]).doubts
    assert doubt.what == f"no actor is of the type 'pedestrain', so that {so}"
    assert doubt.hint == "nearest: pedestrian"
    assert doubt.line


@pytest.mark.parametrize(
    ("changes", "hint"),
    [
        ({"type": "pedestran"}, "nearest: pedestrian"),
        ({"behavior": {"pattern": "Stoped_Obstacle"}}, "nearest: stopped obstacle"),
        ({"behavior": {"pattern": "slow moving actr"}}, "nearest: slow moving actor"),
        ({"behavior": {"pattern": "pedestrian crosing"}}, "nearest: crossing"),
    ],
    ids=["type", "pattern", "slow", "crossing"],
)
def test_what_is_almost_a_known_type_or_pattern_is_doubted_with_the_nearest(
    tmp_path, changes, hint
):
    (doubt,) = loaded(tmp_path, actors=[actor(**changes)]).doubts
    assert doubt.hint == hint
    assert (doubt.line, doubt.path[:2]) != (0, ())


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "tower"},
        {"type": "bird", "behavior": {"pattern": "hovers over the field"}},
        {"behavior": {"pattern": "late CROSSING of two lanes"}},
        {"behavior": {"pattern": "late-detection"}},
    ],
    ids=["type", "pattern", "crossing", "spelling"],
)
def test_a_type_or_pattern_of_its_own_is_not_doubted(tmp_path, changes):
    assert loaded(tmp_path, actors=[actor(**changes)]).doubts == ()


def test_no_scenario_here_is_doubted():
    for suite in SUITES.glob("*.yaml"):
        assert load_suite(suite).doubts == ()


def test_a_stop_line_whose_ends_are_one_point_is_refused(tmp_path):
    point = {"x": 10, "y": 0}
    light = {"id": "l", "state": "red", "stop_line": {"start": point, "end": point}}
    (problem,) = problems_of(tmp_path, environment={"traffic_lights": [light]})
    assert "is where start is, so that nobody could cross the line" in problem
