"""Types that read topics, nodes and containers, against the slow reference, over any stream."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from . import reference_signals as reference
from .streams import (
    ODOM,
    assertion,
    field_error,
    gone,
    latency,
    lifecycle,
    no_stamp,
    pose,
    resource,
    value,
)
from .test_against_reference import ends, halves, judged, many, optional, times, until
from .test_ground_truth_reference import coarse, windows


def one_an_instant(content):
    return st.dictionaries(halves, content, min_size=2, max_size=13).map(
        lambda found: sorted(found.items())
    )


@many
@given(
    one_an_instant(st.sampled_from([50.0, 90.0, 100.0, 101.0, None, "no stamp", float("nan")])),
    ends,
    windows,
    st.sampled_from([1.0, 2.0]),
)
def test_message_latency(entries, t_end, window, window_s):
    stream = until(entries, t_end)
    samples = [
        no_stamp(t) if p95 == "no stamp" else latency(t, p95, 0 if p95 is None else 9, window_s)
        for t, p95 in stream
    ]
    spec = {**window, "max_ms": 100, "window_s": window_s}
    one = assertion("message_latency", topic="odom", vehicle="ugv1", **spec)
    assert judged(one, samples, t_end) == reference.message_latency(spec, stream, t_end)


@many
@given(
    one_an_instant(
        st.tuples(st.sampled_from([10.0, 50.0, 400.0]), st.sampled_from([100.0, 300.0]))
    ),
    ends,
    windows,
    st.sampled_from([0.5, 1.0, 3.0]),
    st.sampled_from(
        [{"max_cpu_pct": 100}, {"max_memory_mb": 200}, {"max_cpu_pct": 200, "max_memory_mb": 299}]
    ),
)
def test_resource_usage(entries, t_end, window, window_s, limits):
    stream = [(t, *figures) for t, figures in until(entries, t_end)]
    spec = {**window, **limits, "window_s": window_s}
    one = assertion("resource_usage", vehicle="ugv1", **spec)
    found = judged(one, [resource(*each) for each in stream], t_end)
    assert found == reference.resource_usage(spec, stream, t_end)


@many
@given(
    times(st.sampled_from(["active", "inactive", "unavailable"]), 12, 2),
    ends,
    windows,
    st.sampled_from(["always", "eventually"]),
)
def test_lifecycle_state(entries, t_end, window, mode):
    stream = until(entries, t_end)
    one = assertion(
        "lifecycle_state", vehicle="ugv1", node="driver", state="active", mode=mode, **window
    )
    found = judged(one, [lifecycle(t, state) for t, state in stream], t_end)
    assert found == reference.lifecycle_state({**window, "mode": mode}, stream, t_end)


@pytest.mark.parametrize("kind", ["always", "never", "eventually"])
@many
@given(
    times(
        st.tuples(st.sampled_from("ab"), st.integers(-2, 2) | st.none() | st.just(float("nan"))),
        16,
        4,
    ),
    ends,
    windows,
    optional(for_s=st.sampled_from([0.5, 1.0, 2.0])),
)
def test_always_never_and_eventually(kind, entries, t_end, window, holds_for):
    stream = [(t, name, content) for t, (name, content) in until(entries, t_end)]
    spec = {**window, **(holds_for if kind == "eventually" else {})}
    one = assertion(
        kind,
        signals={name: {"topic": ODOM, "field": name} for name in "ab"},
        condition="a > b",
        **spec,
    )
    samples = [
        field_error(t, field=name) if content is None else value(t, content, name)
        for t, name, content in stream
    ]
    assert judged(one, samples, t_end) == reference.temporal(kind, spec, stream, t_end)


@pytest.mark.parametrize("kind", ["always", "never", "eventually"])
@many
@given(
    times(
        st.tuples(st.sampled_from("ab"), st.one_of(*[coarse] * 3, st.just("gone"))),
        16,
        4,
    ),
    ends,
    windows,
    optional(for_s=st.sampled_from([0.5, 1.0, 2.0])),
)
def test_always_never_and_eventually_over_models_that_come_and_go(
    kind, entries, t_end, window, holds_for
):
    stream = [(t, name, content) for t, (name, content) in until(entries, t_end)]
    spec = {**window, **(holds_for if kind == "eventually" else {})}
    models = {"a": "ugv1", "b": "ugv2"}
    one = assertion(
        kind,
        signals={name: {"metric": "x", "vehicle": model} for name, model in models.items()},
        condition="a > b",
        **spec,
    )
    samples = [
        gone(t, models[name]) if content == "gone" else pose(t, content, model=models[name])
        for t, name, content in stream
    ]
    assert judged(one, samples, t_end) == reference.temporal(kind, spec, stream, t_end)
