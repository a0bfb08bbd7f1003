"""Each fault against values worked out by hand or by a slow reference."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldproof_bridge import Route
from fieldproof_bridge._draws import Draws
from fieldproof_bridge._injectors import moved
from fieldproof_bridge._readings import Fix, VelocityCommand

from .desks import SPOTS, S, make_desk, passed


def test_a_denied_fix_has_no_place_and_no_known_covariance(desk):
    desk.change("gps", "deny", {}, 0)
    fix = passed(desk, "gps", S)
    assert (fix.status, fix.covariance_known, fix.stamp_ns) == (-1, False, S)
    assert all(map(math.isnan, (fix.latitude_deg, fix.longitude_deg, fix.altitude_m)))


def test_a_bias_is_added_to_each_axis(desk):
    desk.change("imu", "bias", {"gyro_radps": [0.0, 0.0, 0.5], "accel_mps2": [1.0, 0.0, 0.0]}, 0)
    reading = passed(desk, "imu", S)
    assert reading.angular_velocity == pytest.approx((0.1, 0.2, 0.8))
    assert reading.linear_acceleration == pytest.approx((2.0, 2.0, 9.8))
    assert reading.orientation == (0.0, 0.0, 0.0, 1.0)


def earth(fix):
    """A fix in earth-centred coordinates, metres, by the textbook's formula."""
    a, e2 = 6_378_137.0, 6.694379990141316e-3
    lat, lon = math.radians(fix.latitude_deg), math.radians(fix.longitude_deg)
    n = a / math.sqrt(1 - e2 * math.sin(lat) ** 2)
    h = fix.altitude_m
    return np.array(
        [
            (n + h) * math.cos(lat) * math.cos(lon),
            (n + h) * math.cos(lat) * math.sin(lon),
            (n * (1 - e2) + h) * math.sin(lat),
        ]
    )


def in_enu(fix, other):
    lat, lon = math.radians(fix.latitude_deg), math.radians(fix.longitude_deg)
    east = [-math.sin(lon), math.cos(lon), 0]
    north = [
        -math.sin(lat) * math.cos(lon),
        -math.sin(lat) * math.sin(lon),
        math.cos(lat),
    ]
    up = [math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)]
    return np.array([east, north, up]) @ (earth(other) - earth(fix))


@given(
    st.floats(-80, 80),
    st.floats(-180, 180),
    st.floats(-100, 5000),
    st.tuples(*[st.floats(-500, 500)] * 3),
)
def test_an_offset_moves_a_fix_by_metres_wherever_it_is(latitude, longitude, altitude, offset):
    fix = Fix(0, 0, latitude, longitude, altitude)
    there = moved(fix, *offset)
    assert in_enu(fix, there) == pytest.approx(offset, abs=0.5)
    assert -180 <= there.longitude_deg <= 180


def test_a_frozen_sensor_repeats_its_last_reading_stamp_included(desk):
    first = passed(desk, "odometry", S)
    desk.change("odometry", "freeze", {}, S)
    assert [passed(desk, "odometry", t * S) for t in (2, 3)] == [first, first]


def test_a_sensor_that_freezes_before_its_first_reading_stays_silent(desk):
    desk.change("odometry", "freeze", {}, 0)
    assert passed(desk, "odometry", S) is None


@pytest.mark.parametrize("probability", [0.0, 0.2, 0.7, 1.0])
def test_a_dropout_takes_the_share_that_it_is_told_to(desk, probability):
    desk.change("imu", "dropout", {"probability": probability}, 0)
    lost = sum(passed(desk, "imu", k * 10_000_000) is None for k in range(1, 3001))
    assert lost / 3000 == pytest.approx(probability, abs=0.03)


def test_what_a_dropout_takes_depends_on_seed_vehicle_and_time_alone(manifest_data):
    def lost(desk, times):
        desk.change("imu", "dropout", {"probability": 0.5}, 0)
        return {t for t in times if passed(desk, "imu", t) is None}

    times = [k * 10_000_000 for k in range(1, 400)]
    whole = lost(make_desk(manifest_data), times)
    assert lost(make_desk(manifest_data), times[200:]) == whole & set(times[200:])
    assert lost(make_desk(manifest_data, seed=2), times) != whole
    assert lost(make_desk(manifest_data, vehicle="ugv2"), times) != whole


