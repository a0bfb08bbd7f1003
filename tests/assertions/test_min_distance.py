import math

import pytest

from .streams import assertion, clock, end, evaluator, gone, pose, start, verdict


def apart(to=None, **spec):
    to = to or {"vehicle": "ugv2"}
    return assertion("min_distance", **{"vehicle": "ugv1", "to": to, "min_m": 2.0, **spec})


def other(t, x, y=0.0, **rest):
    return pose(t, x, y, model="ugv2", **rest)


def test_it_passes_at_the_end_when_it_was_never_too_close():
    samples = [pose(0, 0.0), other(0, 9.0), pose(1, 3.0), other(1, 6.0), pose(2, 0.0), end(3)]
    result = verdict(apart(), samples)
    assert (result.status, result.t_s) == ("passed", 3.0)
    assert result.reason == "ugv1 stayed at least 3 m away from ugv2 (at least 2 m)"
    assert result.evidence["closest"] == {
        "t_s": 1.0, "sim_s": 4.5, "distance_m": 3.0,
        "position": {"x": 3.0, "y": 0.0, "z": 0.0}, "other": {"x": 6.0, "y": 0.0, "z": 0.0},
    }  # fmt: skip
    assert result.evidence["samples"] == 3
    assert result.metrics == {"closest_m": 3.0, "closest_at_s": 1.0, "final_m": 6.0}


def test_it_fails_at_the_first_distance_that_is_smaller():
    samples = [pose(0, 0.0), other(0, 9.0), pose(1, 7.5), other(1, 9.0), end(3)]
    result = verdict(apart(), samples)
    assert (result.status, result.t_s, result.sim_s) == ("failed", 1.0, 4.5)
    assert result.reason == "ugv1 was 1.5 m away from ugv2 at 1 s (at least 2 m)"
    assert result.evidence["excerpt"][-1]["distance_m"] == 1.5


def test_a_distance_of_exactly_the_minimum_is_kept():
    assert verdict(apart(), [pose(0, 0.0), other(0, 2.0), end(1)]).status == "passed"


def test_poses_of_one_instant_are_measured_against_each_other():
    """Two vehicles in a row at 20 m/s: against the other's last pose it would be a metre less."""
    samples = [one for n in range(5) for one in (pose(n / 10, 2.0 * n), other(n / 10, 2.0 * n + 2))]
    result = verdict(apart(), [*samples, end(1)])
    assert (result.status, result.metrics["closest_m"]) == ("passed", 2.0)


def test_where_the_other_has_no_pose_of_that_instant_its_last_one_counts():
    samples = [other(0, 9.0), pose(1, 0.0), pose(2, 8.0), pose(3, 0.0)]
    judge = evaluator(apart())
    news = [one for sample in [start(), *samples] for one in judge.feed(sample)]
    assert [(one.status, one.t_s) for one in news] == [("failed", 2.0)]
    late = verdict(apart(), [other(0, 9.0), pose(1, 0.0), pose(2, 8.0), end(2)])
    assert (late.status, late.t_s) == ("failed", 2.0)


def test_a_pose_that_waits_for_another_of_its_instant_is_measured_when_time_moves_on():
    judge = evaluator(apart())
    told = [start(), other(0, 9.0), pose(1, 0.0), pose(2, 8.0)]
    assert [one for sample in told for one in judge.feed(sample)] == []
    (result,) = judge.feed(clock(2.05))
    assert (result.status, result.t_s, result.sim_s) == ("failed", 2.0, 5.5)


def test_the_deadline_is_judged_before_it_passes():
    samples = [other(0, 9.0), pose(1, 0.0), pose(2, 8.0), clock(9)]
    assert verdict(apart(within_s=2), samples).t_s == 2.0
    assert verdict(apart(within_s=2), samples).status == "failed"
    assert verdict(apart(within_s=1.5), samples).status == "passed"


def test_distances_outside_the_window_do_not_count_and_poses_from_before_it_do():
    samples = [other(0, 9.0), pose(0, 8.0), pose(2, 0.0), clock(3), pose(4, 9.0), clock(9)]
    result = verdict(apart(after_s=1, within_s=3), samples)
    assert (result.status, result.t_s, result.evidence["samples"]) == ("passed", 3.0, 1)


@pytest.mark.parametrize(
    ("samples", "what"),
    [
        ([], "no pose of ugv1 and of ugv2 was seen"),
        ([pose(1, 0.0)], "no pose of ugv2 was seen"),
        ([other(1, 0.0)], "no pose of ugv1 was seen"),
    ],
)
def test_without_a_distance_it_fails_and_names_what_was_not_seen(samples, what):
    result = verdict(apart(), [*samples, end(2)])
    assert (result.status, result.t_s) == ("failed", 2.0)
    assert result.reason == f"{what} before the timeline ended"


