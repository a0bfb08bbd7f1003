from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fieldproof.observe._windows import Ages, SlidingWindow

MS = 1_000_000
S = 1000 * MS


def windows(arrivals, *, window_ns, start_ns=0, until_ns, chunk=1):
    """(end, messages) of each window when the topic is looked at after each chunk."""
    window = SlidingWindow(window_ns, start_ns)
    ended = []
    for index, arrival in enumerate(arrivals):
        window.add(arrival, arrival)
        if index % chunk == 0:
            # another message may arrive at the same time
            ended += window.due(arrival, complete=False)
    ended += window.due(until_ns, complete=True)
    return [(end, len(items)) for end, items in ended]


def test_a_30_s_window_of_a_10_hz_topic_counts_300_messages():
    arrivals = [n * 100 * MS for n in range(1, 601)]
    assert {count for _, count in windows(arrivals, window_ns=30 * S, until_ns=60 * S)} == {300}


def test_the_first_window_ends_one_whole_window_after_the_start():
    assert windows([], window_ns=5 * S, start_ns=2 * S, until_ns=9 * S) == [
        (7 * S, 0),
        (8 * S, 0),
        (9 * S, 0),
    ]


def test_a_topic_that_dies_is_counted_down_to_zero():
    arrivals = [n * 100 * MS for n in range(1, 51)]
    counts = [count for _, count in windows(arrivals, window_ns=5 * S, until_ns=10 * S)]
    assert counts == [50, 40, 30, 20, 10, 0]


@example([5_000, 5_000], 1, 1)
@settings(deadline=None)
@given(
    st.lists(st.integers(0, 20_000), max_size=80).map(sorted),
    st.integers(1, 5),
    st.integers(1, 7),
)
def test_windows_count_what_a_plain_count_counts_however_often_one_looks(arrivals, width, chunk):
    arrivals = [a * MS for a in arrivals]
    got = windows(arrivals, window_ns=width * S, until_ns=21 * S, chunk=chunk)
    expected = [
        (end * S, sum(1 for a in arrivals if (end - width) * S < a <= end * S))
        for end in range(width, 22)
    ]
    assert got == expected


@settings(deadline=None)
@given(st.lists(st.integers(0, 9_000), max_size=60).map(sorted), st.integers(1, 4))
def test_a_window_holds_what_arrived_in_it_in_order(arrivals, width):
    window = SlidingWindow(width * S, 0)
    for number, arrival in enumerate(arrivals):
        window.add(arrival * MS, number)
    for end, items in window.due(10 * S, complete=True):
        assert items == [
            number
            for number, arrival in enumerate(arrivals)
            if end - width * S < arrival * MS <= end
        ]


def test_what_no_window_can_hold_any_more_is_forgotten():
    window = SlidingWindow(2 * S, 0)
    for n in range(1, 100_001):
        window.add(n * 10 * MS, n)
        window.due(n * 10 * MS, complete=True)
    assert len(window._arrivals) <= 300


ages = st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=60)


@settings(deadline=None)
@given(ages)
def test_figures_of_ages_are_those_of_a_slow_count(ages_ns):
    got = Ages.of(ages_ns)
    assert got.count == len(ages_ns)
    assert got.max_ms == max(ages_ns) / 1e6
    assert got.min_ms == min(ages_ns) / 1e6
    assert got.mean_ms == pytest.approx(float(Fraction(sum(ages_ns), len(ages_ns)) / MS))
    # the smallest age that at least 95 % do not exceed
    at_least = [a for a in ages_ns if 100 * sum(b <= a for b in ages_ns) >= 95 * len(ages_ns)]
    assert got.p95_ms == min(at_least) / 1e6


@settings(deadline=None)
@given(ages, st.randoms(use_true_random=False))
def test_figures_do_not_depend_on_the_order_of_arrival(ages_ns, random):
    shuffled = list(ages_ns)
    random.shuffle(shuffled)
    assert Ages.of(shuffled) == Ages.of(ages_ns)


@pytest.mark.parametrize(
    ("count", "nth"), [(1, 1), (2, 2), (19, 19), (20, 19), (21, 20), (40, 38), (100, 95), (101, 96)]
)
def test_the_95th_percentile_is_the_nearest_rank(count, nth):
    assert Ages.of([n * MS for n in range(1, count + 1)]).p95_ms == float(nth)


def test_without_messages_there_are_no_figures():
    assert Ages.of([]) == Ages(0, mean_ms=None, max_ms=None, min_ms=None, p95_ms=None)
