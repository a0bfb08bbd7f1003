import math

import numpy as np
import pytest

from ugv_nav._geometry import Pose2
from ugv_nav._grid import RollingGrid
from ugv_nav._scan import Scan

HERE = Pose2(0.05, 0.05, 0.0)


def scan_of(ranges, angle_min=-math.pi, turn=2 * math.pi):
    ranges = np.asarray(ranges, dtype=np.float64)
    return Scan(0, angle_min, turn / ranges.size, 0.1, 10.0, ranges)


def full_turn(range_m):
    return np.full(360, range_m)


def occupied_cells(grid):
    return {
        grid.centre_of(row, column) for row, column in zip(*np.nonzero(grid.occupied), strict=True)
    }


def make_grid():
    return RollingGrid(resolution_m=0.1, window_m=8.0)


def test_a_return_marks_the_cell_it_ends_in():
    grid = make_grid()
    ranges = full_turn(math.inf)
    ranges[180] = 2.0
    assert grid.update(scan_of(ranges), HERE, mark_range_m=8.0)
    assert grid.occupied.sum() == 1
    assert grid.occupied[grid.cell_of(2.05, 0.05)]


def test_a_ray_that_goes_farther_frees_the_cell():
    grid = make_grid()
    near = full_turn(math.inf)
    near[170:191] = 2.0
    grid.update(scan_of(near), HERE, mark_range_m=8.0)
    assert grid.update(scan_of(full_turn(math.inf)), HERE, mark_range_m=8.0)
    assert not grid.occupied.any()


@pytest.mark.parametrize("value", [math.nan, 0.0, 0.05], ids=["nan", "zero", "below-minimum"])
def test_a_ray_that_knows_nothing_frees_nothing(value):
    grid = make_grid()
    grid.update(scan_of(full_turn(2.0)), HERE, mark_range_m=8.0)
    before = grid.occupied.copy()
    assert not grid.update(scan_of(full_turn(value)), HERE, mark_range_m=8.0)
    assert (grid.occupied == before).all()


def test_what_is_behind_a_return_stays():
    grid = make_grid()
    grid.update(scan_of(full_turn(3.0)), HERE, mark_range_m=8.0)
    far = occupied_cells(grid)
    grid.update(scan_of(full_turn(1.0)), HERE, mark_range_m=8.0)
    assert far <= occupied_cells(grid)


def test_a_scan_of_half_a_turn_frees_nothing_behind_the_lidar():
    grid = make_grid()
    grid.update(scan_of(full_turn(2.0)), HERE, mark_range_m=8.0)
    front = scan_of(np.full(180, math.inf), angle_min=-math.pi / 2, turn=math.pi)
    grid.update(front, HERE, mark_range_m=8.0)
    left = occupied_cells(grid)
    assert all(x_m < 0.2 for x_m, _ in left)
    assert any(x_m < -1.8 for x_m, _ in left)


def test_rays_that_turn_clockwise_mean_the_same():
    ranges = full_turn(math.inf)
    ranges[200:230] = 2.0
    grid, mirrored = make_grid(), make_grid()
    for each, values in ((grid, ranges), (mirrored, ranges)):
        each.update(scan_of(full_turn(1.5)), HERE, mark_range_m=8.0)
        scan = scan_of(values)
        if each is mirrored:
            last = scan.angle_min_rad + scan.angle_increment_rad * (values.size - 1)
            scan = Scan(0, last, -scan.angle_increment_rad, 0.1, 10.0, values[::-1].copy())
        each.update(scan, HERE, mark_range_m=8.0)
    assert occupied_cells(grid) == occupied_cells(mirrored)


def test_returns_beyond_the_marking_range_mark_nothing():
    grid = make_grid()
    grid.update(scan_of(full_turn(3.0)), HERE, mark_range_m=2.5)
    assert not grid.occupied.any()


def test_the_window_rolls_and_keeps_the_cells_in_place():
    grid = make_grid()
    grid.update(scan_of(full_turn(1.0)), HERE, mark_range_m=8.0)
    before = occupied_cells(grid)
    grid.recentre(2.0, -1.5)
    after = occupied_cells(grid)
    assert grid.cell_of(5.9, -1.5) is not None
    assert {(round(x, 6), round(y, 6)) for x, y in after} == {
        (round(x, 6), round(y, 6)) for x, y in before
    }


def test_a_small_move_does_not_roll_the_window():
    grid = make_grid()
    origin = grid.origin_m
    grid.recentre(0.5, 0.5)
    assert grid.origin_m == origin


def test_cropping_keeps_the_map_position():
    grid = make_grid()
    grid.occupied[grid.cell_of(1.05, 0.55)] = True
    part, origin_m = grid.crop(np.array((0.5, 0.0)), np.array((1.5, 0.8)), 0.3)
    row, column = (int(index[0]) for index in np.nonzero(part))
    assert origin_m[0] + (column + 0.5) * 0.1 == pytest.approx(1.05)
    assert origin_m[1] + (row + 0.5) * 0.1 == pytest.approx(0.55)


def test_cropping_outside_the_window_gives_nothing():
    assert make_grid().crop(np.array((0.0, 0.0)), np.array((50.0, 0.0)), 0.3) is None
