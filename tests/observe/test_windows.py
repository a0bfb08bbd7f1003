from hypothesis import example, given
from hypothesis import strategies as st

from fieldproof.observe._windows import RateWindow

MS = 1_000_000
S = 1000 * MS


def windows(arrivals, *, window_ns, start_ns=0, until_ns, chunk=1):
    window = RateWindow(window_ns, start_ns)
    ended = []
    for index, arrival in enumerate(arrivals):
        window.add(arrival)
        if index % chunk == 0:
            # another message may arrive at the same time
            ended += window.due(arrival, complete=False)
    return ended + window.due(until_ns, complete=True)


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
