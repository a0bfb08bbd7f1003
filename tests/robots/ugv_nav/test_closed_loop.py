"""The planner and the controller drive a kinematic vehicle through a world of line segments."""

import math

import numpy as np
import pytest

from ugv_nav._control import Controller, ControlSettings, Situation
from ugv_nav._frames import Mount
from ugv_nav._geometry import Pose2, wrap_angle
from ugv_nav._grid import RollingGrid
from ugv_nav._planning import PathKeeper, PlanningSettings
from ugv_nav._scan import Scan

TICK_S = 0.05
LIDAR = Mount((0.1, 0.0, 0.3), (0.0, 0.0, 0.0, 1.0))
GOAL = Pose2(4.5, 0.0, 0.0)


class Drive:
    """A vehicle in a world, ticked like the real stack: a path is used one tick late."""

    def __init__(self, plane, goal=GOAL):
        self.plane = plane
        self.goal = goal
        self.grid = RollingGrid(resolution_m=0.1, window_m=20.0)
        self.keeper = PathKeeper(PlanningSettings())
        self.controller = Controller(ControlSettings(), TICK_S)
        self.path = None
        self.tick = 0
        self.track = []
        self.clearance_m = math.inf

    def step(self):
        plane = self.plane
        if self.tick % 2 == 0:
            ranges = plane.look()
            step_rad = 2 * math.pi / ranges.size
            self.scan = Scan(0, -math.pi, step_rad, 0.12, 12.0, ranges)
            self.scan_pose = plane.pose
            lidar = plane.pose.compose(LIDAR.planar())
            self.grid.recentre(plane.pose.x_m, plane.pose.y_m)
            self.grid.update(self.scan, lidar, mark_range_m=8.0)
            self.keeper.refresh(self.grid, plane.pose, self.goal, review=self.tick % 10 == 0)
        path, self.path = self.path, self.keeper.path
        if path is None:
            command = self.controller.stop()
        else:
            points = self.scan.points(LIDAR, 3.0)
            moved = plane.pose.inverse().compose(self.scan_pose)
            cos, sin = math.cos(moved.yaw_rad), math.sin(moved.yaw_rad)
            points = points @ np.array(((cos, sin), (-sin, cos))) + (moved.x_m, moved.y_m)
            command = self.controller.follow(
                Situation(plane.pose, plane.speed, plane.rate, path, self.goal.yaw_rad, points)
            )
        plane.move(command.linear_mps, command.angular_radps, TICK_S)
        self.tick += 1
        self.track.append((plane.pose.x_m, plane.pose.y_m))
        self.clearance_m = min(self.clearance_m, plane.clearance())

    def arrived(self):
        pose = self.plane.pose
        return (
            pose.distance_to(self.goal.x_m, self.goal.y_m) < 0.15
            and abs(wrap_angle(pose.yaw_rad - self.goal.yaw_rad)) < 0.1
            and abs(self.plane.speed) < 0.02
            and abs(self.plane.rate) < 0.05
        )

    def run(self, limit_s):
        """Return the seconds until the vehicle stood at the goal, the limit if it never did."""
        while self.tick * TICK_S < limit_s and not self.arrived():
            self.step()
        return self.tick * TICK_S

    def offset_beside(self, x_m):
        """Return how far the centre was from the straight line when it passed an x."""
        track = np.array(self.track)
        return np.abs(track[np.abs(track[:, 0] - x_m) < 0.05, 1]).min()


def pass_crate(plane, *, ahead_m, aside_m):
    """Drive half a metre, put a crate of 0.6 m in the way, drive on."""
    drive = Drive(plane)
    while plane.pose.x_m < 0.5:
        drive.step()
    crate_x_m = plane.pose.x_m + ahead_m
    plane.add_box(crate_x_m, aside_m, 0.6, 0.6)
    seconds = drive.run(60.0)
    return drive, seconds, crate_x_m


def test_the_straight_route_through_the_door_is_driven_straight(make_plane):
    drive = Drive(make_plane())
    assert drive.run(30.0) < 12.0
    assert np.abs(np.array(drive.track)[:, 1]).max() < 0.1
    assert drive.clearance_m > 0.5


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("aside_m", [-0.1, 0.0, 0.1])
def test_a_crate_on_the_line_is_passed_with_clearance(make_plane, seed, aside_m):
    drive, seconds, crate_x_m = pass_crate(make_plane(seed), ahead_m=1.7, aside_m=aside_m)
    assert seconds < 25.0
    assert drive.offset_beside(crate_x_m) >= 0.57
    assert drive.clearance_m >= 0.1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(50))
def test_the_crate_is_passed_fifty_times_of_fifty(make_plane, seed):
    drive, seconds, crate_x_m = pass_crate(make_plane(1000 + seed), ahead_m=1.7, aside_m=0.0)
    assert seconds < 25.0
    assert drive.offset_beside(crate_x_m) >= 0.57
    assert drive.clearance_m >= 0.1


@pytest.mark.parametrize("seed", range(3))
def test_a_crate_that_appears_close_is_not_touched(make_plane, seed):
    drive, seconds, _ = pass_crate(make_plane(seed), ahead_m=1.2, aside_m=0.0)
    assert seconds < 40.0
    assert drive.clearance_m >= 0.05


@pytest.mark.parametrize(
    "goal",
    [
        pytest.param(Pose2(-2.5, 0.0, math.pi), id="behind"),
        pytest.param(Pose2(0.0, 0.0, 2.0), id="turn-on-the-spot"),
        pytest.param(Pose2(4.0, 3.5, math.pi / 2), id="round-the-door-post"),
        pytest.param(Pose2(2.2, 2.0, -math.pi / 2), id="beside-a-rack"),
    ],
)
def test_goals_all_around_are_reached(make_plane, goal):
    drive = Drive(make_plane(), goal)
    assert drive.run(60.0) < 45.0
    assert drive.clearance_m >= 0.1


def test_the_vehicle_stands_still_once_it_has_arrived(make_plane):
    drive = Drive(make_plane())
    drive.run(30.0)
    there = drive.plane.pose
    for _ in range(100):
        drive.step()
    assert there.distance_to(drive.plane.pose.x_m, drive.plane.pose.y_m) < 0.01


def test_equal_seeds_give_equal_tracks(make_plane):
    first, _, _ = pass_crate(make_plane(7), ahead_m=1.7, aside_m=0.0)
    second, _, _ = pass_crate(make_plane(7), ahead_m=1.7, aside_m=0.0)
    assert first.track == second.track


def test_without_a_way_through_the_vehicle_stops_clear_of_the_wall(make_plane):
    plane = make_plane()
    drive = Drive(plane)
    while plane.pose.x_m < 0.5:
        drive.step()
    plane.add_box(0.0, 0.0, 5.0, 3.6)
    drive.run(15.0)
    assert drive.keeper.path is None
    assert abs(plane.speed) < 0.02
    assert drive.clearance_m > 0.1


def test_a_removed_crate_leaves_no_ghost(make_plane):
    plane = make_plane()
    walls = plane.walls
    drive = Drive(plane)
    plane.add_box(1.7, 0.0, 0.6, 0.6)
    for _ in range(20):
        drive.step()
    plane.walls = walls
    for _ in range(20):
        drive.step()
    cells = drive.grid.occupied[
        tuple(
            slice(a, b)
            for a, b in zip(
                *[drive.grid.cell_of(*p) for p in ((1.2, -0.5), (2.2, 0.5))], strict=True
            )
        )
    ]
    assert not cells.any()
