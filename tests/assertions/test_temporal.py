import math

import pytest

from .streams import (
    ODOM,
    assertion,
    clock,
    end,
    evaluator,
    field_error,
    gone,
    pose,
    start,
    value,
    verdict,
)

LOST = {"lost": {"topic": "/link", "field": "data"}, "v": {"topic": "odom", "field": "v"}}
BOTH = "lost or v < 1"


def temporal(kind, condition="v < 1", signals=None, **spec):
    signals = signals or {"v": {"topic": "odom", "field": "v"}}
    return assertion(kind, vehicle="ugv1", signals=signals, condition=condition, **spec)


def lost(t, content):
    return value(t, content, "data", "/link")


@pytest.mark.parametrize(
    ("kind", "values", "status", "t"),
    [
        ("always", [0, 0.5, 0.9], "passed", 9.0),
        ("always", [0, 2, 0], "failed", 2.0),
        ("never", [2, 3, 4], "passed", 9.0),
        ("never", [2, 0, 4], "failed", 2.0),
        ("eventually", [2, 0, 4], "passed", 2.0),
        ("eventually", [2, 3, 4], "failed", 9.0),
    ],
)
def test_the_three_over_one_signal(kind, values, status, t):
    samples = [*(value(n + 1, one) for n, one in enumerate(values)), end(9)]
    result = verdict(temporal(kind), samples)
    assert (result.status, result.t_s) == (status, t)


def test_a_violation_shows_the_values_that_decided():
    result = verdict(temporal("always", BOTH, LOST), [lost(1, False), value(2, 0.5), value(3, 1.5)])
    assert (result.t_s, result.sim_s) == (3.0, 6.5)
    assert result.reason == "lost or v < 1 did not hold at 3 s: lost false, v 1.5"
    assert result.evidence["violation"] == {
        "t_s": 3.0, "sim_s": 6.5, "values": {"lost": False, "v": 1.5},
    }  # fmt: skip
    assert result.evidence["last_values"] == {"lost": False, "v": 1.5}
    assert result.evidence["held_since_t_s"] is None
    assert result.metrics == {"evaluations": 2, "satisfied_at_s": 2.0, "longest_hold_s": 1.0}
    assert [one["values"]["v"] for one in result.evidence["excerpt"]] == [0.5, 1.5]


@pytest.mark.parametrize(("content", "shown"), [(1.00004, "1.00004"), (1.0, "1"), (2e20, "2e+20")])
def test_a_value_is_shown_with_all_that_tells_it_from_the_condition(content, shown):
    result = verdict(temporal("always"), [value(1, content)])
    assert result.reason == f"v < 1 did not hold at 1 s: v {shown}"


def test_it_is_evaluated_once_all_signals_have_a_value_and_whenever_one_is_seen():
    samples = [value(1, 5), value(2, 5), lost(3, True), value(4, 0), lost(5, False), end(6)]
    result = verdict(temporal("always", BOTH, LOST), samples)
    assert (result.status, result.metrics["evaluations"]) == ("passed", 3)


def test_signals_of_one_sample_are_taken_together():
    signals = {"x": {"metric": "x"}, "y": {"metric": "y"}}
    samples = [pose(1, 1.0, 1.0), pose(2, 2.0, 2.0), end(3)]
    result = verdict(temporal("always", "x == y", signals), samples)
    assert (result.status, result.metrics["evaluations"]) == ("passed", 2)


def test_metrics_of_the_run_are_signals():
    signals = {
        "d": {"metric": "distance_to", "target": {"frame": "gate"}}, "yaw": {"metric": "yaw"},
        "t": {"metric": "sim_time"}, "rtf": {"metric": "rtf"}, "z": {"metric": "z"},
        "other": {"metric": "x", "vehicle": "ugv2"},
    }  # fmt: skip
    condition = "d == 3 and yaw == 0.5 and t == 4.5 and rtf == 1 and z == 2 and other == 7"
    samples = [pose(1, 7.0, model="ugv2"), pose(1, 1.0, yaw=0.5, z=2.0), clock(1), end(2)]
    assert verdict(temporal("eventually", condition, signals), samples).status == "passed"


def test_a_real_time_factor_that_is_not_known_is_no_value():
    signals = {"rtf": {"metric": "rtf"}}
    result = verdict(temporal("always", "rtf > 0", signals), [clock(1, None), end(2)])
    assert (result.status, result.reason) == (
        "failed", "rtf (rtf) had no value before the timeline ended",
    )  # fmt: skip


def test_values_from_before_the_window_are_known_in_it_and_not_judged_before():
    one = temporal("always", BOTH, LOST, after_s=2)
    samples = [lost(-1, True), value(1, 5), value(3, 5), end(4)]
    judge = evaluator(one)
    for sample in [samples[0], start(), *samples[1:]]:
        judge.feed(sample)
    (result,) = judge.results()
    assert (result.status, result.metrics["evaluations"]) == ("passed", 1)


