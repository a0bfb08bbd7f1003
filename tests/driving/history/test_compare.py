"""What regressed: directions, percentages, baselines of zero."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldproof.driving.history import DIRECTIONS, HIGHER, LOWER, compare, delta_of

TABLE = [
    ("safety_score", 91.9, 100.0, 5, True, -8.1),
    ("safety_score", 95.0, 100.0, 5, False, -5.0),
    ("safety_score", 100.0, 90.0, 0, False, 100 / 9),
    ("collision_count", 2, 0, 100, True, None),
    ("collision_count", 0, 0, 0, False, 0.0),
    ("collision_count", 0, 2, 0, False, -100.0),
    ("collision_count", 3, 2, 50, False, 50.0),
    ("collision_count", 3, 2, 49.9, True, 50.0),
    ("success_rate", 0.5, 0.0, 0, False, None),
    ("success_rate", 0.95, 1.0, 5, False, -5.0),
    ("success_rate", 0.949, 1.0, 5, True, -5.1),
    ("trajectory_ade", 1.0, 5e-324, 1e6, True, None),
    ("trajectory_ade", 1.0 + 1e-12, 1.0, 0, True, 1e-10),
    ("trajectory_ade", 1.1, 1.0, 5, True, 10.0),
    ("occupancy_iou", 0.9, 1.0, 5, True, -10.0),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: "-".join(map(str, row[:4])))
def test_a_figure_regressed_when_it_is_worse_by_more_than_is_allowed(row):
    name, current, baseline, most, regressed, percent = row
    delta = delta_of(name, current, baseline, most_percent=most)
    assert delta["regressed"] is regressed
    assert delta["percent"] == (None if percent is None else pytest.approx(percent))
    assert delta["delta"] == current - baseline
    assert delta["direction"] == DIRECTIONS[name]


@given(
    name=st.sampled_from(sorted(DIRECTIONS)),
    current=st.floats(-1e6, 1e6),
    baseline=st.floats(-1e6, 1e6),
    most=st.floats(0, 1000),
)
def test_what_got_better_or_stayed_never_regressed(name, current, baseline, most):
    delta = delta_of(name, current, baseline, most_percent=most)
    better = current >= baseline if DIRECTIONS[name] == HIGHER else current <= baseline
    assert not (better and delta["regressed"])
    beyond = baseline == 0 or math.isinf(100 * (current - baseline) / abs(baseline))
    assert (delta["percent"] is None) == (current != baseline and beyond)


def test_every_figure_has_one_of_two_directions():
    assert set(DIRECTIONS.values()) == {HIGHER, LOWER}


def metrics(scenarios, **figures):
    return {
        "aggregate": {"success_rate": 1.0, "safety_score": 100.0, **figures},
        "assertions": {"total": 1, "passed": 1, "failed": 0, "blocking_failed": 0},
        "scenarios": {name: {"status": status} for name, status in scenarios.items()},
    }


def compared(current, baseline, **options):
    return compare(current, baseline, name="b", max_regression_percent=5.0, **options)


def test_failures_are_sentences_and_deltas_are_complete():
    found = compared(
        metrics({}, safety_score=91.9, collision_count=2), metrics({}, collision_count=0)
    )
    assert found["status"] == "fail"
    assert found["failures"] == [
        "safety_score regressed by 8.10%",
        "collision_count regressed from 0 to 2",
    ]
    assert found["deltas"]["collision_count"]["percent"] is None
    assert found["baseline"] == "b"


def test_a_scenario_that_was_left_out_never_makes_a_run_better():
    now = metrics({"a": "success"})
    before = metrics({"a": "success", "b": "failure"})
    found = compared(now, before)
    assert found["failures"] == ["scenario b of the baseline was not run"]


def test_a_figure_that_was_not_measured_never_makes_a_run_better():
    now, before = metrics({}), metrics({}, hard_brake_count=3)
    assert compared(now, before)["failures"] == [
        "hard_brake_count of the baseline was not measured"
    ]


def test_figures_that_look_better_since_a_scenario_is_missing_are_not_reported():
    now = metrics({"a": "success"}, collision_count=0, near_miss_count=4)
    before = metrics({"a": "success", "b": "failure"}, collision_count=3, near_miss_count=3)
    found = compared(now, before)
    assert "collision_count" not in found["deltas"]
    assert found["deltas"]["near_miss_count"]["regressed"]
    assert found["deltas"]["safety_score"]["delta"] == 0


@given(
    now=st.dictionaries(st.sampled_from(["trajectory_ade", "occupancy_iou"]), st.floats(0, 1)),
    before=st.dictionaries(st.sampled_from(["trajectory_ade", "occupancy_iou"]), st.floats(0, 1)),
    most=st.floats(0, 1000),
)
def test_no_figure_of_an_incomplete_run_is_better_than_the_baseline_s(now, before, most):
    found = compare(
        {"openloop": now, "complete": False},
        {"openloop": before, "complete": True},
        name="b",
        max_regression_percent=most,
    )
    for delta in found["deltas"].values():
        assert delta["delta"] * (1 if delta["direction"] == HIGHER else -1) <= 0


def test_scenarios_that_changed_are_named():
    now = metrics({"a": "failure", "b": "success", "c": "success", "d": "success"})
    before = metrics({"a": "success", "b": "failure", "c": "success"})
    assert compared(now, before)["scenarios"] == [
        {"scenario_id": "a", "change": "regressed"},
        {"scenario_id": "b", "change": "fixed"},
        {"scenario_id": "d", "change": "added"},
    ]


@pytest.mark.parametrize(("most", "fails"), [(0, True), (49, True), (50, False), (1000, False)])
def test_a_scenario_that_fails_now_is_not_made_up_for_by_one_that_succeeds(most, fails):
    now = metrics({"a": "failure", "b": "success", "c": "success"})
    before = metrics({"a": "success", "b": "failure", "c": "success"})
    found = compare(now, before, name="b", max_regression_percent=most)
    said = ["scenario a succeeded in the baseline and fails now"]
    assert found["failures"] == (said if fails else [])


def test_gates_that_were_not_passed_are_failures_too():
    found = compared(metrics({}), metrics({}), gates=("success_rate 0 is below the gate of 1",))
    assert (found["status"], found["failures"]) == (
        "fail",
        ["success_rate 0 is below the gate of 1"],
    )
