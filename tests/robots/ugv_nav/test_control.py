import math

import numpy as np
import pytest

from ugv_nav._clearance import Footprint, free_arc, free_turn
from ugv_nav._control import Controller, ControlSettings, Situation
from ugv_nav._geometry import Pose2
from ugv_nav._pursuit import SpeedLimits, find_carrot

NOTHING = np.empty((0, 2))
AHEAD = np.stack((np.linspace(0.0, 4.0, 21), np.zeros(21)), axis=-1)
FOOTPRINT = Footprint(front_m=0.3, rear_m=0.3, half_width_m=0.25)


@pytest.mark.parametrize(
    ("point", "distance_m"),
    [((0.0, 0.0), 0.0), ((0.8, 0.0), 0.5), ((-0.5, 0.0), 0.2), ((0.6, 0.65), 0.5)],
    ids=["inside", "ahead", "behind", "corner"],
)
def test_footprint_distances(point, distance_m):
    assert FOOTPRINT.distances(np.array([point]))[0] == pytest.approx(distance_m)


def test_an_arc_is_free_up_to_the_margin():
    wall = np.array([(1.5, y) for y in np.linspace(-1, 1, 41)])
    free_m = free_arc(FOOTPRINT, wall, curvature_pm=0.0, length_m=2.0, margin_m=0.2)
    assert free_m == pytest.approx(1.5 - 0.3 - 0.2, abs=0.051)


def test_an_arc_bends_away_from_an_obstacle():
    post = np.array([(1.2, 0.0)])
    assert free_arc(FOOTPRINT, post, curvature_pm=1.2, length_m=1.5, margin_m=0.1) == 1.5
    assert free_arc(FOOTPRINT, post, curvature_pm=0.0, length_m=1.5, margin_m=0.1) < 0.85


def test_backwards_is_looked_at_behind():
    post = np.array([(-0.8, 0.0)])
    assert free_arc(FOOTPRINT, post, curvature_pm=0.0, length_m=-1.0, margin_m=0.1) < 0.45
    assert free_arc(FOOTPRINT, post, curvature_pm=0.0, length_m=1.0, margin_m=0.1) == 1.0


def test_from_too_near_only_the_way_out_is_free():
    wall = np.array([(0.35, y) for y in np.linspace(-0.5, 0.5, 21)])
    assert free_arc(FOOTPRINT, wall, curvature_pm=0.0, length_m=0.5, margin_m=0.1) == 0.0
    assert free_arc(FOOTPRINT, wall, curvature_pm=0.0, length_m=-0.5, margin_m=0.1) == 0.5


def test_a_turn_stops_before_the_corner_touches():
    post = np.array([(0.0, 0.34)])
    assert free_turn(FOOTPRINT, post, angle_rad=2.0, margin_m=0.0) < 1.6
    assert free_turn(FOOTPRINT, NOTHING, angle_rad=2.0, margin_m=0.0) == 2.0


def test_the_carrot_lies_one_lookahead_along_the_path():
    carrot = find_carrot(AHEAD, Pose2(1.0, 0.3, 0.0), 0.6)
    assert (carrot.x_m, carrot.y_m) == pytest.approx((0.6, -0.3))
    assert carrot.rest_m == pytest.approx(3.0)
    assert carrot.curvature_pm < 0.0


def test_the_carrot_stays_at_the_end():
    carrot = find_carrot(AHEAD, Pose2(3.9, 0.0, 0.0), 0.6)
    assert carrot.x_m == pytest.approx(0.1)


def test_speed_falls_with_curvature_and_towards_the_end():
    limits = SpeedLimits()
    assert limits.regulate(0.0, 10.0) == limits.linear_mps
    assert limits.regulate(3.0, 10.0) * 3.0 <= limits.angular_radps + 1e-9
    assert limits.regulate(0.0, 0.05) < 0.25
    assert limits.regulate(0.0, 0.0) == limits.creep_mps


def situation(**changes):
    values = {
        "pose": Pose2(),
        "linear_mps": 0.0,
        "angular_radps": 0.0,
        "path": AHEAD,
        "goal_yaw_rad": 0.0,
        "points_m": NOTHING,
    }
    return Situation(**(values | changes))


def settle(controller, now, ticks=60):
    for _ in range(ticks):
        command = controller.follow(now)
    return command


@pytest.fixture
def controller():
    return Controller(ControlSettings(), 0.05)


def test_commands_respect_the_acceleration(controller):
    first = controller.follow(situation())
    assert first.linear_mps == pytest.approx(ControlSettings().limits.linear_mps2 * 0.05)


def test_in_the_open_the_top_speed_is_reached(controller):
    command = settle(controller, situation(linear_mps=0.8))
    assert command.linear_mps == pytest.approx(ControlSettings().limits.linear_mps)
    assert command.angular_radps == pytest.approx(0.0)


def test_stopping_takes_the_braking_time_and_ends_at_zero(controller):
    settle(controller, situation())
    speeds = [controller.stop().linear_mps for _ in range(30)]
    assert speeds == sorted(speeds, reverse=True)
    assert speeds[-1] == 0.0


def test_a_path_that_starts_behind_is_turned_to_on_the_spot(controller):
    command = settle(controller, situation(pose=Pose2(0.0, 0.0, math.pi * 0.9)))
    assert command.linear_mps == 0.0
    assert command.angular_radps < 0.0


def test_a_wall_right_ahead_is_not_driven_into(controller):
    wall = np.array([(0.43, y) for y in np.linspace(-2, 2, 81)])
    assert settle(controller, situation(points_m=wall)).linear_mps <= 0.0


def test_a_wall_close_to_the_front_is_backed_away_from(controller):
    wall = np.array([(0.38, y) for y in np.linspace(-2, 2, 81)])
    assert settle(controller, situation(points_m=wall)).linear_mps < 0.0


def test_what_is_seen_of_the_vehicle_itself_does_not_hinder_it(controller):
    mast = np.array([(0.1, 0.05), (-0.2, 0.1)])
    command = settle(controller, situation(points_m=mast))
    assert command.linear_mps == pytest.approx(ControlSettings().limits.linear_mps)


def test_boxed_in_on_all_sides_the_vehicle_stands(controller):
    sides = [(x, y) for x in np.linspace(-0.36, 0.36, 25) for y in (-0.3, 0.3)]
    ends = [(x, y) for y in np.linspace(-0.3, 0.3, 25) for x in (-0.36, 0.36)]
    command = settle(controller, situation(points_m=np.array(sides + ends)))
    assert (command.linear_mps, command.angular_radps) == (0.0, 0.0)


def test_at_the_goal_the_heading_is_turned_to_and_then_held(controller):
    there = Pose2(4.0, 0.0, 0.0)
    turning = settle(controller, situation(pose=there, goal_yaw_rad=1.0))
    assert turning.linear_mps == 0.0
    assert turning.angular_radps > 0.3
    standing = settle(controller, situation(pose=Pose2(4.0, 0.0, 0.99), goal_yaw_rad=1.0))
    assert (standing.linear_mps, standing.angular_radps) == (0.0, 0.0)