@pytest.mark.parametrize("kind", ["always", "never", "eventually"])
def test_the_ends_of_the_window_belong_to_it(kind):
    holds = 0 if kind == "always" else 5
    one = temporal(kind, after_s=1, within_s=3)
    samples = [value(0.95, 5 - holds), value(1, holds), value(3.05, 5 - holds), clock(9)]
    result = verdict(one, samples)
    assert (result.t_s, result.metrics["evaluations"]) == (3.0, 1)
    assert result.status == ("failed" if kind == "eventually" else "passed")
    assert verdict(one, [value(3, 5 - holds)]).t_s == 3.0
    assert verdict(one, [value(1, 5 - holds)]).t_s == 1.0


@pytest.mark.parametrize("kind", ["always", "never", "eventually"])
@pytest.mark.parametrize(
    ("samples", "what"),
    [
        ([], "lost (/link data) and v (/ugv1/odom v) had no value before the timeline ended"),
        ([value(1, 0)], "lost (/link data) had no value before the timeline ended"),
        ([lost(1, True), value(1, 0, topic="/ugv2/odom")], "v (/ugv1/odom v) had no value"),
    ],
)
def test_a_condition_that_was_never_evaluated_fails(kind, samples, what):
    result = verdict(temporal(kind, BOTH, LOST), [*samples, end(4)])
    assert (result.status, result.t_s) == ("failed", 4.0)
    assert what in result.reason


def test_signals_seen_before_the_window_only_are_said_to_be():
    one = temporal("always", after_s=2)
    result = verdict(one, [value(1, 0), end(4)])
    assert result.reason == "none of its signals was seen in the window before the timeline ended"


@pytest.mark.parametrize("kind", ["always", "never", "eventually"])
def test_a_field_that_is_not_there_or_vanishes_fails(kind):
    unheld = 5 if kind == "eventually" else 5 if kind == "never" else 0
    result = verdict(temporal(kind), [value(1, unheld), field_error(2, "no field 'v'"), end(4)])
    assert (result.status, result.t_s) == ("failed", 2.0)
    assert result.reason == "/ugv1/odom v: no field 'v'"
    judge = evaluator(temporal(kind))
    (early,) = [one for sample in (field_error(-1), start()) for one in judge.feed(sample)]
    assert (early.status, early.t_s) == ("failed", 0.0)


@pytest.mark.parametrize("kind", ["always", "never", "eventually"])
def test_values_that_the_condition_cannot_take_fail(kind):
    result = verdict(temporal(kind), [value(1, "fast"), end(4)])
    assert (result.status, result.t_s) == ("failed", 1.0)
    assert "cannot be judged at 1 s" in result.reason


def test_not_a_number_compares_as_in_ieee_754():
    samples = [value(1, math.nan), end(4)]
    assert verdict(temporal("always"), samples).t_s == 1.0
    assert verdict(temporal("never"), samples).status == "passed"
    assert verdict(temporal("never", "isnan(v) or v < 1"), samples).t_s == 1.0
    assert verdict(temporal("eventually"), samples).t_s == 4.0


def test_a_hold_must_last_without_a_break():
    one = temporal("eventually", for_s=2)
    samples = [value(1, 0), value(2, 0), value(2.5, 5), value(3, 0), value(4, 0), value(5.5, 0)]
    result = verdict(one, samples)
    assert (result.status, result.t_s, result.sim_s) == ("passed", 5.0, 8.5)
    assert result.reason == "v < 1 held for 2 s up to 5 s"
    assert result.evidence["held_since_t_s"] == 3.0
    assert result.metrics["satisfied_at_s"] == 5.0
    assert result.metrics["longest_hold_s"] == 2.0


def test_a_hold_is_judged_on_the_clock_too():
    """A state that is published only when it changes holds until it does."""
    result = verdict(temporal("eventually", for_s=2), [value(1, 0), clock(9), end(10)])
    assert (result.status, result.t_s) == ("passed", 3.0)
    ended = verdict(temporal("eventually", for_s=2), [value(1, 0), end(3)])
    assert (ended.status, ended.t_s) == ("passed", 3.0)


@pytest.mark.parametrize("ticks", [[], [4], [3, 3.5]])
def test_the_figures_do_not_depend_on_how_often_time_is_told(ticks):
    judge = evaluator(temporal("eventually", for_s=2, within_s=6))
    for sample in [start(), value(1, 0), *map(clock, ticks), end(7)]:
        judge.feed(sample)
    assert judge.kpis()["it.longest_hold_s"]["value"] == 2.0


