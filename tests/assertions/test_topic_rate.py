import math

import pytest

from fieldproof.samples import Sample

from .streams import clock, end, evaluator, rate, start, topic_rate, verdict


def test_it_passes_at_the_end_when_every_window_was_within_its_limits():
    samples = [rate(5, 10.0), rate(6, 9.0), rate(7, 11.0), end(8)]
    result = verdict(topic_rate(9, max_hz=11), samples)
    assert (result.status, result.t_s) == ("passed", 8.0)
    assert result.reason == "/scan kept 9 to 11 Hz over 3 windows (at least 9 Hz, at most 11 Hz)"
    assert {key: result.evidence[key] for key in ("windows", "lowest_hz", "highest_hz")} == {
        "windows": 3, "lowest_hz": 9.0, "highest_hz": 11.0,
    }  # fmt: skip
    assert result.metrics["mean_hz"] == 10.0


@pytest.mark.parametrize("hz", [8.9, 11.1, math.nan], ids=["slow", "fast", "nan"])
def test_it_fails_at_the_first_window_outside_its_limits(hz):
    result = verdict(topic_rate(9, max_hz=11), [rate(5, 10.0), rate(6, hz), rate(7, 1.0), end(8)])
    assert (result.status, result.t_s, result.sim_s) == ("failed", 6.0, 9.5)
    assert result.evidence["window"]["window_s"] == 5
    assert result.evidence["windows"] == 2


def test_a_topic_that_dies_fails_it():
    result = verdict(topic_rate(2), [rate(5, 10.0), rate(6, 5.0), rate(7, 0.0), end(9)])
    assert (result.status, result.t_s) == ("failed", 7.0)
    assert result.reason == "/scan was silent over the 5 s up to 7 s (at least 2 Hz)"


def test_windows_that_stop_coming_fail_it():
    result = verdict(topic_rate(2), [rate(5, 10.0), clock(20), end(20)])
    assert (result.status, result.t_s) == ("failed", 20.0)
    assert "was not measured in the last 15 s" in result.reason


def test_without_a_window_it_fails_at_the_end():
    result = verdict(topic_rate(2, after_s=1), [rate(5, 10.0), end(6)])
    assert result.status == "failed"
    assert result.reason == (
        "no window of 5 s over /scan was measured after 1 s before the timeline ended"
    )


def test_only_windows_wholly_after_the_grace_period_are_judged():
    result = verdict(topic_rate(5, after_s=2.5), [rate(7, 0.0), rate(7.5, 6.0), end(8)])
    assert result.status == "passed"
    assert result.evidence["windows"] == 1


def test_a_window_that_began_before_the_timeline_is_not_judged():
    result = verdict(topic_rate(5), [rate(1, 0.0), rate(4.95, 0.0), rate(5, 6.0), end(6)])
    assert result.status == "passed"


def test_windows_of_another_length_are_of_another_assertion():
    samples = [rate(5, 0.0, window_s=2), rate(5, 6.0, window_s=5.0), end(6)]
    assert verdict(topic_rate(5), samples).evidence["windows"] == 1


def test_each_message_is_counted_once():
    samples = [rate(t, 10.0) for t in range(5, 16)]
    assert verdict(topic_rate(5), [*samples, end(15)]).metrics["messages"] == 150


def test_thirty_seconds_at_ten_hertz_are_three_hundred_messages():
    samples = [rate(t, 10.0, window_s=30) for t in range(30, 35)]
    result = verdict(topic_rate(10, max_hz=10, window_s=30), [*samples, end(35)])
    assert (result.status, result.metrics["messages"]) == ("passed", 300)


def wall(kind, t, sim, **data):
    return Sample.of(kind, wall=1.7e9 + t, sim=sim, **data)


def wall_rate(t, sim, hz):
    return wall("rate", t, sim, topic="/scan", hz=hz, window_s=5, messages=round(hz * 5))


def test_on_the_wall_clock_windows_are_still_measured_in_simulation_time():
    judge = evaluator(topic_rate(5), mode="sim")
    samples = [
        wall("timeline", 0, 40.0, event="start"),
        wall_rate(8, 44.0, 0.0),  # 8 s after the start, and yet it began before it
        wall_rate(10, 45.0, 10.0),
        wall("timeline", 11, 45.5, event="end", status="completed"),
    ]
    for sample in samples:
        judge.feed(sample)
    (result,) = judge.results()
    assert (result.status, result.evidence["windows"], result.t_s) == ("passed", 1, 11.0)


def test_on_the_wall_clock_a_grace_period_ends_at_the_first_window_after_it():
    judge = evaluator(topic_rate(5, after_s=4), mode="realtime")
    samples = [
        wall("timeline", 0, 40.0, event="start"),
        wall_rate(3.9, 43.9, 0.0),
        wall_rate(4.1, 44.1, 0.0),
        wall_rate(9.0, 49.0, 0.0),
        wall_rate(9.1, 49.1, 7.0),
        wall("timeline", 10, 50.0, event="end", status="completed"),
    ]
    for sample in samples:
        judge.feed(sample)
    assert judge.results()[0].evidence["windows"] == 1
    assert judge.results()[0].status == "passed"


def test_windows_from_before_the_start_are_not_judged():
    judge = evaluator(topic_rate(5))
    for sample in [rate(-1, 0.0), start(), rate(5, 6.0), end(6)]:
        judge.feed(sample)
    assert judge.results()[0].status == "passed"
