import math

import pytest

from .streams import action, assertion, clock, end, evaluator, pose, put, start, verdict


def direct(**spec):
    return assertion("path_efficiency", **{"vehicle": "ugv1", **spec})


STRAIGHT = [pose(t, float(t)) for t in range(5)]
DETOUR = [pose(0, 0.0), pose(1, 0.0, 3.0), pose(2, 4.0, 3.0), pose(3, 4.0, 0.0)]
"""Ten metres for four."""


def test_it_passes_at_the_end_when_the_path_was_straight_enough():
    result = verdict(direct(), [*STRAIGHT, end(6)])
    assert (result.status, result.t_s) == ("passed", 6.0)
    assert result.reason == ("ugv1 drove 4 m for 4 m straight: efficiency 1 (at least 0.5)")
    figures = {
        "path_m": 4.0, "straight_m": 4.0, "efficiency": 1.0, "max_speed_mps": 1.0,
        "mean_speed_mps": 1.0, "samples": 5,
    }  # fmt: skip
    assert result.metrics == figures
    assert {key: result.evidence[key] for key in figures} == figures


def test_it_fails_at_the_end_when_the_path_was_a_detour():
    result = verdict(direct(), [*DETOUR, end(6)])
    assert (result.status, result.t_s) == ("failed", 6.0)
    assert result.metrics["efficiency"] == 0.4
    assert (result.metrics["max_speed_mps"], result.metrics["mean_speed_mps"]) == (
        4.0, pytest.approx(10 / 3, abs=1e-6),
    )  # fmt: skip
    assert verdict(direct(min_ratio=0.4), [*DETOUR, end(6)]).status == "passed"


def test_an_efficiency_just_below_its_limit_is_not_rounded_to_it():
    bent = [pose(0, 0.0), pose(1, 2.0, 0.01), pose(2, 4.0), end(6)]
    result = verdict(direct(min_ratio=1.0), bent)
    assert (result.status, result.reason) == (
        "failed", "ugv1 drove 4 m for 4 m straight: efficiency 0.99999 (at least 1)",
    )  # fmt: skip
    longer = verdict(direct(max_path_m=4.0), bent)
    assert longer.reason == "ugv1 drove 4.00005 m by 2 s (at most 4 m)"


def test_the_straight_line_runs_to_the_target_where_there_is_one():
    target = {"x": 4.0, "y": 0.0}
    result = verdict(direct(target=target), [*DETOUR, end(6)])
    assert (result.metrics["straight_m"], result.metrics["efficiency"]) == (4.0, 0.4)
    framed = verdict(direct(target={"frame": "gate"}), [*DETOUR, end(6)])
    assert framed.metrics == result.metrics


def test_one_that_stops_short_of_its_target_counts_as_straight_at_most():
    result = verdict(direct(target={"x": 4.5, "y": 0.0}), [*STRAIGHT, end(6)])
    assert (result.status, result.metrics["efficiency"]) == ("passed", 1.0)


def test_one_that_goes_the_wrong_way_does_not_count_as_efficient():
    away = [pose(t, -2.0 * t) for t in range(5)]
    result = verdict(direct(target={"x": 4.0, "y": 0.0}), [*away, end(6)])
    assert (result.status, result.metrics["efficiency"]) == ("failed", 0.0)
    past = verdict(direct(target={"x": 2.0, "y": 0.0}), [*STRAIGHT, end(6)])
    assert (past.status, past.metrics["efficiency"]) == ("failed", 0.0)
    nearer = verdict(direct(target={"x": 2.5, "y": 0.0}), [*STRAIGHT, end(6)])
    assert nearer.metrics["efficiency"] == 0.625


def test_one_that_did_not_move_counts_as_straight_only_without_a_target():
    still = [pose(t, 0.001 * t) for t in range(5)]
    assert verdict(direct(min_ratio=1), [*still, end(6)]).metrics["efficiency"] == 1.0
    result = verdict(direct(target={"x": 4.0, "y": 0.0}), [*still, end(6)])
    assert (result.status, result.metrics["efficiency"]) == ("failed", 0.0)
    there = verdict(direct(target={"x": 0.01, "y": 0.0}), [*still, end(6)])
    assert (there.status, there.metrics["efficiency"]) == ("passed", 1.0)


def test_a_path_that_is_too_long_fails_as_soon_as_it_is():
    result = verdict(direct(max_path_m=6.5), [*DETOUR, end(6)])
    assert (result.status, result.t_s, result.sim_s) == ("failed", 2.0, 5.5)
    assert result.reason == "ugv1 drove 7 m by 2 s (at most 6.5 m)"
    assert verdict(direct(max_path_m=10), [*DETOUR, end(6)]).t_s == 6.0


def test_the_run_of_an_action_is_a_window():
    samples = [
        pose(0, 50.0), pose(1, 0.0), action(1, "started"), pose(2, 1.0), pose(3, 2.0),
        action(3.5, "finished", "failed"), pose(4, 50.0), end(6),
    ]  # fmt: skip
    result = verdict(direct(action="drive"), samples)
    assert (result.status, result.t_s) == ("passed", 3.5)
    assert (result.metrics["path_m"], result.metrics["samples"]) == (2.0, 3)


