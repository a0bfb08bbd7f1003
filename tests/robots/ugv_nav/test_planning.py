import itertools
import math

import numpy as np
import pytest

from ugv_nav._geometry import Pose2
from ugv_nav._grid import RollingGrid
from ugv_nav._inflation import (
    BLOCKED,
    Inflation,
    measure_distances,
    price_cells,
    shade_cells,
)
from ugv_nav._planning import PathKeeper, PlanningSettings, find_path, price_grid
from ugv_nav._search import PriceField, pull_taut, resample, search_cells

SETTINGS = PlanningSettings()


def distances_by_hand(occupied, resolution_m, limit_m):
    """Return the distances the slow way; what lies beyond the limit reads as infinite."""
    rows, columns = np.nonzero(occupied)
    result = np.full(occupied.shape, math.inf)
    for row in range(occupied.shape[0]):
        for column in range(occupied.shape[1]):
            if rows.size:
                nearest = np.hypot(rows - row, columns - column).min() * resolution_m
                result[row, column] = nearest if nearest <= limit_m else math.inf
    return result


def cost_by_hand(prices, start, goal):
    """Return the cheapest cost from cell to cell by relaxing until nothing changes."""
    rows, columns = prices.shape
    cost = np.full(prices.shape, math.inf)
    cost[start] = 0.0
    changed = True
    while changed:
        changed = False
        for row in range(rows):
            for column in range(columns):
                for down in (-1, 0, 1):
                    for right in (-1, 0, 1):
                        there = (row + down, column + right)
                        if (down, right) == (0, 0) or not (
                            0 <= there[0] < rows and 0 <= there[1] < columns
                        ):
                            continue
                        new = cost[row, column] + math.hypot(down, right) * prices[there]
                        if new < cost[there] - 1e-12:
                            cost[there] = new
                            changed = True
    return cost[goal]


@pytest.mark.parametrize("seed", range(4))
def test_distances_equal_those_measured_one_by_one(seed):
    random = np.random.default_rng(seed)
    occupied = random.random((23, 31)) < 0.02 * seed
    measured = measure_distances(occupied, 0.1, 0.9)
    expected = distances_by_hand(occupied, 0.1, 0.9)
    near = np.isfinite(expected)
    np.testing.assert_allclose(measured[near], expected[near], rtol=1e-6)
    assert (measured[~near] > 0.9 - 1e-6).all()


def test_prices_fall_from_blocked_to_one():
    inflation = Inflation(lethal_m=0.4, radius_m=0.9, weight=4.0)
    prices = price_cells(np.array([0.0, 0.39, 0.4, 0.65, 0.9, 2.0], dtype=np.float32), inflation)
    assert prices[0] == prices[1] == BLOCKED
    assert prices[2] == pytest.approx(5.0)
    assert prices[3] == pytest.approx(2.0)
    assert prices[4] == pytest.approx(1.0)
    assert prices[5] == 1.0


def test_shades_tell_occupied_lethal_near_and_free_apart():
    inflation = Inflation(lethal_m=0.4, radius_m=0.9, weight=4.0)
    shades = shade_cells(np.array([0.0, 0.3, 0.5, 2.0], dtype=np.float32), inflation)
    assert shades.tolist()[:2] == [100, 99]
    assert 0 < shades[2] < 99
    assert shades[3] == 0


@pytest.mark.parametrize("seed", range(5))
def test_a_star_costs_what_exhaustive_relaxation_costs(seed):
    random = np.random.default_rng(seed)
    prices = 1.0 + 3.0 * random.random((12, 14))
    prices[random.random(prices.shape) < 0.25] = BLOCKED
    prices[0, 0] = prices[11, 13] = 1.0
    cells = search_cells(PriceField(prices, 1.0, (0.0, 0.0)), (0, 0), (11, 13))
    expected = cost_by_hand(prices, (0, 0), (11, 13))
    if cells is None:
        assert expected == math.inf
        return
    cost = sum(math.dist(a, b) * prices[b] for a, b in itertools.pairwise(cells))
    assert cost == pytest.approx(expected)


def test_pulling_taut_never_costs_more_and_keeps_the_ends():
    grid = RollingGrid(resolution_m=0.1, window_m=8.0)
    grid.occupied[30:45, 55] = True
    field = price_grid(grid, Pose2(), SETTINGS)
    cells = search_cells(field, grid.cell_of(0.0, 0.0), grid.cell_of(3.0, 0.0))
    rough = np.array([field.centre_of(cell) for cell in cells])
    taut = pull_taut(field, rough)
    assert field.price_of_path(taut) <= field.price_of_path(rough) + 1e-6
    assert len(taut) < len(rough)
    assert (taut[0] == rough[0]).all()
    assert (taut[-1] == rough[-1]).all()


