"""Each behaviour pattern of the table, and waypoints before all of them."""

import itertools
import math

import pytest

from fieldproof_sim.mock import HELD, PATTERNS
from tests.driving.builders import actor

from .drives import STANDING, drive

FAR = {"start": {"x": 0, "y": 0, "yaw": 0, "speed": 0}, "goal": {"x": 500, "y": 0}}


def moved(
    folder, pattern, steps=30, *, ego=FAR, action=None, behavior=None, kind="vehicle", **start
):
    place = {"x": 50, "y": 20, "yaw": 0, "speed": 4, **start}
    other = actor(type=kind, start=place, behavior={"pattern": pattern, **(behavior or {})})
    drives = drive(folder, steps, action, ego=ego, actors=[other], duration_seconds=1000)
    return [step.actors[0] for step in drives]


def speeds(states):
    return [one["speed"] for one in states]


@pytest.mark.parametrize(
    "pattern",
    ["", "lane follow", "LANE FOLLOW", "constant speed", "Waypoint Tracking", "something else"],
)
def test_an_actor_without_a_pattern_of_its_own_keeps_speed_and_heading(tmp_path, pattern):
    states = moved(tmp_path, pattern, yaw=90)
    assert set(speeds(states)) == {4.0}
    assert {one["yaw"] for one in states} == {90.0}
    assert states[-1]["y"] == pytest.approx(20 + 4 * 3)


@pytest.mark.parametrize("pattern", ["blocked lane", "stopped obstacle", "False Positive Object"])
def test_an_obstacle_stands(tmp_path, pattern):
    states = moved(tmp_path, pattern)
    assert {(one["x"], one["y"], one["speed"]) for one in states} == {(50.0, 20.0, 0.0)}


def test_a_static_actor_stands(tmp_path):
    assert set(speeds(moved(tmp_path, "", behavior={"type": "static"}))) == {0.0}


def test_a_rolling_stop_slows_down_each_step_until_it_stands(tmp_path):
    states = moved(tmp_path, "rolling stop")
    assert speeds(states)[:3] == pytest.approx([3.8, 3.6, 3.4])
    assert speeds(states)[-1] == 0.0
    assert all(b < a or b == 0 for a, b in itertools.pairwise(speeds(states)))


@pytest.mark.parametrize("pattern", ["lead vehicle braking", "speed limit transition"])
def test_a_lead_vehicle_brakes_after_one_second(tmp_path, pattern):
    states = moved(tmp_path, pattern)
    assert set(speeds(states)[:10]) == {4.0}
    assert speeds(states)[10] == pytest.approx(3.8)
    assert speeds(states)[-1] == 0.0


def test_recovery_brakes_to_a_stop_and_comes_back_to_the_declared_speed(tmp_path):
    found = speeds(moved(tmp_path, "recovery after stop", 60))
    stopped = found.index(0.0)
    assert all(b < a for a, b in itertools.pairwise(found[: stopped + 1]))
    assert found[stopped + 1] > 0
    assert found[-1] == 4.0
    assert max(found) == 4.0


@pytest.mark.parametrize("pattern", ["yield negotiation", "right of way yield"])
def test_who_yields_stands_at_the_line_before_the_ego_s_path(tmp_path, pattern):
    states = moved(tmp_path, pattern, 120, yaw=-90)
    assert states[-1]["speed"] == 0.0
    assert states[-1]["y"] == pytest.approx(4.5)
    assert min(one["y"] for one in states) >= 4.5 - 1e-9


def test_who_yields_stands_before_the_lane_of_an_ego_with_neither_goal_nor_route(tmp_path):
    ego = {"start": {"x": 0, "y": 0, "yaw": 0, "speed": 0}, "goal": None}
    states = moved(tmp_path, "yield negotiation", 120, ego=ego, yaw=-90)
    assert (states[-1]["speed"], states[-1]["y"]) == (0.0, pytest.approx(4.5))


def test_who_yields_goes_on_when_the_path_is_far(tmp_path):
    assert set(speeds(moved(tmp_path, "yield negotiation", 20, yaw=0, y=40))) == {4.0}


def test_a_slow_actor_keeps_to_two_fifths_of_its_speed(tmp_path):
    assert set(speeds(moved(tmp_path, "slow moving actor"))) == {1.6}


@pytest.mark.parametrize("pattern", ["pedestrian crossing", "Crossing traffic", "late crossing"])
@pytest.mark.parametrize("y", [-6, 6])
def test_who_crosses_crosses_the_lane_and_does_not_turn_back(tmp_path, pattern, y):
    states = moved(tmp_path, pattern, 60, y=y, yaw=0)
    lateral = [one["y"] for one in states]
    assert (lateral[-1] > 6) if y < 0 else (lateral[-1] < -6)
    steps = [b - a for a, b in itertools.pairwise(lateral)]
    assert len({round(step, 9) for step in steps}) == 1
    assert all(one["x"] == pytest.approx(50.0) for one in states)


