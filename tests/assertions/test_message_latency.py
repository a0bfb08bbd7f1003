import math

import pytest

from fieldproof.samples import Sample

from .streams import ODOM, assertion, clock, end, evaluator, latency, no_stamp, rate, start, verdict


def fresh(max_ms=100, **spec):
    return assertion("message_latency", topic="odom", vehicle="ugv1", max_ms=max_ms, **spec)


def test_it_passes_at_the_end_when_every_window_was_within_the_limit():
    samples = [
        latency(2, 40.0, max_ms=50.0, mean_ms=20.0), latency(3, 60.0), latency(4, 30.0, mean_ms=10.0),
        end(5),
    ]  # fmt: skip
    result = verdict(fresh(), samples)
    assert (result.status, result.t_s) == ("passed", 5.0)
    assert result.reason == (
        "/ugv1/odom came 60 ms at the 95th percentile, 60 ms at most over 3 windows "
        "(p95 at most 100 ms)"
    )
    assert result.metrics == {"p95_ms": 60.0, "max_ms": 60.0, "mean_ms": 15.0, "messages": 200}
    assert result.evidence["windows"] == 3


@pytest.mark.parametrize(
    ("statistic", "figures"),
    [
        ("p95", {"p95_ms": 101.0, "max_ms": 500.0, "mean_ms": 5.0}),
        ("max", {"p95_ms": 5.0, "max_ms": 101.0, "mean_ms": 5.0}),
        ("mean", {"p95_ms": 500.0, "max_ms": 500.0, "mean_ms": 101.0}),
    ],
)
def test_it_fails_at_the_first_window_whose_statistic_is_above_the_limit(statistic, figures):
    samples = [latency(2, 5.0), latency(3, 0.0, **figures), latency(4, 900.0), end(5)]
    result = verdict(fresh(statistic=statistic), samples)
    assert (result.status, result.t_s, result.sim_s) == ("failed", 3.0, 6.5)
    assert result.evidence["window"]["count"] == 100
    assert f"was 101 ms old ({statistic}) over the 2 s up to 3 s" in result.reason
    for other in {"p95", "max", "mean"} - {statistic}:
        expected = "failed" if figures[f"{other}_ms"] > 100 else "passed"
        assert verdict(fresh(statistic=other), [*samples[:2], end(4)]).status == expected


def test_an_age_of_exactly_the_limit_is_fresh_and_so_is_one_below_zero():
    assert verdict(fresh(), [latency(2, 100.0), latency(3, -3.0), end(4)]).status == "passed"


def test_a_topic_that_dies_fails_it():
    samples = [latency(2, 5.0), latency(3, 5.0, count=50), latency(4, 0.0, count=0), end(5)]
    result = verdict(fresh(), samples)
    assert (result.status, result.t_s) == ("failed", 4.0)
    assert result.reason == "/ugv1/odom was silent over the 2 s up to 4 s (p95 at most 100 ms)"
    assert result.evidence["window"]["p95_ms"] is None


@pytest.mark.parametrize("bad", [math.nan, math.inf, None])
def test_a_statistic_that_is_no_number_fails_it(bad):
    result = verdict(fresh(), [latency(2, 5.0), latency(3, 5.0, p95_ms=bad), end(4)])
    assert (result.status, result.t_s) == ("failed", 3.0)


def test_messages_without_a_stamp_fail_it_at_once_also_from_before_the_timeline():
    result = verdict(fresh(), [latency(2, 5.0), no_stamp(3), end(4)])
    assert (result.status, result.t_s) == ("failed", 3.0)
    assert result.reason.startswith("/ugv1/odom carries no header.stamp: ")
    judge = evaluator(fresh())
    (early,) = [one for sample in (no_stamp(-1), start()) for one in judge.feed(sample)]
    assert (early.status, early.t_s) == ("failed", 0.0)


def test_without_a_window_it_fails_when_the_time_is_over():
    result = verdict(fresh(after_s=1), [latency(2.5, 5.0), end(3)])
    assert (result.status, result.t_s) == ("failed", 3.0)
    assert result.reason == (
        "no window of 2 s over /ugv1/odom was measured after 1 s before the timeline ended"
    )
    assert verdict(fresh(within_s=2), [clock(5)]).t_s == 2.0


def test_windows_that_stop_coming_fail_it():
    result = verdict(fresh(), [latency(2, 5.0), clock(9), end(9)])
    assert (result.status, result.t_s) == ("failed", 9.0)
    assert "was not measured in the last 7 s" in result.reason
    until = verdict(fresh(within_s=6), [latency(2, 5.0), clock(9)])
    assert (until.status, until.t_s) == ("failed", 6.0)
    shorter = verdict(fresh(within_s=60), [latency(2, 5.0), end(3)])
    assert (shorter.status, shorter.t_s) == ("passed", 3.0)


def test_only_windows_wholly_in_the_time_are_judged():
    samples = [
        latency(1, 900.0), latency(2.95, 900.0), latency(3, 5.0), latency(5, 5.0),
        latency(5.05, 900.0), end(9),
    ]  # fmt: skip
    result = verdict(fresh(after_s=1, within_s=5), samples)
    assert (result.status, result.t_s, result.evidence["windows"]) == ("passed", 5.0, 2)


def test_windows_of_another_length_or_topic_and_rates_are_no_business_of_it():
    samples = [
        latency(5, 900.0, window_s=5), latency(5, 900.0, topic="/ugv2/odom"), rate(5, 0.0, 2, ODOM),
        latency(5, 5.0), end(6),
    ]  # fmt: skip
    assert verdict(fresh(), samples).evidence["windows"] == 1


def test_windows_that_come_twice_or_out_of_order_are_judged_all_the_same():
    samples = [latency(3, 5.0), latency(3, 5.0), latency(2, 5.0), latency(4, 5.0), end(5)]
    result = verdict(fresh(), samples)
    assert (result.status, result.evidence["windows"]) == ("passed", 4)
    late = [latency(4, 5.0), latency(3, 900.0), end(5)]
    assert (verdict(fresh(), late).status, verdict(fresh(), late).t_s) == ("failed", 3.0)


def test_on_the_wall_clock_windows_are_still_measured_in_simulation_time():
    def wall(sample, t, sim):
        return Sample(sample.kind, 1.7e9 + t, sim, sample.data)

    judge = evaluator(fresh(), mode="sim")
    for sample in [
        wall(start(), 0, 40.0), wall(latency(0, 900.0), 5, 41.9), wall(latency(0, 5.0), 6, 42.0),
        wall(end(0), 7, 42.5),
    ]:  # fmt: skip
        judge.feed(sample)
    (result,) = judge.results()
    assert (result.status, result.evidence["windows"], result.t_s) == ("passed", 1, 7.0)
