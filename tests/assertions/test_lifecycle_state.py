import pytest

from .streams import assertion, clock, end, evaluator, lifecycle, start, verdict


def in_state(**spec):
    return assertion(
        "lifecycle_state", **{"vehicle": "ugv1", "node": "driver", "state": "active", **spec}
    )


def always(**spec):
    return in_state(mode="always", **spec)


def test_eventually_passes_at_the_first_sample_in_the_state():
    samples = [lifecycle(1, "inactive"), lifecycle(2, "active"), lifecycle(3, "inactive"), end(4)]
    result = verdict(in_state(), samples)
    assert (result.status, result.t_s, result.sim_s) == ("passed", 2.0, 5.5)
    assert result.reason == "/ugv1/driver was active at 2 s"
    assert result.evidence["states"] == {"inactive": 1, "active": 1}
    assert result.evidence["last"] == {"t_s": 2.0, "sim_s": 5.5, "state": "active"}
    assert result.metrics == {"samples": 2, "reached_at_s": 2.0}


def test_eventually_fails_at_its_deadline():
    samples = [lifecycle(1, "inactive"), clock(5), lifecycle(6, "active")]
    result = verdict(in_state(within_s=4), samples)
    assert (result.status, result.t_s) == ("failed", 4.0)
    assert result.reason == "/ugv1/driver was not active within 4 s (last inactive)"
    assert verdict(in_state(within_s=4), [lifecycle(4, "active")]).status == "passed"


def test_always_fails_at_the_first_sample_in_another_state():
    samples = [lifecycle(1, "active"), lifecycle(2, "deactivating"), lifecycle(3, "active"), end(4)]
    result = verdict(always(), samples)
    assert (result.status, result.t_s) == ("failed", 2.0)
    assert result.reason == "/ugv1/driver was deactivating at 2 s, not active"
    assert result.evidence["violation"]["state"] == "deactivating"
    assert result.evidence["samples"] == 2


@pytest.mark.parametrize("answer", ["unavailable", "unresponsive", "", "ACTIVE"])
def test_whatever_is_not_the_state_is_another_one(answer):
    assert verdict(always(), [lifecycle(1, answer), end(2)]).t_s == 1.0
    assert verdict(in_state(), [lifecycle(1, answer), end(2)]).t_s == 2.0


def test_always_passes_when_its_window_closes():
    samples = [lifecycle(0, "inactive"), lifecycle(1, "active"), lifecycle(4.05, "inactive")]
    result = verdict(always(after_s=1, within_s=4), samples)
    assert (result.status, result.t_s) == ("passed", 4.0)
    assert result.reason == "/ugv1/driver was active in its only sample"
    assert verdict(always(), [lifecycle(1, "active"), end(3)]).t_s == 3.0


@pytest.mark.parametrize("mode", ["always", "eventually"])
@pytest.mark.parametrize(
    "samples", [[], [lifecycle(1, "active", "/ugv2/driver")], [lifecycle(-1, "active")]]
)
def test_without_a_sample_both_fail(mode, samples):
    result = verdict(in_state(mode=mode), [*samples, end(3)])
    assert (result.status, result.t_s) == ("failed", 3.0)
    assert result.reason == "no state of /ugv1/driver was seen before the timeline ended"


def test_samples_out_of_order_and_samples_that_come_twice_are_judged_all_the_same():
    late = verdict(always(), [lifecycle(3, "active"), lifecycle(2, "inactive"), end(4)])
    assert (late.status, late.t_s, late.evidence["last"]["t_s"]) == ("failed", 2.0, 3.0)
    twice = verdict(always(), [lifecycle(3, "active"), lifecycle(3, "active"), end(4)])
    assert (twice.status, twice.metrics["samples"]) == ("passed", 2)


def test_a_node_may_be_named_in_full():
    one = in_state(node="/other/node")
    assert verdict(one, [lifecycle(1, "active", "/other/node")]).status == "passed"


def test_the_states_that_are_counted_are_bounded():
    judge = evaluator(in_state())
    judge.feed(start())
    for n in range(200):
        judge.feed(lifecycle(n / 10, f"odd{n}"))
    (result,) = judge.feed(end(30))
    assert len(result.evidence["states"]) == 32
    assert result.metrics["samples"] == 200
