import math
from dataclasses import replace

import pytest

from .streams import clock, end, evaluator, field_error, start, topic_value, value, verdict


def test_always_fails_at_the_first_violation():
    result = verdict(topic_value("value <= 1.5"), [value(1, 1.5), value(2, 1.6), value(3, 9.0)])
    assert (result.status, result.t_s, result.sim_s) == ("failed", 2.0, 5.5)
    assert result.reason == "/ugv1/odom v is 1.6 at 2 s, not value <= 1.5"
    assert result.evidence["violation"] == {"t_s": 2.0, "sim_s": 5.5, "value": 1.6}
    assert result.metrics == {"samples": 2, "lowest": 1.5, "highest": 1.6, "last": 1.6}


def test_always_passes_at_the_end_of_its_window():
    samples = [value(1, 9.0), value(2, 1.0), value(5, 1.0), value(5.05, 9.0)]
    result = verdict(topic_value("value < 2", after_s=2, within_s=5), samples)
    assert (result.status, result.t_s) == ("passed", 5.0)
    assert result.reason == "/ugv1/odom v satisfied value < 2 in 2 messages"


def test_always_passes_at_the_end_of_the_timeline_without_a_window():
    assert verdict(topic_value("value < 2"), [value(1, 1.0), end(4)]).t_s == 4.0


def test_eventually_passes_at_the_first_message_that_satisfies_it():
    assertion = topic_value("value > 2", mode="eventually", after_s=1)
    result = verdict(assertion, [value(0.5, 3), value(1.5, 2), value(2, 3), end(4)])
    assert (result.status, result.t_s) == ("passed", 2.0)
    assert result.evidence["satisfied"]["value"] == 3


@pytest.mark.parametrize(("within", "t_s"), [({"within_s": 3}, 3.0), ({}, 4.0)])
def test_eventually_fails_at_the_end_of_its_window(within, t_s):
    assertion = topic_value("value > 2", mode="eventually", **within)
    result = verdict(assertion, [value(1, 1.25), end(4)])
    assert (result.status, result.t_s) == ("failed", t_s)
    assert "(last 1.25)" in result.reason


def test_eventually_takes_a_message_at_exactly_its_deadline():
    assertion = topic_value("value > 2", mode="eventually", within_s=3)
    assert verdict(assertion, [clock(3), value(3, 3), clock(4)]).status == "passed"


@pytest.mark.parametrize("mode", ["always", "eventually"])
def test_without_a_message_in_the_window_it_fails(mode):
    assertion = topic_value("value > 2", mode=mode, after_s=1, within_s=3)
    result = verdict(assertion, [value(0.5, 9), value(3.5, 9)])
    assert (result.status, result.t_s) == ("failed", 3.0)
    assert result.reason == "no message of /ugv1/odom v was seen within 3 s"


@pytest.mark.parametrize("mode", ["always", "eventually"])
def test_a_field_that_does_not_exist_fails_it_with_the_observers_message(mode):
    result = verdict(topic_value("value > 2", mode=mode), [field_error(1), value(2, 9)])
    assert (result.status, result.t_s) == ("failed", 1.0)
    assert result.reason == "/ugv1/odom v: no field 'v'"


@pytest.mark.parametrize(
    ("mode", "content", "status"),
    [
        ("eventually", 3, "passed"),
        ("eventually", 1, "failed"),
        ("always", 3, "passed"),
        ("always", 1, "failed"),
    ],
)
def test_the_last_latched_value_from_before_the_timeline_counts_at_its_start(mode, content, status):
    judge = evaluator(topic_value("value > 2", mode=mode))
    for t, each in ((-2, 2.5), (-1, content)):
        earlier = value(t, each)
        judge.feed(replace(earlier, data={**earlier.data, "latched": True}))
    results = [*judge.feed(start()), *judge.feed(end(5))]
    assert [result.status for result in results] == [status]
    decided_at_once = (mode == "eventually") == (status == "passed")
    assert results[0].t_s == (0.0 if decided_at_once else 5.0)
    assert results[0].evidence["samples"] == 1


def test_a_field_error_from_before_the_timeline_fails_it_at_the_start():
    judge = evaluator(topic_value("value > 2"))
    assert judge.feed(field_error(-2)) == []
    (result,) = judge.feed(start())
    assert (result.status, result.t_s) == ("failed", 0.0)


@pytest.mark.parametrize("mode", ["always", "eventually"])
def test_a_value_the_condition_cannot_judge_fails_it(mode):
    result = verdict(topic_value("value > 2", mode=mode), [value(1, "fast")])
    assert (result.status, result.t_s) == ("failed", 1.0)
    assert "cannot be judged" in result.reason


@pytest.mark.parametrize(
    ("condition", "mode", "status"),
    [
        ("value < 1", "always", "failed"),
        ("value < 1", "eventually", "failed"),
        ("isnan(value)", "always", "passed"),
        ("isnan(value)", "eventually", "passed"),
    ],
)
def test_nan_compares_as_in_ieee_754(condition, mode, status):
    result = verdict(topic_value(condition, mode=mode), [value(1, math.nan), end(2)])
    assert result.status == status
    assert result.metrics["last"] is None
    assert result.evidence["last"] == "nan"
    assert (result.evidence["lowest"], result.evidence["highest"]) == (None, None)
    assert "NaN" not in result.to_line()


def test_long_values_are_cut_short_in_the_evidence():
    result = verdict(topic_value("len(value) == 720"), [value(1, [1.0] * 720), end(2)])
    assert result.status == "passed"
    assert result.evidence["last"] == {"length": 720, "first": [1.0] * 8}


def test_truth_and_text_have_no_extremes():
    result = verdict(topic_value("value == 'ACTIVE'"), [value(1, "ACTIVE"), end(2)])
    assert result.status == "passed"
    assert verdict(topic_value("value"), [value(1, True), end(2)]).metrics["highest"] is None


def test_fields_and_topics_are_told_apart():
    samples = [value(1, 9, field="w"), value(1, 9, topic="/ugv2/odom"), value(1, 1), end(2)]
    assert verdict(topic_value("value < 2"), samples).evidence["samples"] == 1
