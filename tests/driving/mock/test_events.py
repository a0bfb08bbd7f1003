"""When each event begins, to the last bit of its threshold."""

import math

import pytest

from tests.driving.builders import actor

from .drives import STANDING, drive, events_of, simulator

JUST_BELOW_2 = math.nextafter(2.0, 0.0)
JUST_BELOW_4 = math.nextafter(4.0, 0.0)
JUST_ABOVE_2 = math.nextafter(2.0, 3.0)


@pytest.mark.parametrize(
    ("away", "kinds"),
    [
        (0.0, ["collision"]),
        (JUST_BELOW_2, ["collision"]),
        (2.0, ["near_miss"]),
        (JUST_BELOW_4, ["near_miss"]),
        (4.0, []),
    ],
)
def test_below_two_metres_is_a_collision_and_from_there_to_below_four_a_near_miss(
    tmp_path, away, kinds
):
    other = actor(start={"x": 0, "y": away})
    steps = drive(tmp_path, 3, ego=STANDING, actors=[other])
    assert [event["type"] for _, event in events_of(steps)] == kinds
    for index, event in events_of(steps):
        assert (index, event["distance"], event["actor_id"]) == (0, away, "a1")


def test_a_meeting_begins_once_and_again_only_after_the_actor_was_four_metres_away(tmp_path):
    # 3 m, 1 m, 3 m, 1 m, 5 m, 3 m away, a step each
    ways = [3, 1, 3, 1, 5, 3]
    points = [{"x": 0, "y": away} for away in ways]
    other = actor(
        start={"x": 0, "y": 3, "speed": 20}, behavior={"waypoints": points[1:]}
    )  # 2 m a step
    steps = drive(tmp_path, 7, ego=STANDING, actors=[other])
    seen = [event["type"] for _, event in events_of(steps)]
    assert seen == ["collision", "near_miss"]


@pytest.mark.parametrize("speed", [8, 30, 200])
def test_who_drives_through_another_within_a_step_has_collided(tmp_path, speed):
    other = actor(start={"x": 100, "y": 0.5, "yaw": 180, "speed": speed}, behavior={})
    steps = drive(tmp_path, 150, ego=STANDING, actors=[other])
    ((_, event),) = events_of(steps, "collision")
    assert 0.5 - 1e-9 <= event["distance"] < 2


def test_what_is_passed_in_a_step_at_three_metres_is_a_near_miss(tmp_path):
    other = actor(start={"x": 100, "y": 3, "yaw": 180, "speed": 200}, behavior={})
    found = events_of(drive(tmp_path, 20, ego=STANDING, actors=[other]))
    assert [(event["type"], event["distance"]) for _, event in found] == [
        ("near_miss", pytest.approx(3.0))
    ]


def test_an_overlap_at_the_start_is_a_collision_of_the_first_step(tmp_path):
    behind = actor(start={"x": -1, "y": 0, "yaw": 180, "speed": 60}, behavior={})
    steps = drive(tmp_path, 3, ego=STANDING, actors=[behind])
    assert [(index, one["type"], one["distance"]) for index, one in events_of(steps)] == [
        (0, "collision", 1.0)
    ]


def test_what_flies_meets_others_in_space_and_what_drives_on_the_level(tmp_path):
    other = actor(start={"x": 0, "y": 0, "z": 10})
    assert events_of(drive(tmp_path, 1, ego=STANDING, actors=[other]), "collision")
    sky = {"metric_group": "drones", "replay_scene": {"cruise_altitude_m": 15}}
    assert not events_of(drive(tmp_path, 1, ego=STANDING, actors=[other], environment=sky))


@pytest.mark.parametrize(("x", "reached"), [(JUST_ABOVE_2, False), (2.0, True), (1.0, True)])
def test_the_goal_is_reached_at_its_tolerance(tmp_path, x, reached):
    ego = {"start": {"x": 0, "y": 0, "speed": 0}, "goal": {"x": x, "y": 0, "tolerance": 2}}
    steps = drive(tmp_path, 3, ego=ego)
    assert [index for index, _ in events_of(steps, "goal_reached")] == ([0] if reached else [])