@pytest.mark.parametrize(
    "other", [("ugv1", "gps", "noise"), ("ugv1", "imu", "dropout"), ("ugv2", "imu", "noise")]
)
def test_each_fault_of_each_route_of_each_vehicle_draws_numbers_of_its_own(other):
    numbers = Draws(1, "ugv1", "imu", "noise").at(S).random(4).tolist()
    assert Draws(1, "ugv1", "imu", "noise").at(S).random(4).tolist() == numbers
    assert Draws(1, *other).at(S).random(4).tolist() != numbers


def test_noise_has_the_deviation_that_it_is_given(desk):
    desk.change("imu", "noise", {"gyro_radps": 0.5}, 0)
    plain = SPOTS["imu"](0)
    rates = [passed(desk, "imu", k * 10_000_000) for k in range(1, 4001)]
    found = np.array([r.angular_velocity for r in rates]) - plain.angular_velocity
    assert found.std(axis=0) == pytest.approx([0.5] * 3, rel=0.05)
    assert found.mean(axis=0) == pytest.approx([0.0] * 3, abs=0.03)
    assert {r.linear_acceleration for r in rates} == {plain.linear_acceleration}


def test_a_ray_without_a_return_has_none_with_noise_either(desk):
    desk.change("lidar", "noise", {"range_m": 100.0}, 0)
    ranges = np.frombuffer(passed(desk, "lidar", S).ranges, dtype="<f4")
    assert math.isinf(ranges[1])
    assert all(0.1 <= r <= 12.0 + 1e-6 for r in ranges[[0, 2]])


def test_a_noisy_odometer_misjudges_its_speed_and_not_its_place(desk):
    desk.change("odometry", "noise", {"linear_mps": 1.0, "angular_radps": 1.0}, 0)
    reading = passed(desk, "odometry", S)
    assert (reading.x_m, reading.y_m, reading.yaw_rad) == (1.0, 0.0, 0.0)
    assert reading.linear_mps != 0.5
    assert reading.angular_radps != 0.1


def test_a_battery_falls_in_a_straight_line_and_stays_down(desk):
    assert passed(desk, "battery", S).percentage == 1.0
    desk.change("battery", "drain", {"to_pct": 20.0, "duration_s": 8.0}, 2 * S)
    levels = [passed(desk, "battery", t * S) for t in (2, 4, 6, 10, 30)]
    assert [level.percentage for level in levels] == pytest.approx([1.0, 0.8, 0.6, 0.2, 0.2])
    assert [level.status for level in levels] == [2, 2, 2, 3, 3]
    assert levels[1].voltage_v == pytest.approx(21.0 + 0.8 * 4.2)
    assert levels[1].charge_ah == pytest.approx(16.0)


def test_a_second_drain_begins_where_the_first_one_got_to(desk):
    passed(desk, "battery", S)
    desk.change("battery", "drain", {"to_pct": 0.0, "duration_s": 10.0}, 0)
    assert passed(desk, "battery", 5 * S).percentage == pytest.approx(0.5)
    desk.change("battery", "drain", {"to_pct": 40.0, "duration_s": 10.0}, 5 * S)
    assert passed(desk, "battery", 10 * S).percentage == pytest.approx(0.45)


def test_a_command_is_clamped_to_both_sides(desk):
    desk.change("command", "limit", {"max_linear_mps": 0.2, "max_angular_radps": 0.5}, 0)
    assert passed(desk, "command", S) == VelocityCommand(S, 0.2, -0.5)
    desk.change("command", "limit", {"max_angular_radps": 0.5}, 0)
    assert passed(desk, "command", S) == VelocityCommand(S, 1.0, -0.5)


def test_a_limit_takes_hold_of_the_command_that_stands_and_gives_it_back(desk):
    route: Route = desk.routes["command"]
    passed(desk, "command", S)
    desk.change("command", "limit", {"max_linear_mps": 0.2}, S)
    assert route.again_from("limit", 2 * S).linear_mps == 0.2
    assert route.again_from("limit", 3 * S).linear_mps == 0.2
    desk.change("command", "limit", None, 3 * S)
    assert route.again_from("limit", 4 * S).linear_mps == 1.0


def test_what_a_dropout_holds_back_is_not_what_stands(desk):
    passed(desk, "command", S)
    desk.change("command", "dropout", {}, S)
    lost = replace(SPOTS["command"](2 * S), linear_mps=0.7)
    assert desk.routes["command"].pass_through(lost, 2 * S) is None
    assert desk.routes["command"].again_from("limit", 2 * S).linear_mps == 1.0