def test_crossing_is_across_the_ego_s_lane_wherever_it_leads(tmp_path):
    ego = {"start": {"x": 0, "y": 0, "yaw": 90, "speed": 0}, "goal": {"x": 0, "y": 100}}
    states = moved(tmp_path, "crossing", 40, ego=ego, x=8, y=30)
    assert states[-1]["x"] < 0
    assert states[-1]["y"] == pytest.approx(30)


@pytest.mark.parametrize("pattern", ["cut in", "merge gap", "right of way conflict"])
def test_who_cuts_in_turns_towards_the_ego_s_lane_and_ends_in_it(tmp_path, pattern):
    states = moved(tmp_path, pattern, 250, y=5)
    assert states[0]["yaw"] < 0
    assert abs(states[-1]["y"]) < 0.1
    assert all(abs(one["yaw"]) <= 30 + 1e-9 for one in states)


def test_a_tailgater_stays_behind_the_ego_and_is_faster(tmp_path):
    ego = {"start": {"x": 0, "y": 0, "yaw": 0, "speed": 10}, "goal": {"x": 500, "y": 0}}
    states = moved(tmp_path, "tailgating pressure", 60, ego=ego, x=-12, y=0, speed=12)
    assert states[-1]["x"] == pytest.approx(60 - 6)
    assert states[-1]["y"] == 0
    assert set(speeds(states)) == {12.0}
    slower = moved(tmp_path, "tailgating pressure", 60, ego=ego, x=-30, y=0, speed=3)
    assert set(speeds(slower)) == {11.0}


@pytest.mark.parametrize(
    "kind", ["ambulance", "fire_truck", "FireEngine", "police-car", "EmergencyVehicle"]
)
def test_what_hurries_to_an_emergency_is_an_emergency_vehicle(tmp_path, kind):
    assert speeds(moved(tmp_path, "lane follow", kind=kind))[-1] == 6.0


@pytest.mark.parametrize("pattern", ["lane follow", "route deviation", "late detection"])
def test_an_emergency_vehicle_gets_faster_than_declared(tmp_path, pattern):
    states = moved(tmp_path, pattern, kind="emergency_vehicle")
    assert speeds(states)[-1] == 6.0
    assert set(speeds(moved(tmp_path, pattern))) == {4.0}


@pytest.mark.parametrize(
    "pattern", ["unexpected actor", "staggered obstacle", "moving obstacle avoidance"]
)
def test_who_keeps_moving_is_at_least_as_fast_as_declared(tmp_path, pattern):
    assert set(speeds(moved(tmp_path, pattern))) == {4.0}


@pytest.mark.parametrize("pattern", [*sorted(PATTERNS), *sorted(HELD), "crossing", "cut in"])
def test_waypoints_come_before_every_pattern(tmp_path, pattern):
    points = [{"x": 54, "y": 20}, {"x": 54, "y": 24}]
    states = moved(tmp_path, pattern, 25, behavior={"waypoints": points})
    assert (states[9]["x"], states[9]["y"]) == pytest.approx((54, 20))
    assert (states[14]["x"], states[14]["y"]) == pytest.approx((54, 22))
    assert (states[-1]["x"], states[-1]["y"], states[-1]["speed"]) == (54, 24, 0)
    assert set(speeds(states)[:19]) == {4.0}


def test_a_waypoint_within_a_step_is_rounded_without_losing_way(tmp_path):
    points = [{"x": 50.2, "y": 20}, {"x": 50.2, "y": 30}]
    states = moved(tmp_path, "", 5, behavior={"waypoints": points})
    assert (states[0]["x"], states[0]["y"]) == pytest.approx((50.2, 20.2))
    assert states[0]["yaw"] == 90


def test_upper_case_and_underscores_do_not_matter(tmp_path):
    assert moved(tmp_path, "ROLLING_STOP") == moved(tmp_path, "rolling stop")


def test_an_actor_sees_where_the_ego_has_got_to_in_the_step(tmp_path):
    ego = {"start": {"x": 0, "y": 0, "yaw": 0, "speed": 10}, "goal": None}
    other = actor(start={"x": -6, "y": 0, "speed": 50}, behavior={"pattern": "tailgating pressure"})
    steps = drive(tmp_path, 5, ego=ego, actors=[other])
    assert [step.ego["x"] - step.actors[0]["x"] for step in steps] == pytest.approx([6] * 5)


def test_angles_are_degrees_in_one_turn(tmp_path):
    states = moved(tmp_path, "", 1, yaw=540, ego=STANDING)
    assert states[0]["yaw"] == 180.0
    assert math.copysign(1, moved(tmp_path, "", 1, yaw=-360)[0]["yaw"]) == 1
