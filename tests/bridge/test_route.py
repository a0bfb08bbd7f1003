from dataclasses import dataclass, replace

import pytest

from fieldproof_bridge import Route
from fieldproof_bridge._readings import WheelOdometry


@dataclass
class Dropout:
    name: str = "dropout"

    def apply(self, reading, last, time_ns, held):
        return None


@dataclass
class Freeze:
    name: str = "freeze"

    def apply(self, reading, last, time_ns, held):
        return reading if last is None else last


@dataclass
class Shift:
    name: str = "shift"

    def apply(self, reading, last, time_ns, held):
        return replace(reading, x_m=reading.x_m + sum(each["x_m"] for each in held.values()))


def at(time_ns):
    return WheelOdometry(time_ns, float(time_ns), 0.0, 0.0, 0.0, 0.0)


def test_an_empty_route_passes_the_very_reading():
    reading = at(1)
    assert Route("odometry").pass_through(reading, 1) is reading


def test_an_injector_without_parameters_changes_nothing():
    reading = at(1)
    assert Route("odometry", [Dropout(), Shift()]).pass_through(reading, 1) is reading


def test_a_dropout_is_silent_until_it_is_lifted():
    route = Route("odometry", [Dropout()])
    route.set_fault("dropout", {})
    assert route.pass_through(at(1), 1) is None
    route.set_fault("dropout", None)
    assert route.pass_through(at(2), 2) == at(2)


def test_a_frozen_route_repeats_its_last_reading_stamp_included():
    route = Route("odometry", [Freeze()])
    assert route.pass_through(at(1), 1) == at(1)
    route.set_fault("freeze", {})
    assert [route.pass_through(at(t), t) for t in (2, 3)] == [at(1), at(1)]
    route.set_fault("freeze", None)
    assert route.pass_through(at(4), 4) == at(4)


def test_a_route_frozen_before_its_first_reading_holds_that_one():
    route = Route("odometry", [Freeze()])
    route.set_fault("freeze", {})
    assert [route.pass_through(at(t), t) for t in (1, 2)] == [at(1), at(1)]


def test_injectors_act_in_their_order():
    route = Route("odometry", [Shift(), Freeze()])
    route.set_fault("shift", {"x_m": 10.0})
    assert route.pass_through(at(1), 1).x_m == 11.0
    route.set_fault("freeze", {})
    assert route.pass_through(at(2), 2).x_m == 11.0


def test_parameters_are_those_of_the_moment_they_were_set():
    parameters = {"x_m": 1.0}
    route = Route("odometry", [Shift()])
    route.set_fault("shift", parameters)
    parameters["x_m"] = 5.0
    assert route.pass_through(at(1), 1).x_m == 2.0
    assert route.active == {"shift": {"": {"x_m": 1.0}}}


def test_a_fault_acts_until_the_last_of_its_holders_lets_go_of_it():
    route = Route("odometry", [Shift()])
    route.set_fault("shift", {"x_m": 10.0}, holder="b")
    route.set_fault("shift", {"x_m": 1.0}, holder="a")
    assert route.pass_through(at(1), 1).x_m == 12.0
    assert list(route.active["shift"]) == ["a", "b"]
    route.set_fault("shift", {"x_m": 2.0}, holder="a")
    assert route.pass_through(at(1), 1).x_m == 13.0
    route.set_fault("shift", None, holder="b")
    assert route.pass_through(at(1), 1).x_m == 3.0
    route.set_fault("shift", None, holder="a")
    assert route.active == {}
    reading = at(1)
    assert route.pass_through(reading, 1) is reading


def test_an_unknown_injector_names_those_the_route_has():
    with pytest.raises(LookupError, match=r"route odometry has no injector deny \(has: dropout\)"):
        Route("odometry", [Dropout()]).set_fault("deny", {})
    with pytest.raises(LookupError, match=r"has: none"):
        Route("scan").set_fault("deny", {})
