from fractions import Fraction

import pytest

from fieldproof_sim.pacing import Pacer, RateMeter
from fieldproof_sim.schedule import Schedule

MS = 1_000_000


@pytest.mark.parametrize("rate_hz", [1, 5, 10, 30, 50, 100, 0.1, 29.97, 7])
def test_the_nth_time_is_the_first_step_not_before_n_periods(rate_hz):
    schedule = Schedule(rate_hz, 2 * MS)
    for n in range(1, 200):
        exact = n * Fraction(10**9) / Fraction(str(rate_hz))
        due = schedule.next_step * 2 * MS
        assert exact <= due < exact + 2 * MS
        schedule.advance()


def test_a_rate_above_the_steps_happens_once_a_step():
    schedule = Schedule(2000, 2 * MS)
    steps = []
    for _ in range(5):
        steps.append(schedule.next_step)
        schedule.advance()
    assert steps == [1, 2, 3, 4, 5]


def test_paced_time_is_due_in_proportion_to_the_factor():
    pacer = Pacer(2.0, sim_ns=100 * MS, wall_ns=0)
    assert pacer.wait_ns(120 * MS, 0) == 10 * MS
    assert pacer.wait_ns(120 * MS, 4 * MS) == 6 * MS
    assert pacer.wait_ns(120 * MS, 15 * MS) == 0


def test_a_short_lag_is_caught_up_and_a_long_one_given_up():
    pacer = Pacer(1.0, sim_ns=0, wall_ns=0)
    assert pacer.wait_ns(10 * MS, 150 * MS) == 0
    assert pacer.wait_ns(160 * MS, 150 * MS) == 10 * MS
    assert pacer.wait_ns(170 * MS, 1000 * MS) == 0
    assert pacer.wait_ns(180 * MS, 1000 * MS) == 10 * MS


def test_as_fast_as_possible_never_waits():
    assert Pacer(None, sim_ns=0, wall_ns=0).wait_ns(10**12, 0) == 0


def test_the_real_time_factor_is_that_of_the_last_second():
    meter = RateMeter(sim_ns=0, wall_ns=0)
    assert meter.update(500 * MS, 250 * MS) is None
    assert meter.update(2000 * MS, 1000 * MS) == 2.0
    assert meter.update(2100 * MS, 1200 * MS) == 2.0
    assert meter.update(2500 * MS, 2000 * MS) == 0.5
