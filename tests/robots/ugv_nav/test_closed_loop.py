"""The planner and the controller drive a kinematic vehicle through a world of line segments."""

import math
from dataclasses import dataclass, field

import numpy as np
import pytest

from ugv_nav._control import Controller, ControlSettings, Situation
from ugv_nav._frames import Mount
from ugv_nav._geometry import Pose2, advance, wrap_angle
from ugv_nav._grid import RollingGrid
from ugv_nav._planning import PathKeeper, PlanningSettings
from ugv_nav._scan import Scan

TICK_S = 0.05
LIDAR = Mount((0.1, 0.0, 0.3), (0.0, 0.0, 0.0, 1.0))
GOAL = Pose2(4.5, 0.0, 0.0)
RAYS = 360


def box(x_m, y_m, size_x_m, size_y_m):
    """Return the four sides of a box, shape (4, 2, 2)."""
    left, right = x_m - size_x_m / 2, x_m + size_x_m / 2
    low, high = y_m - size_y_m / 2, y_m + size_y_m / 2
    corners = [(left, low), (right, low), (right, high), (left, high)]
    return np.array([(corners[i], corners[(i + 1) % 4]) for i in range(4)])


# Seen from the spawn pose: a door of 4 m three metres ahead, racks at the sides, a fence.
DOCK = np.concatenate(
    (
        box(3.0, 5.0, 0.2, 6.0),
        box(3.0, -5.0, 0.2, 6.0),
        box(0.5, 2.5, 2.0, 0.8),
        box(1.0, -2.8, 1.2, 1.0),
        box(2.0, 0.0, 14.0, 18.0),
    )
)


@dataclass
class Drive:
    """A vehicle in a world, ticked like the real stack: paths arrive one tick late."""

    seed: int = 0
    walls: np.ndarray = field(default_factory=lambda: DOCK)
    noise_m: float = 0.01
    goal: Pose2 = GOAL
    settings: ControlSettings = field(default_factory=ControlSettings)

    def __post_init__(self):
        self.random = np.random.default_rng(self.seed)
        self.pose = Pose2()
        self.speed = self.rate = 0.0
        self.grid = RollingGrid(resolution_m=0.1, window_m=20.0)
        self.keeper = PathKeeper(PlanningSettings())
        self.controller = Controller(self.settings, TICK_S)
        self.path = None
        self.tick = 0
        self.track = []
        self.clearance_m = math.inf
        self.scan = None

    def look(self):
        lidar = self.pose.compose(LIDAR.planar())
        bearings = -math.pi + 2 * math.pi / RAYS * np.arange(RAYS)
        cos, sin = np.cos(bearings + lidar.yaw_rad), np.sin(bearings + lidar.yaw_rad)
        start, along = self.walls[:, 0], self.walls[:, 1] - self.walls[:, 0]
        dx, dy = start[:, 0] - lidar.x_m, start[:, 1] - lidar.y_m
        cross = cos[:, None] * along[:, 1] - sin[:, None] * along[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            ranges = (dx * along[:, 1] - dy * along[:, 0]) / cross
            share = (dx * sin[:, None] - dy * cos[:, None]) / cross
        met = (ranges > 0) & (share >= 0) & (share <= 1)
        nearest = np.where(met, ranges, np.inf).min(axis=1)
        nearest = nearest + self.random.normal(0.0, self.noise_m, RAYS)
        nearest[nearest > 12.0] = np.inf
        return Scan(0, -math.pi, 2 * math.pi / RAYS, 0.1, 12.0, nearest)

    def step(self):
        goal = self.goal
        if self.tick % 2 == 0:
            self.scan = self.look()
            self.scan_pose = self.pose
            lidar = self.pose.compose(LIDAR.planar())
            self.grid.recentre(self.pose.x_m, self.pose.y_m)
            self.grid.update(self.scan, lidar, mark_range_m=8.0)
            self.keeper.refresh(self.grid, self.pose, goal, review=self.tick % 10 == 0)
        path, self.path = self.path, self.keeper.path
        if path is None:
            command = self.controller.stop()
        else:
            points = self.scan.points(LIDAR, 3.0)
            moved = self.pose.inverse().compose(self.scan_pose)
            cos, sin = math.cos(moved.yaw_rad), math.sin(moved.yaw_rad)
            points = points @ np.array(((cos, sin), (-sin, cos))) + (moved.x_m, moved.y_m)
            command = self.controller.follow(
                Situation(self.pose, self.speed, self.rate, path, goal.yaw_rad, points)
            )
        for _ in range(5):
            # The wheels follow with a lag of about 50 ms, and slip a little.
            self.speed += 0.2 * (command.linear_mps - self.speed)
            self.rate += 0.2 * (command.angular_radps - self.rate)
            slip = 1.0 + self.random.normal(0.0, 0.02)
            self.pose = advance(self.pose, self.speed * slip, self.rate * slip, TICK_S / 5)
        self.tick += 1
        self.track.append((self.pose.x_m, self.pose.y_m, self.pose.yaw_rad))
        self.clearance_m = min(self.clearance_m, self.measure_clearance())

    def measure_clearance(self):
        share = np.linspace(0, 1, 41)[None, :, None]
        dots = (self.walls[:, :1] + share * (self.walls[:, 1:] - self.walls[:, :1])).reshape(-1, 2)
        dx, dy = dots[:, 0] - self.pose.x_m, dots[:, 1] - self.pose.y_m
        cos, sin = math.cos(self.pose.yaw_rad), math.sin(self.pose.yaw_rad)
        seen = np.stack((cos * dx + sin * dy, cos * dy - sin * dx), axis=-1)
        return self.settings.footprint.nearest(seen)

    def arrived(self):
        return (
            self.pose.distance_to(self.goal.x_m, self.goal.y_m) < 0.15
            and abs(wrap_angle(self.pose.yaw_rad - self.goal.yaw_rad)) < 0.1
            and abs(self.speed) < 0.02
            and abs(self.rate) < 0.05
        )

    def run(self, limit_s):
        while self.tick * TICK_S < limit_s and not self.arrived():
            self.step()
        return self.tick * TICK_S


def test_the_straight_route_through_the_door_is_driven_straight():
    drive = Drive()
    assert drive.run(30.0) < 12.0
    track = np.array(drive.track)
    assert np.abs(track[:, 1]).max() < 0.1
    assert drive.clearance_m > 0.5


@pytest.mark.parametrize("seed", range(10))
def test_a_crate_on_the_line_is_passed_with_clearance(seed):
    drive = Drive(seed=seed)
    while drive.pose.x_m < 0.5:
        drive.step()
    drive.walls = np.concatenate((DOCK, box(drive.pose.x_m + 1.7, 0.0, 0.6, 0.6)))
    crate_x_m = drive.pose.x_m + 1.7
    assert drive.run(60.0) < 25.0
    track = np.array(drive.track)
    beside = np.abs(track[:, 0] - crate_x_m) < 0.05
    assert np.abs(track[beside, 1]).min() >= 0.57
    assert drive.clearance_m >= 0.1
