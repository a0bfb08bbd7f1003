import math

import pytest

from .streams import assertion, clock, end, resource, verdict


def usage(**spec):
    return assertion("resource_usage", **{"vehicle": "ugv1", **spec})


def seconds(*cpus, memory=100.0):
    """One sample a second, from 1 s on."""
    return [resource(t, cpu, memory) for t, cpu in enumerate(cpus, start=1)]


def test_it_passes_at_the_end_within_its_limits():
    result = verdict(usage(max_cpu_pct=200, max_memory_mb=512), [*seconds(50, 150, 100), end(4)])
    assert (result.status, result.t_s) == ("passed", 4.0)
    assert result.reason == "the stack of ugv1 stayed within 200 % of a core and 512 MiB"
    figures = {
        "peak_cpu_pct": 150.0, "mean_cpu_pct": 100.0, "peak_memory_mb": 100.0,
        "mean_memory_mb": 100.0, "samples": 3,
    }  # fmt: skip
    assert result.metrics == figures
    assert {key: result.evidence[key] for key in figures} == figures


def test_memory_is_judged_on_every_sample():
    samples = [*seconds(1, 1), resource(3, 1.0, 513.0), resource(4, 1.0, 600.0), end(5)]
    result = verdict(usage(max_memory_mb=512), samples)
    assert (result.status, result.t_s, result.sim_s) == ("failed", 3.0, 6.5)
    assert result.reason == "the stack of ugv1 took 513 MiB at 3 s (at most 512 MiB)"
    assert result.evidence["violation"] == {"t_s": 3.0, "sim_s": 6.5, "memory_mb": 513.0}
    assert verdict(usage(max_memory_mb=513), [*samples[:3], end(5)]).status == "passed"


def test_cpu_is_judged_on_the_mean_of_a_covered_window():
    samples = [*seconds(900, 90, 90, 90, 90, 90, 90), end(8)]
    assert verdict(usage(max_cpu_pct=252), samples).status == "passed"
    result = verdict(usage(max_cpu_pct=251), samples)
    assert (result.status, result.t_s) == ("failed", 5.0)
    assert result.reason == (
        "the stack of ugv1 took 252 % of a core over 5 s up to 5 s (at most 251 %)"
    )
    assert result.evidence["violation"] == {
        "t_s": 5.0, "sim_s": 8.5, "mean_cpu_pct": 252.0, "window_s": 5,
    }  # fmt: skip


def test_old_samples_leave_the_window():
    samples = [*seconds(10, 10, 10, 300, 300, 300), end(7)]
    assert verdict(usage(max_cpu_pct=250, window_s=3), samples).t_s == 6.0
    assert verdict(usage(max_cpu_pct=302, window_s=3), samples).status == "passed"


def test_a_run_shorter_than_the_window_is_judged_at_its_end():
    result = verdict(usage(max_cpu_pct=200), [*seconds(300, 300), end(3)])
    assert (result.status, result.t_s) == ("failed", 3.0)
    assert "over less than 5 s" in result.reason
    assert verdict(usage(max_cpu_pct=300), [*seconds(300, 300), end(3)]).status == "passed"


def test_the_grace_period_is_no_part_of_a_window():
    samples = [*seconds(900, 900, 900, 10, 10, 10, 10), end(8)]
    assert verdict(usage(max_cpu_pct=20, window_s=3, after_s=3.5), samples).status == "passed"
    assert verdict(usage(max_cpu_pct=20, window_s=3, after_s=2), samples).t_s == 5.0


def test_the_window_of_time_ends_at_within_s():
    samples = [*seconds(10, 10, 10, 900), clock(9)]
    result = verdict(usage(max_cpu_pct=20, window_s=1, within_s=3), samples)
    assert (result.status, result.t_s, result.metrics["samples"]) == ("passed", 3.0, 3)


@pytest.mark.parametrize(
    "samples",
    [[], [resource(1, role="bridge")], [resource(1, vehicle="ugv2")], [resource(-1)]],
)
def test_a_container_that_was_not_sampled_fails_it(samples):
    result = verdict(usage(max_memory_mb=1000), [*samples, end(3)])
    assert (result.status, result.t_s) == ("failed", 3.0)
    assert result.reason == "the stack of ugv1 was not sampled before the timeline ended"


def test_the_bridge_may_be_what_is_measured():
    bridge = usage(container="bridge", max_memory_mb=50)
    result = verdict(bridge, [resource(1), resource(1, role="bridge"), end(3)])
    assert result.reason == "the bridge of ugv1 took 100 MiB at 1 s (at most 50 MiB)"


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_number_that_is_none_fails_the_limit_it_is_needed_for(bad):
    cpu = [*seconds(10, bad, 10), end(4)]
    assert verdict(usage(max_cpu_pct=20, window_s=1), cpu).t_s == 2.0
    assert verdict(usage(max_memory_mb=200), cpu).status == "passed"
    memory = [resource(1), resource(2, memory=bad), end(3)]
    assert verdict(usage(max_memory_mb=200), memory).t_s == 2.0
    assert verdict(usage(max_cpu_pct=200), memory).metrics["peak_memory_mb"] == 100.0


def test_samples_out_of_order_count_for_memory_and_not_for_the_mean():
    samples = [*seconds(10, 10), resource(4, 10.0), resource(3, 900.0, 600.0), end(5)]
    assert verdict(usage(max_cpu_pct=20, window_s=2), samples).status == "passed"
    assert verdict(usage(max_memory_mb=512), samples).t_s == 3.0


def test_over_a_gap_the_mean_is_of_what_there_is():
    samples = [*seconds(10, 10), resource(60, 100.0), end(61)]
    assert verdict(usage(max_cpu_pct=90, window_s=5), samples).t_s == 60.0
