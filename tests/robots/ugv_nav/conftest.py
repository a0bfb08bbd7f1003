"""A flat world of line segments, and a kinematic vehicle with a lidar in it."""

import math

import numpy as np
import pytest

from ugv_nav._clearance import Footprint
from ugv_nav._geometry import Pose2, advance

RAYS = 360
LIDAR_X_M = 0.1


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


class Plane:
    """The world and the vehicle; frames: the vehicle starts at the origin, heading along x."""

    def __init__(self, seed=0, walls=DOCK, noise_m=0.01):
        self.random = np.random.default_rng(seed)
        self.walls = walls
        self.noise_m = noise_m
        self.pose = Pose2()
        self.speed = self.rate = 0.0
        self.footprint = Footprint()

    def add_box(self, x_m, y_m, size_x_m, size_y_m):
        self.walls = np.concatenate((self.walls, box(x_m, y_m, size_x_m, size_y_m)))

    def look(self):
        """Return the ranges of a scan, shape (RAYS,), from bearing -pi on; +inf for no return."""
        lidar = self.pose.compose(Pose2(LIDAR_X_M, 0.0, 0.0))
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
        return nearest

    def move(self, linear_mps, angular_radps, seconds):
        """Drive for a while; the wheels follow with a lag of about 50 ms, and slip a little."""
        for _ in range(5):
            self.speed += 0.2 * (linear_mps - self.speed)
            self.rate += 0.2 * (angular_radps - self.rate)
            slip = 1.0 + self.random.normal(0.0, 0.02)
            self.pose = advance(self.pose, self.speed * slip, self.rate * slip, seconds / 5)

    def clearance(self):
        """Return the distance between the vehicle's footprint and the nearest wall."""
        share = np.linspace(0, 1, 41)[None, :, None]
        dots = (self.walls[:, :1] + share * (self.walls[:, 1:] - self.walls[:, :1])).reshape(-1, 2)
        dx, dy = dots[:, 0] - self.pose.x_m, dots[:, 1] - self.pose.y_m
        cos, sin = math.cos(self.pose.yaw_rad), math.sin(self.pose.yaw_rad)
        seen = np.stack((cos * dx + sin * dy, cos * dy - sin * dx), axis=-1)
        return self.footprint.nearest(seen)


@pytest.fixture
def make_plane():
    """The class of the world, for tests that choose seed and walls."""
    return Plane