def test_resampling_keeps_the_ends_and_the_spacing():
    points = resample(np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 0.55)]), 0.2)
    steps = np.hypot(*np.diff(points, axis=0).T)
    assert steps.max() <= 0.2 + 1e-9
    assert points[0].tolist() == [0.0, 0.0]
    assert points[-1].tolist() == [1.0, 0.55]


def path_in(grid, goal, start=Pose2()):  # noqa: B008 - a frozen value
    return find_path(price_grid(grid, start, SETTINGS), start, goal, SETTINGS)


def test_in_the_open_the_path_is_the_beeline():
    path = path_in(RollingGrid(resolution_m=0.1, window_m=12.0), Pose2(4.5, 0.3, 0.0))
    np.testing.assert_allclose(path[:, 1], path[:, 0] * 0.3 / 4.5, atol=1e-9)
    assert path[-1].tolist() == [4.5, 0.3]


def test_a_blocked_goal_is_approached_within_the_tolerance():
    grid = RollingGrid(resolution_m=0.1, window_m=12.0)
    grid.occupied[:, grid.cell_of(3.0, 0.0)[1]] = True
    path = path_in(grid, Pose2(2.7, 0.0, 0.0))
    assert math.dist(path[-1], (2.7, 0.0)) <= SETTINGS.goal_tolerance_m


def test_a_goal_behind_a_closed_wall_has_no_path():
    grid = RollingGrid(resolution_m=0.1, window_m=12.0)
    grid.occupied[:, grid.cell_of(3.0, 0.0)[1]] = True
    assert path_in(grid, Pose2(4.5, 0.0, 0.0)) is None


def test_a_goal_outside_the_window_is_approached_to_its_border():
    grid = RollingGrid(resolution_m=0.1, window_m=6.0)
    path = path_in(grid, Pose2(10.0, 0.0, 0.0))
    assert 2.5 < path[-1, 0] < 3.0


def test_a_vehicle_too_near_to_something_finds_its_way_out():
    grid = RollingGrid(resolution_m=0.1, window_m=8.0)
    row, column = grid.cell_of(0.35, 0.0)
    grid.occupied[row - 5 : row + 6, column] = True
    path = path_in(grid, Pose2(-2.0, 0.0, 0.0))
    assert path[-1].tolist() == [-2.0, 0.0]


class TestPathKeeper:
    goal = Pose2(4.5, 0.0, 0.0)

    def keep(self):
        grid = RollingGrid(resolution_m=0.1, window_m=12.0)
        keeper = PathKeeper(SETTINGS)
        assert keeper.refresh(grid, Pose2(), self.goal, review=True)
        return grid, keeper

    def test_a_free_path_is_kept(self):
        grid, keeper = self.keep()
        kept = keeper.path
        assert not keeper.refresh(grid, Pose2(1.0, 0.05, 0.0), self.goal, review=False)
        assert keeper.path is kept

    def test_a_blocked_path_is_replaced_at_once(self):
        grid, keeper = self.keep()
        row, column = grid.cell_of(2.5, 0.0)
        grid.occupied[row - 3 : row + 4, column] = True
        assert keeper.refresh(grid, Pose2(0.5, 0.0, 0.0), self.goal, review=False)
        assert np.abs(keeper.path[:, 1]).max() > 0.5

    def test_a_detour_is_given_up_when_its_reason_is_gone(self):
        grid, keeper = self.keep()
        row, column = grid.cell_of(2.5, 0.0)
        grid.occupied[row - 6 : row + 7, column] = True
        keeper.refresh(grid, Pose2(), self.goal, review=False)
        grid.occupied[:] = False
        assert not keeper.refresh(grid, Pose2(), self.goal, review=False)
        assert keeper.refresh(grid, Pose2(), self.goal, review=True)
        assert np.abs(keeper.path[:, 1]).max() < 0.01

    def test_a_vehicle_that_was_moved_gets_a_new_path(self):
        grid, keeper = self.keep()
        assert keeper.refresh(grid, Pose2(1.0, 2.0, 0.0), self.goal, review=False)
        assert keeper.path[0].tolist() == [1.0, 2.0]

    def test_a_new_goal_gets_a_new_path(self):
        grid, keeper = self.keep()
        assert keeper.refresh(grid, Pose2(), Pose2(0.0, 3.0, 0.0), review=False)
        assert keeper.path[-1].tolist() == [0.0, 3.0]
