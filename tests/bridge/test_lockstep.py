import pytest

from fieldproof_bridge._lockstep import AckLedger, Timings, seconds

TICK = 50_000_000


def test_a_node_is_missing_until_it_acknowledges_this_very_time():
    ledger = AckLedger(["planner", "controller"])
    assert ledger.missing(0) == ["planner", "controller"]
    ledger.note("controller", 0)
    assert ledger.missing(0) == ["planner"]
    ledger.note("planner", 0)
    assert ledger.missing(0) == []
    assert ledger.missing(TICK) == ["planner", "controller"]


def test_a_late_acknowledgement_of_an_earlier_time_takes_nothing_back():
    ledger = AckLedger(["planner"])
    ledger.note("planner", TICK)
    ledger.note("planner", 0)
    assert ledger.missing(TICK) == []
    assert ledger.ahead(TICK) == []


def test_acknowledgements_of_other_nodes_do_not_count():
    ledger = AckLedger(["planner"])
    ledger.note("rviz", TICK)
    assert ledger.missing(TICK) == ["planner"]


def test_a_node_ahead_of_the_tick_is_named():
    ledger = AckLedger(["planner", "controller"])
    ledger.note("controller", 2 * TICK)
    assert ledger.ahead(TICK) == ["controller"]


@pytest.mark.parametrize(
    ("time_ns", "text"),
    [(0, "0 s"), (50_000_000, "0.05 s"), (12_000_000_000, "12 s"), (1, "0.000000001 s")],
)
def test_times_in_messages_are_short_and_exact(time_ns, text):
    assert seconds(time_ns) == text


def test_timings_keep_count_mean_and_maximum():
    timings = Timings()
    for _ in range(3):
        with timings.measure("sensors"):
            pass
    fields = timings.as_fields()["sensors"]
    assert fields["count"] == 3
    assert 0 <= fields["mean_ms"] <= fields["max_ms"]
