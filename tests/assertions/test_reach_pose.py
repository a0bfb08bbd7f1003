import math

import pytest

from .streams import clock, end, evaluator, pose, reach_pose, start, verdict


def test_it_passes_at_the_first_pose_within_tolerance():
    result = verdict(reach_pose(), [pose(1, 4.0), pose(2, 0.5), pose(3, 0.1), end(4)])
    assert (result.status, result.t_s, result.sim_s) == ("passed", 2.0, 5.5)
    assert result.reason == "ugv1 reached the target: 0.5 m away at 2 s (tolerance 0.5 m)"
    reached = result.evidence["reached"]
    assert (reached["t_s"], reached["x"], reached["distance_m"]) == (2.0, 0.5, 0.5)
    assert result.evidence["final"] == reached
    assert result.evidence["samples"] == 2
    assert result.metrics == {"closest_m": 0.5, "reached_at_s": 2.0, "final_distance_m": 0.5}


def test_it_fails_when_its_deadline_passes_and_says_how_close_it_came():
    samples = [pose(1, 4.0), pose(2, 1.25, 0.0), pose(3, 2.0), clock(9)]
    result = verdict(reach_pose(within_s=5), samples)
    assert (result.status, result.t_s, result.sim_s) == ("failed", 5.0, 8.5)
    assert result.reason == (
        "ugv1 did not reach the target within 5 s: closest 1.25 m away at 2 s (tolerance 0.5 m)"
    )
    assert result.evidence["closest"]["t_s"] == 2.0
    assert result.evidence["final"]["t_s"] == 3.0
    assert result.metrics == {"closest_m": 1.25, "reached_at_s": None, "final_distance_m": 2.0}


def test_a_pose_at_exactly_the_deadline_counts():
    assert verdict(reach_pose(within_s=5), [pose(5, 0.0)]).status == "passed"
    assert verdict(reach_pose(within_s=5), [pose(5.05, 0.0)]).t_s == 5.0


def test_it_fails_at_the_end_of_the_timeline_without_a_deadline():
    result = verdict(reach_pose(), [pose(1, 4.0), pose(2, 3.0), end(7)])
    assert (result.status, result.t_s) == ("failed", 7.0)
    assert "before the timeline ended" in result.reason


def test_a_vehicle_that_never_moved_is_said_to_have_never_moved():
    result = verdict(reach_pose(), [pose(1, 4.0), pose(2, 4.01), end(7)])
    assert result.reason.startswith("ugv1 never moved: not at the target before the timeline ended")
    assert "4 m away" in result.reason


def test_without_a_pose_it_fails_and_says_so():
    result = verdict(reach_pose(within_s=2), [pose(1, 0.0, model="ugv2"), clock(3)])
    assert (result.status, result.reason) == ("failed", "no pose of ugv1 was seen within 2 s")
    assert result.evidence["closest"] is None


@pytest.mark.parametrize("coordinate", [math.nan, math.inf])
def test_a_pose_that_is_no_number_is_counted_and_ignored(coordinate):
    result = verdict(reach_pose(), [pose(1, coordinate), end(2)])
    assert result.reason == "no pose with finite numbers of ugv1 was seen before the timeline ended"
    assert result.evidence["samples"] == 1


def test_poses_from_before_the_timeline_do_not_count():
    judge = evaluator(reach_pose())
    assert judge.feed(pose(-1, 0.0)) == []
    assert judge.feed(start()) == []
    assert judge.results()[0].status == "pending"


@pytest.mark.parametrize(
    ("yaw", "status"),
    [(3.1, "passed"), (-3.1, "passed"), (-3.1 + 4 * math.pi, "passed"), (2.9, "failed")],
)
def test_heading_differences_wrap(yaw, status):
    target = {"x": 0.0, "y": 0.0, "z": 0.0, "yaw": math.pi}
    assertion = reach_pose(target=target, yaw_tolerance_rad=0.1)
    assert verdict(assertion, [pose(1, 0.0, yaw=yaw), end(2)]).status == status


def test_the_heading_is_checked_only_when_asked_and_named_when_it_is_off():
    assert verdict(reach_pose(), [pose(1, 0.0, yaw=2.0)]).status == "passed"
    samples = [pose(0, 1.0), pose(1, 0.0, yaw=2.0), pose(2, 0.0, yaw=math.nan), end(3)]
    result = verdict(reach_pose(yaw_tolerance_rad=0.2), samples)
    assert result.status == "failed"
    assert "heading 2 rad off (tolerance 0.5 m, 0.2 rad)" in result.reason


def test_height_does_not_matter():
    target = {"x": 0.0, "y": 0.0, "z": 9.0, "yaw": 0.0}
    assert verdict(reach_pose(target=target), [pose(1, 0.0)]).status == "passed"


def test_the_excerpt_holds_the_last_six_poses_before_the_verdict():
    samples = [pose(t, 10.0 - t) for t in range(10)] + [pose(10, 0.1), pose(11, 0.0)]
    excerpt = verdict(reach_pose(), samples).evidence["excerpt"]
    assert [one["t_s"] for one in excerpt] == [5.0, 6.0, 7.0, 8.0, 9.0, 10.0]
    assert excerpt[-1] == {
        "t_s": 10.0,
        "sim_s": 13.5,
        "x": 0.1,
        "y": 0.0,
        "yaw": 0.0,
        "distance_m": 0.1,
    }


def test_it_goes_on_measuring_for_the_figures_of_the_run():
    judge = evaluator(reach_pose())
    for sample in [start(), pose(1, 0.4), pose(2, 0.1), pose(3, 0.2), end(4)]:
        judge.feed(sample)
    kpis = judge.kpis()
    assert kpis["it.closest_m"] == {"value": 0.1, "unit": "m", "source": "assertion:reach_pose"}
    assert kpis["it.final_distance_m"]["value"] == 0.2
    assert kpis["it.reached_at_s"]["value"] == 1.0
    assert judge.results()[0].metrics["closest_m"] == 0.4
