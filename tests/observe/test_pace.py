import pytest

from fieldproof.observe._pace import Pace

S = 1_000_000_000


def test_the_first_mark_knows_no_factor_and_no_drift():
    assert Pace(1.0).mark(5 * S, 0) == (None, 0.0)


def test_the_factor_is_that_since_the_last_mark_and_the_drift_that_since_the_first():
    pace = Pace(0.5)
    pace.mark(100 * S, 10 * S)
    assert pace.mark(102 * S, 11 * S) == (0.5, 0.0)
    assert pace.mark(104 * S, 15 * S) == (2.0, 3.0)
    assert pace.mark(108 * S, 15 * S) == (0.0, 1.0)


def test_without_a_target_there_is_no_drift():
    pace = Pace(None)
    assert pace.mark(0, 0) == (None, None)
    assert pace.mark(S, 2 * S) == (2.0, None)


@pytest.mark.parametrize("wall_ns", [10 * S, 9 * S])
def test_a_wall_clock_that_stands_or_is_set_back_gives_no_factor(wall_ns):
    pace = Pace(1.0)
    pace.mark(10 * S, 0)
    assert pace.mark(wall_ns, S)[0] is None