def test_the_first_occurrence_of_a_repeated_action_counts():
    samples = [
        action(0, "started"), pose(0, 0.0), pose(1, 1.0), action(1, "finished", "ok"),
        action(2, "started", label="drive#2"), pose(3, 9.0), end(4),
    ]  # fmt: skip
    assert verdict(direct(action="drive"), samples).metrics["path_m"] == 1.0


def test_an_action_that_runs_to_the_end_is_judged_there():
    samples = [action(0, "started"), pose(0, 0.0), pose(1, 1.0), end(4)]
    assert verdict(direct(action="drive"), samples).t_s == 4.0


@pytest.mark.parametrize(
    ("samples", "t", "what"),
    [
        ([action(2, "finished", "skipped")], 2.0, "when it ended skipped: drive never started"),
        ([*STRAIGHT], 9.0, "before the timeline ended: drive never started"),
        ([action(1, "started"), pose(2, 0.0)], 9.0, "1 pose of ugv1 in the window"),
        ([action(1, "started"), action(2, "finished", "ok")], 2.0, "no poses of ugv1 in the"),
    ],
)
def test_fewer_than_two_poses_fail(samples, t, what):
    result = verdict(direct(action="drive"), [*samples, end(9)])
    assert (result.status, result.t_s) == ("failed", t)
    assert what in result.reason
    assert result.metrics["efficiency"] is None


def test_a_window_of_time_closes_at_its_end():
    result = verdict(direct(after_s=1, within_s=3), [*STRAIGHT, clock(9)])
    assert (result.status, result.t_s) == ("passed", 3.0)
    assert (result.metrics["path_m"], result.metrics["samples"]) == (2.0, 3)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_pose_that_is_no_number_fails_it(bad):
    result = verdict(direct(), [pose(0, 0.0), pose(1, bad), pose(2, 2.0), end(6)])
    assert (result.status, result.t_s) == ("failed", 1.0)
    assert "no finite number" in result.reason
    before = [pose(0, bad), action(1, "started"), pose(1, 0.0), pose(2, 2.0), end(6)]
    assert verdict(direct(action="drive"), before).status == "passed"


def test_a_pose_out_of_order_is_left_out_and_one_that_comes_twice_adds_nothing():
    samples = [pose(0, 0.0), pose(2, 2.0), pose(1, 1.0), pose(2, 2.0), pose(4, 4.0), end(6)]
    result = verdict(direct(), samples)
    assert (result.metrics["path_m"], result.metrics["samples"]) == (4.0, 4)


def test_a_gap_is_bridged_in_a_straight_line():
    assert verdict(direct(), [pose(0, 0.0), pose(90, 9.0), end(91)]).metrics["path_m"] == 9.0


def test_heights_belong_to_the_path():
    samples = [pose(0, 0.0), pose(1, 3.0, z=4.0), end(2)]
    assert verdict(direct(), samples).metrics["path_m"] == 5.0
    level = verdict(direct(target={"x": 3.0, "y": 0.0}), samples)
    assert (level.metrics["straight_m"], level.metrics["efficiency"]) == (3.0, 0.6)
    high = verdict(direct(target={"x": 3.0, "y": 0.0, "z": 4.0}), samples)
    assert high.metrics["efficiency"] == 1.0


def test_speeds_are_those_of_simulation_time():
    """At half the real-time factor the wall clock would make them half of what they are."""
    judge = evaluator(direct(), mode="sim")
    wall = [
        start_at_wall(1000.0), *(on_wall(pose(t, 2.0 * t), 1000.0 + 2 * t) for t in range(3)),
        on_wall(end(3), 1006.0),
    ]  # fmt: skip
    for sample in wall:
        judge.feed(sample)
    assert judge.results()[0].metrics["mean_speed_mps"] == 2.0


def on_wall(sample, wall):
    return type(sample)(sample.kind, wall, sample.sim, sample.data)


def start_at_wall(wall):
    return on_wall(start(), wall)


def test_a_teleport_is_neither_path_nor_straight_line():
    away_and_on = [pose(0, 0.0), pose(1, 2.0), put(2, 50.0), pose(3, 52.0), end(6)]
    result = verdict(direct(max_path_m=5), away_and_on)
    assert result.status == "passed"
    assert (result.metrics["path_m"], result.metrics["straight_m"]) == (4.0, 4.0)
    assert (result.metrics["efficiency"], result.metrics["max_speed_mps"]) == (1.0, 2.0)
    there_and_back = [*DETOUR, put(4, 50.0), pose(5, 50.0), end(6)]
    assert verdict(direct(), there_and_back).metrics["efficiency"] == 0.4


def test_after_a_teleport_the_straight_line_to_the_target_begins_there():
    to = direct(target={"x": 10.0, "y": 0.0})
    near = [pose(0, 0.0), pose(1, 2.0), put(2, 8.0), pose(3, 10.0), end(6)]
    assert verdict(to, near).metrics["efficiency"] == 1.0
    onto = [pose(0, 0.0), pose(1, 2.0), put(2, 10.0), end(6)]
    assert verdict(to, onto).metrics["efficiency"] == 1.0
    away = [pose(0, 0.0), pose(1, 2.0), put(2, 30.0), pose(3, 31.0), end(6)]
    assert verdict(to, away).metrics["efficiency"] == 0.0
