import pytest
from hypothesis import given
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


@given(st.lists(st.integers(1, 30), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_interleaved_publishers_that_lose_nothing_are_never_said_to(lengths, random):
    queues = [list(range(1, length + 1)) for length in lengths]
    numbers = []
    while any(queues):
        queue = random.choice([queue for queue in queues if queue])
        numbers.append(queue.pop(0))
    assert check(numbers).lost == 0
    assert check(numbers).received == sum(lengths)


@given(st.integers(2, 50), st.data())
def test_a_missing_number_of_a_single_publisher_is_always_noticed(length, data):
    dropped = data.draw(st.integers(1, length - 1))
    numbers = [n for n in range(1, length + 1) if n != dropped]
    assert check(numbers).lost == 1
