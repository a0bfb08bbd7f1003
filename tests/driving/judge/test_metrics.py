"""Figures of episodes and suites, the safety score, gates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldproof.driving.files import Gates
from fieldproof.driving.judge import EpisodeMetrics, aggregate, gate_failures, safety_score
from tests.driving.judge.test_assertions import frame

CLEAN = {
    "collision_count": 0,
    "offroad_count": 0,
    "red_light_violations": 0,
    "hard_brake_count": 0,
    "timeout": False,
}


@pytest.mark.parametrize(
    ("changes", "score"),
    [
        ({}, 100),
        ({"collision_count": 1}, 50),
        ({"collision_count": 2}, 0),
        ({"collision_count": 9}, 0),
        ({"offroad_count": 1}, 80),
        ({"red_light_violations": 1}, 90),
        ({"hard_brake_count": 3}, 85),
        ({"timeout": True}, 90),
        ({"offroad_count": 2, "red_light_violations": 1, "hard_brake_count": 1, "timeout": True}, 35),
    ],
)  # fmt: skip
def test_the_safety_score_takes_what_the_formula_says(changes, score):
    assert safety_score({**CLEAN, **changes}) == score


counts = st.integers(0, 200)


BAD = ["collision_count", "offroad_count", "red_light_violations", "hard_brake_count"]


@given(
    figures=st.fixed_dictionaries(dict.fromkeys(BAD, counts) | {"timeout": st.booleans()}),
    worse=st.sampled_from(BAD),
)
def test_the_safety_score_stays_in_its_range_and_nothing_bad_raises_it(figures, worse):
    score = safety_score(figures)
    assert 0 <= score <= 100
    assert safety_score({**figures, worse: figures[worse] + 1}) <= score


def measured(frames, initial=None):
    metrics = EpisodeMetrics(initial or frame(-1))
    for one in frames:
        metrics.take(one, None)
    return metrics


@pytest.mark.parametrize(
    ("speeds", "count"),
    [
        ([10, 9.6, 9.2, 8.8], 1),
        ([10, 9.61, 9.22], 0),
        ([10, 9.6, 9.6, 9.2], 2),
        ([10, 10, 5, 5, 0], 2),
        ([0, 5, 10], 0),
    ],
    ids=["one_long", "just_not", "two", "sudden", "faster"],
)
def test_a_hard_brake_is_a_fall_of_four_metres_a_second_squared_and_counts_once(speeds, count):
    first = frame(-1, speed=speeds[0])
    frames = [frame(n, speed=one) for n, one in enumerate(speeds[1:])]
    metrics = measured(frames, first)
    assert metrics.figures(completed=True)["hard_brake_count"] == len(metrics.hard_brakes) == count


def test_an_episode_s_figures_add_up():
    frames = [frame(n, speed=10, ego={"x": n + 1.0}, actors=[("car", 5.0)]) for n in range(3)]
    frames[1]["events"] = [{"type": "near_miss"}, {"type": "collision"}]
    frames[2]["events"] = [{"type": "goal_reached"}, {"type": "timeout"}, {"type": "offroad"}]
    figures = measured(frames).figures(completed=True)
    assert figures["distance_m"] == 3
    assert figures["mean_speed_mps"] == pytest.approx(10)
    assert figures["min_actor_distance_m"] == 2
    assert (figures["collision_count"], figures["near_miss_count"], figures["offroad_count"]) == (
        1,
        1,
        1,
    )
    assert (figures["timeout"], figures["goal_reached"], figures["goal_reached_at_seconds"]) == (
        True,
        True,
        0.3,
    )
    assert figures["safety_score"] == 20


def entry(status="success", **figures):
    base = measured([]).figures(completed=True)
    return {"status": status, "metrics": {**base, **figures}, "agent_fault": None}


def test_a_suite_s_figures_are_those_of_its_scenarios_together():
    total = aggregate(
        [
            entry(collision_count=1, duration_seconds=10.0, distance_m=50.0, max_speed_mps=9.0),
            entry("failure", timeout=True, duration_seconds=30.0, distance_m=30.0),
            entry(min_actor_distance_m=3.0),
        ]
    )
    assert (total["total_scenarios"], total["passed_scenarios"]) == (3, 2)
    assert total["success_rate"] == pytest.approx(2 / 3)
    assert (total["timeout"], total["timeout_count"]) == (True, 1)
    assert total["mean_speed_mps"] == 2.0
    assert (total["max_speed_mps"], total["min_actor_distance_m"]) == (9.0, 3.0)
    assert total["safety_score"] == 40


def test_a_scenario_that_broke_off_is_not_safe_and_never_raises_a_suite_s_score():
    broken = {
        "status": "failure",
        "metrics": measured([frame(0)]).figures(completed=False),
        "agent_fault": {"kind": "died"},
    }
    assert broken["metrics"]["safety_score"] == 0
    assert aggregate([broken])["safety_score"] == 0
    assert aggregate([entry(), broken])["safety_score"] == 50
    assert aggregate([entry(offroad_count=1), broken, broken, entry()])["safety_score"] == 40
    assert aggregate([])["safety_score"] == 0


GATES = [
    ({}, {"success_rate": 1.0}, []),
    ({}, {"success_rate": 0.99}, ["success_rate 0.99 is below the gate of 1"]),
    ({"min_success_rate": 0.5}, {"success_rate": 0.5}, []),
    ({"max_collisions": 1}, {"collision_count": 1}, []),
    ({"max_collisions": 0}, {"collision_count": 1}, ["collision_count 1 is above the gate of 0"]),
    ({"min_safety_score": 80}, {"safety_score": 80.0}, []),
    ({"min_safety_score": 80}, {"safety_score": 79.5}, ["safety_score 79.5 is below the gate of 80"]),
    ({"max_regression_percent": 5}, {"safety_score": 0.0}, []),
    ({"max_collisions": 0}, {"agent_fault_count": 2}, ["collision_count 0 is not all: those of 2 scenarios that broke off are not known"]),
    ({"min_success_rate": 0}, {"agent_fault_count": 3, "simulator_fault_count": 1}, ["no scenario was driven to its end"]),
]  # fmt: skip


@pytest.mark.parametrize(("gates", "figures", "failures"), GATES)
def test_a_gate_is_passed_at_its_limit(gates, figures, failures):
    base = {"success_rate": 1.0, "collision_count": 0, "safety_score": 100.0}
    base |= {"agent_fault_count": 0, "simulator_fault_count": 0, "total_scenarios": 4}
    assert gate_failures(Gates(**gates), {**base, **figures}) == failures
