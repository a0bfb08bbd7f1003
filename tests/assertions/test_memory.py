"""What an evaluation holds does not grow with the run."""

import tracemalloc

from .streams import (
    action,
    clock,
    contact,
    evaluator,
    latency,
    lifecycle,
    pose,
    rate,
    resource,
    start,
    value,
)
from .test_against_reference import ALL, KPIS


def minute(first):
    """A minute of everything, once a second; nothing here decides an assertion."""
    for t in range(first, first + 60):
        yield from (
            pose(t, 0.9), pose(t, 5.0, model="ugv2"), value(t, 0.5), rate(t, 10.0, 1),
            latency(t, 5.0, 9, 1), resource(t, 5.0), lifecycle(t, "inactive"), clock(t),
            contact(t, other="wall::x"),
        )  # fmt: skip


def test_memory_is_flat_over_a_long_stream():
    judge = evaluator(*ALL, kpis=KPIS)
    for sample in [start(), action(0, "started"), *minute(0)]:
        judge.feed(sample)
    tracemalloc.start()
    try:
        for sample in minute(60):
            judge.feed(sample)
        before = tracemalloc.get_traced_memory()[0]
        for hour in range(10):
            for sample in minute(120 + 60 * hour):
                judge.feed(sample)
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 20_000  # bytes; 5,400 samples went by