def test_nothing_stands_before_the_first_command(desk):
    assert desk.routes["command"].again_from("limit", S) is None


def test_an_offset_does_not_leave_the_globe():
    there = moved(Fix(0, 0, 89.9999, 179.9, 0.0), 1000.0, 1000.0, 0.0)
    assert there.latitude_deg == 90.0
    assert -180.0 <= there.longitude_deg <= 180.0


def test_noise_on_a_fix_is_metres_on_the_ground(desk):
    desk.change("gps", "noise", {"horizontal_m": 2.0, "vertical_m": 5.0}, 0)
    plain = SPOTS["gps"](0)
    moves = [in_enu(plain, passed(desk, "gps", k * 10_000_000)) for k in range(1, 4001)]
    assert np.std(moves, axis=0) == pytest.approx([2.0, 2.0, 5.0], rel=0.05)


def test_a_drain_begins_where_the_charge_is_and_not_where_it_was_last_told(desk):
    desk.change("battery", "drain", {"to_pct": 0.0, "duration_s": 10.0}, 0)
    assert passed(desk, "battery", 4 * S).percentage == pytest.approx(0.6)
    desk.change("battery", "drain", {"to_pct": 0.0, "duration_s": 5.0}, 5 * S)
    assert passed(desk, "battery", 5 * S).percentage == pytest.approx(0.5)
    assert passed(desk, "battery", 6 * S).percentage == pytest.approx(0.4)


def test_a_drain_to_a_higher_charge_is_none(desk):
    desk.change("battery", "drain", {"to_pct": 50.0, "duration_s": 1.0}, 0)
    desk.change("battery", "drain", {"to_pct": 80.0, "duration_s": 1.0}, S)
    levels = [passed(desk, "battery", t * S) for t in (1, 2, 3)]
    assert [level.percentage for level in levels] == [0.5, 0.5, 0.5]


def test_a_battery_that_was_not_full_drains_from_its_own_charge(manifest_data):
    manifest_data["power"]["battery"]["initial_pct"] = 60.0
    desk = make_desk(manifest_data)
    desk.change("battery", "drain", {"to_pct": 20.0, "duration_s": 4.0}, 0)
    assert passed(desk, "battery", S).percentage == pytest.approx(0.5)


@given(st.integers(0, 2**63), st.integers(0, 10**15), st.integers(0, 10**15))
def test_numbers_of_different_times_differ(seed, one, other):
    draws = Draws(seed, "ugv1", "imu", "noise")
    same = draws.at(one).random(4).tolist() == draws.at(other).random(4).tolist()
    assert same == (one == other)


BOTH = pytest.mark.parametrize("first", ["a", "b"], ids=["the first ends", "the second ends"])


@BOTH
@pytest.mark.parametrize(("route", "fault"), [("gps", "deny"), ("odometry", "freeze")])
def test_a_fault_without_parameters_acts_while_any_of_two_holds_it(desk, route, fault, first):
    passed(desk, route, S)
    desk.change(route, fault, {}, S, "a")
    at_first = str(passed(desk, route, 2 * S))
    desk.change(route, fault, {}, 2 * S, "b")
    desk.change(route, fault, None, 3 * S, first)
    frozen = str(passed(desk, route, 4 * S))
    assert frozen == at_first.replace(f"stamp_ns={2 * S}", f"stamp_ns={4 * S}")
    desk.change(route, fault, None, 4 * S, "b" if first == "a" else "a")
    assert passed(desk, route, 5 * S) == SPOTS[route](5 * S)


@BOTH
def test_offsets_and_biases_add_up_and_end_one_by_one(desk, first):
    sizes = {"a": 30.0, "b": 4.0}
    for holder, size in sizes.items():
        desk.change("gps", "offset", {"up_m": size, "east_m": 1.0}, 0, holder)
        desk.change("imu", "bias", {"gyro_radps": [size, 0.0, 0.0]}, 0, holder)
    assert passed(desk, "gps", S) == moved(SPOTS["gps"](S), 2.0, 0.0, 34.0)
    assert passed(desk, "imu", S).angular_velocity == pytest.approx((34.1, 0.2, 0.3))
    desk.change("gps", "offset", None, 0, first)
    desk.change("imu", "bias", None, 0, first)
    left = sizes["b" if first == "a" else "a"]
    assert passed(desk, "gps", S) == moved(SPOTS["gps"](S), 1.0, 0.0, left)
    assert passed(desk, "imu", S).angular_velocity == pytest.approx((left + 0.1, 0.2, 0.3))