@pytest.mark.parametrize(("y", "reached"), [(0, True), (2, True), (JUST_ABOVE_2, False)])
def test_who_drives_through_the_goal_within_a_step_has_reached_it(tmp_path, y, reached):
    ego = {"start": {"x": 0, "y": 0, "speed": 600}, "goal": {"x": 30, "y": y, "tolerance": 2}}
    found = events_of(drive(tmp_path, 2, ego=ego), "goal_reached")
    assert found == ([(0, {"type": "goal_reached", "distance": float(y)})] if reached else [])


def test_a_goal_with_a_height_is_reached_in_space(tmp_path):
    sky = {"metric_group": "drones"}
    for z, reached in ((2.0, True), (JUST_ABOVE_2, False)):
        ego = {"start": {"x": 0, "y": 0, "speed": 0}, "goal": {"x": 0, "y": 0, "z": z}}
        steps = drive(tmp_path, 1, ego=ego, environment=sky)
        assert bool(events_of(steps, "goal_reached")) is reached


def test_time_is_up_when_the_elapsed_time_reaches_the_duration(tmp_path):
    steps = drive(tmp_path, 12, ego=STANDING, duration_seconds=1, timestep_seconds=0.1)
    assert [(index, steps[index].t) for index, _ in events_of(steps, "timeout")] == [(9, 1.0)]


def test_who_arrives_at_the_last_moment_was_in_time(tmp_path):
    ego = {"start": {"x": 0, "y": 0, "speed": 10}, "goal": {"x": 10, "y": 0, "tolerance": 0.5}}
    steps = drive(tmp_path, 10, ego=ego, duration_seconds=1, timestep_seconds=0.1)
    assert [(index, one["type"]) for index, one in events_of(steps)] == [(9, "goal_reached")]


def test_time_is_up_at_the_first_step_past_a_duration_that_is_no_multiple(tmp_path):
    steps = drive(tmp_path, 5, ego=STANDING, duration_seconds=1, timestep_seconds=0.3)
    assert [index for index, _ in events_of(steps, "timeout")] == [3]


@pytest.mark.parametrize(
    ("y", "off"), [(6.0, False), (math.nextafter(6.0, 7.0), True), (-6.0, False)]
)
def test_the_edge_of_the_bounds_is_on_the_road(tmp_path, y, off):
    scene = {"bounds": {"min_x": -5, "max_x": 5, "min_y": -6, "max_y": 6}}
    ego = {"start": {"x": 0, "y": y, "speed": 0}, "goal": None}
    steps = drive(tmp_path, 2, ego=ego, environment={"replay_scene": scene})
    assert [(index, one["reason"]) for index, one in events_of(steps, "offroad")] == (
        [(0, "bounds")] if off else []
    )


@pytest.mark.parametrize(("y", "off"), [(3.0, False), (math.nextafter(3.0, 4.0), True)])
def test_further_than_the_margin_from_a_road_is_off_it(tmp_path, y, off):
    scene = {"road_paths": [{"points": [{"x": -100, "y": 0}, {"x": 100, "y": 0}]}]}
    environment = {"mock_offroad_margin": 3, "replay_scene": scene}
    ego = {"start": {"x": 0, "y": y, "speed": 0}, "goal": {"x": 0, "y": 99}}
    steps = drive(tmp_path, 2, ego=ego, environment=environment)
    assert bool(events_of(steps, "offroad")) is off


def test_without_roads_the_route_of_the_ego_is_the_road_and_then_the_way_to_the_goal(tmp_path):
    route = [{"x": 0, "y": 50}]
    start = {"x": 0, "y": 0, "yaw": 0, "speed": 0}
    corner = {"start": start, "goal": {"x": 50, "y": 50}, "route": [*route, {"x": 50, "y": 50}]}
    straight = {"start": start, "goal": {"x": 50, "y": 50}}
    margin = {"mock_offroad_margin": 1}
    away = {"throttle": 1.0}
    assert not events_of(drive(tmp_path, 60, away, ego=corner, environment=margin), "offroad")
    assert events_of(drive(tmp_path, 60, away, ego=straight, environment=margin), "offroad")