def test_a_break_at_the_end_of_the_hold_comes_after_it():
    one = temporal("eventually", for_s=2)
    assert verdict(one, [value(1, 0), value(3, 5)]).status == "passed"
    assert verdict(one, [value(1, 0), value(2.95, 5), end(9)]).status == "failed"


def test_the_end_of_a_hold_must_lie_in_the_window():
    one = temporal("eventually", for_s=2, within_s=3)
    assert verdict(one, [value(1, 0), clock(9)]).status == "passed"
    result = verdict(one, [value(1.5, 0), clock(9)])
    assert (result.status, result.t_s) == ("failed", 3.0)
    assert result.reason == "v < 1 never held for 2 s within 3 s: 1.5 s at most (last v 0)"
    assert result.metrics["longest_hold_s"] == 1.5


def test_a_hold_begins_in_the_window():
    one = temporal("eventually", for_s=2, after_s=2)
    result = verdict(one, [value(0, 0), value(1, 0), value(2.5, 0), clock(9)])
    assert (result.status, result.t_s) == ("passed", 4.5)


def test_a_late_sample_can_fail_and_is_not_kept():
    late = [value(5, 0), value(3, 9), value(6, 0), end(9)]
    result = verdict(temporal("always"), late)
    assert (result.status, result.t_s) == ("failed", 3.0)
    assert verdict(temporal("never"), [value(5, 5), value(3, 0), end(9)]).t_s == 3.0
    kept = verdict(temporal("always", BOTH, LOST), [lost(1, False), lost(0.5, True), value(2, 9)])
    assert kept.status == "failed"


def test_a_late_sample_is_left_out_of_eventually():
    assert verdict(temporal("eventually"), [value(5, 9), value(3, 0), end(9)]).status == "failed"
    held = [value(1, 0), value(2, 0), value(1.5, 9), clock(9)]
    assert verdict(temporal("eventually", for_s=2), held).t_s == 3.0


def test_it_goes_on_measuring_after_its_verdict_and_not_beyond_its_window():
    judge = evaluator(temporal("eventually", within_s=5))
    for sample in [
        start(),
        value(1, 0),
        value(2, 9),
        value(3, 0),
        value(4, 0),
        value(6, 0),
        end(7),
    ]:
        judge.feed(sample)
    kpis = judge.kpis()
    assert kpis["it.evaluations"]["value"] == 4
    assert kpis["it.longest_hold_s"]["value"] == 1.0
    assert kpis["it.satisfied_at_s"]["value"] == 1.0


def test_long_values_are_shown_in_brief():
    one = temporal("always", "len(v) > 3")
    result = verdict(one, [value(1, list(range(720))), value(2, [1]), end(3)])
    assert result.evidence["excerpt"][0]["values"]["v"]["length"] == 720
    assert result.evidence["violation"]["values"] == {"v": [1]}


def test_a_signal_may_be_called_like_a_part_of_a_note():
    signals = {"t": {"topic": ODOM, "field": "v"}, "sample": {"topic": ODOM, "field": "w"}}
    one = temporal("always", "t < sample", signals)
    assert verdict(one, [value(1, 1), value(1, 2, "w"), end(2)]).status == "passed"


HERE = {"x": {"metric": "x"}}


def test_a_model_that_is_gone_has_no_value():
    here, other = {"x": {"metric": "x"}, "v": {"topic": "odom", "field": "v"}}, value(3, 9.0)
    samples = [pose(1, 5.0), value(1, 0.0), gone(2), other, end(9)]
    kept = verdict(temporal("always", "x > v", here), [*samples[:2], other])
    assert kept.status == "failed"
    for kind in ("always", "never"):
        condition = "x > v" if kind == "always" else "x <= v"
        result = verdict(temporal(kind, condition, here), samples)
        assert (result.status, result.metrics["evaluations"]) == ("passed", 1)
    back = [*samples[:-1], pose(5, 5.0)]
    assert verdict(temporal("always", "x > v", here), back).t_s == 5.0


def test_a_hold_ends_with_the_model_that_it_is_of():
    stands = temporal("eventually", "x > 1", HERE, for_s=3)
    assert verdict(stands, [pose(1, 5.0), end(9)]).status == "passed"
    vanished = verdict(stands, [pose(1, 5.0), gone(3.5), end(9)])
    assert (vanished.status, vanished.metrics["longest_hold_s"]) == ("failed", 2.5)
    assert verdict(stands, [pose(1, 5.0), gone(4), end(9)]).t_s == 4.0
    assert verdict(stands, [pose(1, 5.0), gone(2), pose(3, 5.0), end(9)]).t_s == 6.0


def test_a_vanishing_out_of_order_takes_no_value():
    assert verdict(
        temporal("eventually", "x > 1", HERE, for_s=3), [pose(2, 5.0), gone(1), end(9)]
    ).status == "passed"  # fmt: skip