def test_heights_count_between_models():
    samples = [pose(0, 0.0), other(0, 0.0, z=3.0), end(1)]
    assert verdict(apart(), samples).metrics["closest_m"] == 3.0


def test_to_a_target_heights_count_where_it_gives_one():
    level = apart({"target": {"x": 0.0, "y": 0.0}})
    high = apart({"target": {"x": 0.0, "y": 0.0, "z": 1.0}})
    frame = apart({"target": {"frame": "gate"}})
    assert verdict(level, [pose(0, 3.0, z=5.0), end(1)]).metrics["closest_m"] == 3.0
    assert verdict(high, [pose(0, 3.0, z=5.0), end(1)]).metrics["closest_m"] == 5.0
    assert verdict(frame, [pose(0, 1.0, z=9.0), end(1)]).metrics["closest_m"] == 3.0
    assert verdict(level, [pose(0, 1.5), end(1)]).status == "failed"


def test_a_model_of_the_world_may_be_what_it_keeps_away_from():
    keeps = apart({"model": "crate"})
    samples = [pose(0, 0.0), pose(0, 1.0, model="crate"), end(1)]
    assert verdict(keeps, samples).status == "failed"


def crate(t, x):
    return pose(t, x, model="crate")


def test_a_model_that_is_gone_is_nowhere():
    """Nothing stands where it stood: the vehicle may drive over the place."""
    there = [pose(0, 0.0), crate(0, 9.0)]
    result = verdict(apart({"model": "crate"}), [*there, gone(1, "crate"), pose(1, 9.0), end(2)])
    assert (result.status, result.metrics["final_m"]) == ("passed", 9.0)
    result = verdict(apart({"model": "crate"}), [*there, pose(1, 9.0), gone(1, "crate"), end(2)])
    assert (result.status, result.metrics["final_m"]) == ("passed", 9.0)


def test_a_model_that_is_back_counts_where_it_is_then():
    samples = [
        pose(0, 0.0), crate(0, 9.0), gone(1, "crate"), pose(1, 9.0), pose(2, 1.0), crate(2, 0.0),
    ]  # fmt: skip
    result = verdict(apart({"model": "crate"}), [*samples, end(3)])
    assert (result.status, result.t_s, result.metrics["closest_m"]) == ("failed", 2.0, 1.0)


def test_what_a_pose_waits_for_is_measured_when_the_other_was_there_at_its_instant():
    samples = [pose(0, 0.0), crate(0, 9.0), pose(1, 8.0), gone(2, "crate"), end(3)]
    result = verdict(apart({"model": "crate"}), samples)
    assert (result.status, result.t_s) == ("failed", 1.0)


def test_neither_a_pose_nor_a_vanishing_out_of_order_changes_where_a_model_is():
    keeps = apart({"model": "crate"})
    there = [pose(0, 0.0), crate(0, 9.0)]
    late_pose = [*there, gone(2, "crate"), crate(1, 9.0), pose(3, 9.0), end(4)]
    assert verdict(keeps, late_pose).status == "passed"
    late_vanishing = [*there, crate(2, 9.0), gone(1, "crate"), pose(3, 9.0), end(4)]
    assert verdict(keeps, late_vanishing).t_s == 3.0


def test_where_the_other_was_gone_all_the_time_it_says_so():
    samples = [pose(0, 0.0), crate(0, 9.0), gone(1, "crate"), pose(2, 0.0), end(4)]
    result = verdict(apart({"model": "crate"}, after_s=1), samples)
    assert result.status == "failed"
    what = "no distance from ugv1 was measured in the window: crate was gone"
    assert result.reason == f"{what} before the timeline ended"


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_distance_that_is_no_number_fails_it(bad):
    samples = [pose(0, 0.0), other(0, 9.0), pose(1, bad), other(1, 9.0), end(2)]
    result = verdict(apart(), samples)
    assert (result.status, result.t_s) == ("failed", 1.0)
    assert "no finite number" in result.reason
    assert result.metrics["closest_m"] == 9.0


def test_a_pose_out_of_order_is_measured_and_not_kept():
    samples = [pose(0, 0.0), other(0, 9.0), pose(4, 0.0), pose(3, 8.0), end(5)]
    result = verdict(apart(), samples)
    assert (result.status, result.t_s) == ("failed", 3.0)
    samples = [pose(0, 0.0), other(0, 9.0), pose(4, 0.0), pose(3, 3.0), other(5, 4.0), end(5)]
    assert verdict(apart(), samples).metrics == {
        "closest_m": 4.0, "closest_at_s": 5.0, "final_m": 4.0,
    }  # fmt: skip


def test_a_pose_that_comes_twice_changes_nothing():
    samples = [pose(0, 0.0), other(0, 9.0), pose(1, 1.0), pose(1, 1.0), other(1, 4.0), end(5)]
    assert verdict(apart(), samples).evidence["samples"] == 2
