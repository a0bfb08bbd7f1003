import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldproof.observe._sequence import SequenceCheck


def check(numbers):
    sequence = SequenceCheck()
    for number in numbers:
        sequence.add(number)
    return sequence


@pytest.mark.parametrize(
    ("numbers", "lost"),
    [
        pytest.param([1, 2, 3], 0, id="nothing missing"),
        pytest.param([1, 3], 1, id="one in the middle"),
        pytest.param([4, 5], 3, id="the beginning"),
        pytest.param([1, 1, 2, 2, 3, 3], 0, id="two publishers in step"),
        pytest.param([1, 2, 3, 1, 2, 4], 0, id="two publishers one after the other"),
        pytest.param([1, 1, 2, 4, 3], 2, id="two publishers, two messages missing"),
    ],
)
def test_lost_messages_are_counted(numbers, lost):
    assert check(numbers).lost == lost


@settings(deadline=None)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_interleaved_publishers_that_lose_nothing_are_never_said_to(lengths, random):
    queues = [list(range(1, length + 1)) for length in lengths]
    numbers = []
    while any(queues):
        queue = random.choice([queue for queue in queues if queue])
        numbers.append(queue.pop(0))
    assert check(numbers).lost == 0
    assert check(numbers).received == sum(lengths)


@settings(deadline=None)
@given(st.integers(2, 50), st.data())
def test_a_missing_number_of_a_single_publisher_is_always_noticed(length, data):
    dropped = data.draw(st.integers(1, length - 1))
    numbers = [n for n in range(1, length + 1) if n != dropped]
    assert check(numbers).lost == 1


def least_missing(numbers):
    """Fewest missing messages that any way of giving the numbers to publishers explains.

    Slow: tries, for each number, to continue each series that it may continue, and a new one.
    """
    best = {(): 0}  # the last numbers of the series, and what is missing from them
    for number in numbers:
        following = {}
        for series, missing in best.items():
            for place, last in enumerate(series):
                if last < number:
                    rest = (*series[:place], *series[place + 1 :])
                    key = tuple(sorted((*rest, number)))
                    cost = missing + number - last - 1
                    following[key] = min(cost, following.get(key, cost))
            key = tuple(sorted((*series, number)))
            cost = missing + number - 1
            following[key] = min(cost, following.get(key, cost))
        best = following
    return min(best.values())


@settings(deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=7))
def test_no_fewer_missing_messages_could_explain_the_numbers(numbers):
    assert check(numbers).lost == least_missing(numbers)


@settings(deadline=None)
@given(
    st.lists(st.lists(st.booleans(), min_size=1, max_size=25), min_size=1, max_size=4),
    st.randoms(use_true_random=False),
)
def test_never_more_is_said_to_be_lost_than_was(publishers, random):
    queues = [[n for n, kept in enumerate(each, 1) if kept] for each in publishers]
    lost = sum(queue[-1] - len(queue) for queue in queues if queue)
    numbers = []
    while any(queues):
        numbers.append(random.choice([queue for queue in queues if queue]).pop(0))
    assert check(numbers).lost <= lost


def test_what_was_missing_before_is_forgiven_and_what_is_missing_after_is_not():
    sequence = check([3, 5])
    sequence.forgive()
    sequence.add(6)
    assert (sequence.received, sequence.lost) == (1, 0)
    sequence.add(9)
    assert (sequence.received, sequence.lost) == (2, 2)
