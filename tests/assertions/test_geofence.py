import math

import pytest

from .streams import assertion, clock, end, evaluator, pose, start, verdict

YARD = {"box": {"x_min": 5.0, "x_max": 15.0, "y_min": -5.0, "y_max": 7.0}}


def fence(**spec):
    return assertion("geofence", **{"vehicle": "ugv1", "region": YARD, **spec})


def test_it_passes_at_the_end_when_every_pose_was_inside():
    result = verdict(fence(), [pose(1, 10.0), pose(2, 14.5), pose(3, 12.0), end(4)])
    assert (result.status, result.t_s) == ("passed", 4.0)
    assert result.reason == (
        "ugv1 stayed inside the region: never nearer than 0.5 m to the boundary"
    )
    assert result.evidence["min_clearance"] == {
        "t_s": 2.0, "sim_s": 5.5, "x": 14.5, "y": 0.0, "z": 0.0, "clearance_m": 0.5,
    }  # fmt: skip
    assert "violation" not in result.evidence
    assert result.metrics == {"min_clearance_m": 0.5, "samples": 3}


def test_it_fails_at_the_first_pose_outside():
    result = verdict(fence(), [pose(1, 10.0), pose(2, 16.0), pose(3, 20.0), end(4)])
    assert (result.status, result.t_s, result.sim_s) == ("failed", 2.0, 5.5)
    assert result.reason == ("ugv1 left the region at 2 s, x 16 m, y 0 m: 1 m past the boundary")
    assert result.evidence["violation"] == result.evidence["min_clearance"]
    assert result.evidence["samples"] == 2


def test_a_pose_on_the_boundary_is_inside():
    assert verdict(fence(), [pose(1, 15.0, 7.0), end(2)]).status == "passed"
    result = verdict(fence(mode="outside"), [pose(1, 15.0, 0.0), end(2)])
    assert (result.status, result.t_s) == ("failed", 1.0)
    assert "entered the region at 1 s, x 15 m, y 0 m: on the boundary" in result.reason


def test_outside_is_the_other_side():
    result = verdict(fence(mode="outside"), [pose(1, 0.0), pose(2, 4.0), end(3)])
    assert (result.status, result.metrics["min_clearance_m"]) == ("passed", 1.0)
    result = verdict(fence(mode="outside"), [pose(1, 4.0), pose(2, 7.0), end(3)])
    assert (result.status, result.metrics["min_clearance_m"]) == ("failed", -2.0)


def test_only_poses_of_the_window_count_and_its_ends_belong_to_it():
    samples = [pose(0, 0.0), pose(1, 10.0), pose(3, 10.0), pose(3.05, 0.0), clock(4)]
    result = verdict(fence(after_s=1, within_s=3), samples)
    assert (result.status, result.t_s, result.metrics["samples"]) == ("passed", 3.0, 2)
    assert verdict(fence(after_s=1), [pose(1, 0.0)]).t_s == 1.0
    assert verdict(fence(within_s=3), [pose(3, 0.0)]).status == "failed"


def test_without_a_pose_in_the_window_it_fails_at_its_end():
    result = verdict(fence(after_s=2, within_s=4), [pose(1, 10.0), pose(9, 10.0)])
    assert (result.status, result.t_s) == ("failed", 4.0)
    assert result.reason == "no pose of ugv1 was seen within 4 s"
    assert verdict(fence(), [pose(1, 0.0, model="ugv2"), end(2)]).status == "failed"


@pytest.mark.parametrize("coordinate", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("mode", ["inside", "outside"])
def test_a_pose_that_is_no_number_fails_it(coordinate, mode):
    where = 10.0 if mode == "inside" else 0.0
    samples = [pose(1, where), pose(2, coordinate), pose(3, where), end(4)]
    result = verdict(fence(mode=mode), samples)
    assert (result.status, result.t_s) == ("failed", 2.0)
    assert "no finite number" in result.reason
    assert result.evidence["violation"]["clearance_m"] is None


def test_a_height_that_is_no_number_fails_it_only_where_heights_matter():
    samples = [pose(1, 10.0, z=math.nan), end(2)]
    assert verdict(fence(), samples).status == "passed"
    assert verdict(fence(region={**YARD, "z_max": 2.0}), samples).status == "failed"


def test_heights_bound_the_region():
    region = {**YARD, "z_min": 0.0, "z_max": 2.0}
    assert verdict(fence(region=region), [pose(1, 10.0, z=1.5), end(2)]).status == "passed"
    result = verdict(fence(region=region), [pose(1, 10.0, z=2.5), end(2)])
    assert (result.status, result.metrics["min_clearance_m"]) == ("failed", -0.5)


def test_poses_out_of_order_and_poses_that_come_twice_are_judged_all_the_same():
    late = verdict(fence(), [pose(3, 10.0), pose(2, 20.0), end(4)])
    assert (late.status, late.t_s) == ("failed", 2.0)
    twice = verdict(fence(), [pose(1, 10.0), pose(1, 10.0), end(4)])
    assert (twice.status, twice.metrics["samples"]) == ("passed", 2)


def test_nothing_is_judged_in_a_gap():
    assert verdict(fence(), [pose(1, 10.0), pose(900, 10.0), end(901)]).status == "passed"


def test_the_excerpt_shows_where_it_was_before():
    samples = [*(pose(t, 8.0 + t) for t in range(7)), pose(7, 20.0)]
    excerpt = verdict(fence(), samples).evidence["excerpt"]
    assert [one["t_s"] for one in excerpt] == [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    assert excerpt[-1]["clearance_m"] == -5.0


def test_it_goes_on_measuring_after_it_failed():
    judge = evaluator(fence())
    for sample in [start(), pose(1, 16.0), pose(2, 20.0), end(3)]:
        judge.feed(sample)
    assert judge.kpis()["it.min_clearance_m"]["value"] == -5.0
    assert judge.results()[0].metrics["min_clearance_m"] == -1.0