def test_in_which_order_the_holders_came_changes_nothing(manifest_data):
    sums = []
    for holders in ("abc", "cab"):
        desk = make_desk(manifest_data)
        for holder in holders:
            bias = {"a": 0.1, "b": 0.2, "c": 0.3}[holder]
            desk.change("imu", "bias", {"gyro_radps": [bias] * 3}, 0, holder)
            desk.change("imu", "noise", {"gyro_radps": bias}, 0, holder)
        sums.append(passed(desk, "imu", S))
    assert sums[0] == sums[1]


@pytest.mark.parametrize(
    ("route", "parameters", "measured"),
    [
        ("imu", ("gyro_radps", "accel_mps2"), lambda r: (*r.angular_velocity, *r.linear_acceleration)),
        ("odometry", ("linear_mps", "angular_radps"), lambda r: (r.linear_mps, r.angular_radps)),
        ("gps", ("vertical_m",), lambda r: (r.altitude_m,)),
        ("lidar", ("range_m",), lambda r: np.frombuffer(r.ranges, dtype="<f4")[[0, 2]]),
    ],
)  # fmt: skip
def test_the_variances_of_noises_add_up(desk, route, parameters, measured):
    for holder, deviation in (("a", 0.03), ("b", 0.04)):
        desk.change(route, "noise", dict.fromkeys(parameters, deviation), 0, holder)
    found = np.array([measured(passed(desk, route, k * 10_000_000)) for k in range(1, 4001)])
    assert found.std(axis=0) == pytest.approx([0.05] * found.shape[1], rel=0.05)


def test_a_message_is_lost_when_any_of_several_dropouts_loses_it(manifest_data):
    times = [k * 10_000_000 for k in range(1, 3001)]

    def lost(holders):
        desk = make_desk(manifest_data)
        for holder in holders:
            desk.change("imu", "dropout", {"probability": 0.5}, 0, holder)
        return {t for t in times if passed(desk, "imu", t) is None}

    assert lost("ab") == lost("a") | lost("b")
    assert len(lost("ab")) / len(times) == pytest.approx(0.75, abs=0.03)


def test_the_tightest_limit_counts_for_each_speed(desk):
    desk.change("command", "limit", {"max_linear_mps": 0.1}, 0, "a")
    desk.change("command", "limit", {"max_linear_mps": 0.5, "max_angular_radps": 1.0}, 0, "b")
    assert passed(desk, "command", S) == VelocityCommand(S, 0.1, -1.0)
    desk.change("command", "limit", None, S, "b")
    assert passed(desk, "command", S) == VelocityCommand(S, 0.1, -2.0)
    desk.change("command", "limit", None, S, "a")
    assert passed(desk, "command", S) == SPOTS["command"](S)


def test_the_lowest_of_several_drains_is_the_charge(desk):
    desk.change("battery", "drain", {"to_pct": 0.0, "duration_s": 10.0}, 0, "a")
    desk.change("battery", "drain", {"to_pct": 40.0, "duration_s": 1.0}, 4 * S, "b")
    levels = [passed(desk, "battery", t * S) for t in (4, 5, 6, 8, 10)]
    assert [level.percentage for level in levels] == pytest.approx([0.6, 0.4, 0.4, 0.2, 0.0])
    # it stands at 40 % from 5 s to 6 s
    assert [level.status for level in levels] == [2, 3, 2, 2, 3]
    assert desk.charge_pct(8 * S) == pytest.approx(20.0)


def test_a_battery_that_cannot_fall_further_is_not_discharging(desk):
    desk.change("battery", "drain", {"to_pct": 50.0, "duration_s": 1.0}, 0, "a")
    desk.change("battery", "drain", {"to_pct": 90.0, "duration_s": 9.0}, S, "b")
    level = passed(desk, "battery", 2 * S)
    assert (level.percentage, level.status) == (0.5, 3)


def test_what_nobody_drains_has_the_charge_that_it_began_with(manifest_data):
    manifest_data["power"]["battery"]["initial_pct"] = 60.0
    assert make_desk(manifest_data).charge_pct(5 * S) == 60.0