def test_leaving_the_road_begins_again_after_coming_back(tmp_path):
    scene = {"bounds": {"min_x": 0, "max_x": 100, "min_y": -1, "max_y": 1}}
    left, right = {"steer": 1.0}, {"steer": -1.0}
    ego = {"start": {"x": 5, "y": 0, "yaw": 0, "speed": 5}, "goal": None}
    wave = [left] * 8 + [right] * 20 + [left] * 20
    steps = drive(tmp_path, 0, wave, ego=ego, environment={"replay_scene": scene})
    inside = [abs(step.ego["y"]) <= 1 for step in steps]
    left_at = [i for i in range(1, len(inside)) if inside[i - 1] and not inside[i]]
    assert len(left_at) > 1
    assert [index for index, _ in events_of(steps, "offroad")] == left_at


def light(line, **more):
    return {"id": "main", "state": "red", "stop_line": line, **more}


def crossing(folder, one, *, y=0.0, yaw=0.0, key="traffic_lights", speed=10):
    ego = {"start": {"x": 0, "y": y, "yaw": yaw, "speed": speed}, "goal": None}
    steps = drive(folder, 30, ego=ego, environment={key: [one]})
    return [index for index, _ in events_of(steps, "red_light_violation")]


@pytest.mark.parametrize("key", ["traffic_lights", "traffic_signals"])
def test_crossing_a_red_stop_line_is_a_violation_in_the_step_that_reaches_it(tmp_path, key):
    # 1 m a step: on the line after ten steps, which counts, and past it after eleven
    assert crossing(tmp_path, light({"x": 10, "y": 0, "width": 6}), key=key) == [9]
    assert crossing(tmp_path, light({"x": 10.5, "y": 0, "width": 6}), key=key) == [10]


@pytest.mark.parametrize("state", ["green", "yellow", "off"])
def test_only_red_stops(tmp_path, state):
    assert crossing(tmp_path, light({"x": 10, "y": 0, "width": 6}, state=state)) == []


@pytest.mark.parametrize(("y", "crossed"), [(3.0, True), (3.001, False), (-3.0, True)])
def test_the_stop_line_is_as_wide_as_it_says(tmp_path, y, crossed):
    assert bool(crossing(tmp_path, light({"x": 10, "y": 0, "width": 6}), y=y)) is crossed


def test_a_stop_line_stops_both_directions_unless_it_says_a_heading(tmp_path):
    ahead = light({"x": 10, "y": 0, "width": 6, "yaw": 0})
    against = light({"x": 10, "y": 0, "width": 6, "yaw": 180})
    ends = light({"start": {"x": 10, "y": -3}, "end": {"x": 10, "y": 3}})
    turned = light({"start": {"x": 10, "y": 3}, "end": {"x": 10, "y": -3}})
    assert crossing(tmp_path, ahead) == [9]
    assert crossing(tmp_path, against) == []
    assert crossing(tmp_path, ends) == crossing(tmp_path, turned) == [9]
    middle = light({"x": -10, "y": 0, "width": 6})
    assert crossing(tmp_path, middle, yaw=180) == [9]


def test_going_back_over_a_line_that_has_turned_red_is_a_violation(tmp_path):
    # over the line at x = 0 after 1 s, then back over it
    ego = {
        "start": {"x": -5, "y": 0, "yaw": 0, "speed": 5},
        "goal": None,
        "route": [{"x": 10, "y": 2}, {"x": -20, "y": 1}],
    }
    line = {"x": 0, "y": 0, "width": 6}
    turns_red = light(line, state="green", changes=[{"at_seconds": 2, "state": "red"}])
    steps = drive(tmp_path, 60, ego=ego, environment={"traffic_lights": [turns_red]})
    ((index, _),) = events_of(steps, "red_light_violation")
    assert 1 > steps[index - 1].ego["x"] > steps[index].ego["x"] > -1


