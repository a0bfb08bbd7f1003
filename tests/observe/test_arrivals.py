from fieldproof.observe._arrivals import ArrivalClock

MS = 1_000_000
WALL = 1_700_000_000_000 * MS


def told(*pairs):
    clock = ArrivalClock()
    for wall_ms, sim_ms in pairs:
        clock.tell(WALL + wall_ms * MS, sim_ms * MS)
    return clock


def at(clock, wall_ms, now_ms):
    return clock.at(WALL + wall_ms * MS, now_ms * MS) / MS


def test_what_is_taken_late_counts_as_of_the_time_that_was_told_when_it_came_in():
    clock = told((0, 100), (10, 110), (20, 120), (2000, 130))
    assert [at(clock, wall, 130) for wall in (0, 5, 10, 19, 20, 1999, 2000, 9000)] == [
        100, 100, 110, 110, 120, 120, 130, 130,
    ]  # fmt: skip


def test_nothing_counts_as_of_what_has_been_looked_at_nor_of_what_is_to_come():
    clock = told((0, 100), (10, 110), (20, 120))
    clock.settle(115 * MS)
    assert [at(clock, wall, 120) for wall in (-5, 0, 10, 20)] == [115, 115, 115, 120]
    assert at(clock, 20, 118) == 118


def test_without_a_time_of_arrival_or_a_told_time_it_is_now():
    assert told((0, 100)).at(0, 120 * MS) == 120 * MS
    assert at(told(), 5, 120) == 120


def test_a_wall_clock_that_is_set_back_takes_nothing_back():
    clock = told((100, 10), (50, 20), (60, 30), (110, 40))
    assert [at(clock, wall, 40) for wall in (99, 100, 109, 110)] == [0, 30, 30, 40]


def test_what_it_knows_does_not_grow_while_it_is_looked_at():
    clock = ArrivalClock()
    for step in range(10_000):
        clock.tell(WALL + step * MS, step * MS // 2)
        clock.settle(step * MS // 2)
    assert len(clock._sim_ns) <= 2