NORTH = {"start": {"x": 0, "y": 0, "yaw": 90, "speed": 5}, "goal": None}
TURN = [{"x": 0, "y": 10}, {"x": 40, "y": 10}]
ROADS = {
    "road_paths": [
        {"points": [{"x": 0, "y": -50}, {"x": 0, "y": 9}]},
        {"points": [{"x": -50, "y": 10}, {"x": 50, "y": 10}]},
    ]
}


@pytest.mark.parametrize(
    ("ego", "environment"),
    [
        pytest.param({**NORTH, "route": TURN}, {}, id="route"),
        pytest.param({**NORTH, "route": TURN}, {"replay_scene": ROADS}, id="road_and_route"),
        pytest.param(
            {"start": {"x": 0, "y": 10, "yaw": 90, "speed": 0}, "goal": {"x": 40, "y": 10}},
            {},
            id="way_to_the_goal",
        ),
    ],
)
def test_a_stop_line_lies_across_the_way_that_is_nearest_whatever_the_ego_starts_at(
    tmp_path, ego, environment
):
    lit = {**environment, "traffic_lights": [light({"x": 5, "y": 10, "width": 6})]}
    one = simulator(tmp_path, ego=ego, environment=lit)
    seen = one.reset()["traffic_lights"][0]["stop_line"]
    assert seen["start"]["x"] == pytest.approx(5)
    assert seen["end"]["x"] == pytest.approx(5)
    assert {round(seen[end]["y"]) for end in seen} == {7, 13}


def test_who_turns_onto_a_road_and_over_its_red_line_has_run_it(tmp_path):
    lit = {"traffic_lights": [light({"x": 5, "y": 10, "width": 6})]}
    steps = drive(tmp_path, 60, ego={**NORTH, "route": TURN}, environment=lit)
    ((index, _),) = events_of(steps, "red_light_violation")
    assert steps[index - 1].ego["x"] < 5 <= steps[index].ego["x"]


def test_a_stop_line_at_a_corner_stops_who_cuts_it(tmp_path):
    lit = {"traffic_lights": [light({"x": 0, "y": 10, "width": 6})]}
    steps = drive(tmp_path, 60, ego={**NORTH, "route": TURN}, environment=lit)
    assert len(events_of(steps, "red_light_violation")) == 1


def test_a_light_changes_at_its_very_moment(tmp_path):
    line = {"x": 10, "y": 0, "width": 6}
    for at, violations in ((1.0, []), (1.001, [9])):
        one = light(line, changes=[{"at_seconds": at, "state": "green"}])
        assert crossing(tmp_path, one) == violations


def test_the_line_on_which_the_ego_starts_is_crossed_by_the_first_step_past_it(tmp_path):
    line = {"x": 0, "y": 0, "width": 6}
    assert crossing(tmp_path, light(line)) == [0]
    assert crossing(tmp_path, light(line), speed=0) == []
    behind = light({"start": {"x": 0, "y": -3}, "end": {"x": 0, "y": 3}})
    assert crossing(tmp_path, behind) == [0]


def test_what_the_light_shows_at_the_moment_of_crossing_counts(tmp_path):
    # 1 m a step of 0.1 s: the line is crossed at 1.05 s, in the step that ends at 1.1 s
    line = {"x": 10.5, "y": 0, "width": 6}
    for at, state, violations in ((1.04, "green", []), (1.06, "green", [10])):
        assert crossing(tmp_path, light(line, changes=[{"at_seconds": at, "state": state}])) == (
            violations
        )
    turns_red = [{"at_seconds": 1.06, "state": "red"}]
    assert crossing(tmp_path, light(line, state="green", changes=turns_red)) == []


def test_standing_before_a_red_light_is_none(tmp_path):
    assert crossing(tmp_path, light({"x": 0.5, "y": 0, "width": 6}), speed=0) == []
