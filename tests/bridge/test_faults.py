"""How faults are set, act together, and are refused."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldproof_bridge._errors import BridgeError
from fieldproof_bridge._faults import FAULTS, faulty_route
from fieldproof_bridge._parameters import checked

from .desks import SPECS, SPOTS, S, make_desk, passed
from .peer import ROOT


@pytest.mark.parametrize("route", SPOTS)
def test_a_route_without_a_fault_passes_the_very_reading(desk, route):
    reading = SPOTS[route](S)
    assert desk.routes[route].pass_through(reading, S) is reading


@pytest.mark.parametrize(
    ("route", "fault"),
    [(name, fault) for name in SPOTS for fault in FAULTS[name if name != "gps" else "gnss"]],
)
def test_what_is_lifted_leaves_no_trace(desk, route, fault):
    needed = {"drain": {"duration_s": 1.0}, "limit": {"max_linear_mps": 0.1}}
    passed(desk, route, S)
    desk.change(route, fault, needed.get(fault, {}), S)
    passed(desk, route, 2 * S)
    desk.change(route, fault, None, 2 * S)
    assert passed(desk, route, 3 * S) == SPOTS[route](3 * S)
    assert desk.routes[route].active == {}


def test_a_moved_fix_that_is_denied_has_no_place(desk):
    desk.change("gps", "deny", {}, 0)
    desk.change("gps", "offset", {"east_m": 100.0}, 0)
    assert math.isnan(passed(desk, "gps", S).longitude_deg)


def test_a_denied_fix_says_nothing_of_where_it_was_moved(desk):
    for fault in ("deny", "offset", "noise"):
        desk.change("gps", fault, {"east_m": 100.0} if fault == "offset" else {}, 0)
    fix = passed(desk, "gps", S)
    assert all(map(math.isnan, (fix.latitude_deg, fix.longitude_deg, fix.altitude_m)))


def test_what_a_frozen_sensor_repeats_is_what_came_out_last(desk):
    desk.change("odometry", "noise", {"linear_mps": 1.0}, 0)
    desk.change("odometry", "dropout", {"probability": 0.5}, 0)
    out = [passed(desk, "odometry", t * S) for t in range(1, 20)]
    desk.change("odometry", "freeze", {}, 19 * S)
    desk.change("odometry", "dropout", None, 19 * S)
    came = [reading for reading in out if reading is not None]
    assert 0 < len(came) < len(out)
    assert passed(desk, "odometry", 20 * S) == came[-1]


@pytest.mark.parametrize("kind", FAULTS)
def test_what_is_measured_comes_before_what_gets_through_and_that_before_what_is_kept(kind):
    places = ["offset", "bias", "drain", "noise", "deny", "dropout", "freeze", "limit"]
    assert list(FAULTS[kind]) == sorted(FAULTS[kind], key=places.index)


def test_the_readme_has_every_fault_of_every_kind_in_its_order():
    text = (ROOT / "bridge" / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| ((?:`\w+`(?:, )?)+) \|$", text, re.MULTILINE))
    assert {kind: tuple(re.findall(r"\w+", row)) for kind, row in rows.items()} == FAULTS


def test_a_frozen_battery_tells_the_charge_of_before_and_drains_on(desk):
    desk.change("battery", "drain", {"to_pct": 0.0, "duration_s": 10.0}, 0)
    assert passed(desk, "battery", 2 * S).percentage == pytest.approx(0.8)
    desk.change("battery", "freeze", {}, 2 * S)
    assert passed(desk, "battery", 5 * S).percentage == pytest.approx(0.8)
    desk.change("battery", "freeze", None, 5 * S)
    assert passed(desk, "battery", 6 * S).percentage == pytest.approx(0.4)


CHANGES = st.sampled_from([("noise", {"linear_mps": 1.0}), ("dropout", {"probability": 0.5})])
STEPS = st.one_of(
    st.just("reading"),
    st.tuples(CHANGES | st.just(("freeze", {})), st.booleans(), st.sampled_from("ab")),
)


@given(st.lists(STEPS, max_size=40))
def test_a_route_does_what_its_injectors_do_one_after_the_other(steps):
    spec = next(s for s in SPECS if s.name == "odometry")
    route = faulty_route(spec, seed=3, vehicle="ugv1")
    injectors = faulty_route(spec, seed=3, vehicle="ugv1")._injectors
    through = {injector.name: [None] for injector in injectors}  # everything, always
    active = {}
    for number, step in enumerate(steps):
        if step != "reading":
            (name, parameters), lifted, holder = step
            whole = None if lifted else checked("odometry", name, parameters)
            route.set_fault(name, whole, holder=holder)
            active.setdefault(name, {}).pop(holder, None)
            if whole is not None:
                active[name][holder] = whole
            continue
        reading = expected = SPOTS["odometry"](number * S)
        for injector in injectors:
            held = dict(sorted(active.get(injector.name, {}).items()))
            if held:
                last = through[injector.name][-1]
                expected = injector.apply(expected, last, number * S, held)
            if expected is None:
                break
            through[injector.name].append(expected)
        assert route.pass_through(reading, number * S) == expected


@pytest.mark.parametrize(
    ("route", "fault", "parameters", "code", "said"),
    [
        ("radar", "dropout", {}, "unknown_route", "no route 'radar' (known: lidar, imu, gps"),
        (None, "dropout", {}, "unknown_route", "no route None"),
        ("lidar", "deny", {}, "unknown_fault", "lidar takes no fault 'deny' (has: noise, dropout"),
        ("imu", 3, {}, "unknown_fault", "imu takes no fault 3"),
        ("imu", "drain", {}, "unknown_fault", "imu takes no fault 'drain' (has: bias, noise"),
        *[
            (*each[:3], "bad_request", f"{each[0]} {each[1]}: {each[3]}")
            for each in (
                (
                    "imu",
                    "bias",
                    {"gyro": [0, 0, 0]},
                    "gyro is no parameter of it (known: gyro_radps, accel_mps2)",
                ),
                ("gps", "deny", {"x": 1}, "x is no parameter of it (known: none)"),
                ("gps", "deny", [], "must be a map of parameters (got [])"),
                (
                    "imu",
                    "bias",
                    {"gyro_radps": [0, 0]},
                    "gyro_radps must have three numbers (got [0, 0])",
                ),
                (
                    "imu",
                    "bias",
                    {"gyro_radps": [0, 0, "fast"]},
                    "gyro_radps[2] must be a number (got 'fast')",
                ),
                (
                    "imu",
                    "noise",
                    {"range_m": 0.1},
                    "range_m is no parameter of it (known: gyro_radps, accel_mps2)",
                ),
                (
                    "lidar",
                    "noise",
                    {"range_m": -1},
                    "range_m must be at least 0 (got -1)",
                ),
                (
                    "lidar",
                    "dropout",
                    {"probability": 1.5},
                    "probability must be at most 1 (got 1.5)",
                ),
                (
                    "lidar",
                    "dropout",
                    {"probability": True},
                    "probability must be a number (got True)",
                ),
                (
                    "lidar",
                    "dropout",
                    {"probability": "0.5"},
                    "probability must be a number (got '0.5')",
                ),
                ("battery", "drain", {"to_pct": 5}, "duration_s is missing"),
                (
                    "battery",
                    "drain",
                    {"to_pct": -1, "duration_s": 0},
                    "to_pct must be at least 0 (got -1); duration_s must be greater than 0 (got 0)",
                ),
                (
                    "gps",
                    "offset",
                    {"east_m": math.nan},
                    "east_m must be a finite number (got nan)",
                ),
                ("command", "limit", {}, "needs max_linear_mps, max_angular_radps or both"),
                (
                    "command",
                    "limit",
                    {"max_linear_mps": -0.1},
                    "max_linear_mps must be at least 0 (got -0.1)",
                ),
            )
        ],
    ],
)
def test_a_fault_that_cannot_be_set_is_refused(desk, *, route, fault, parameters, code, said):
    with pytest.raises(BridgeError) as refused:
        desk.change(route, fault, parameters, 0)
    assert refused.value.code == code
    assert said in refused.value.message
    assert all(not each.active for each in desk.routes.values())


def test_nobody_lifts_what_another_holds(desk):
    desk.change("gps", "deny", {}, 0, "one")
    for holder in ("other", ""):
        with pytest.raises(
            BridgeError, match=r"gps has no deny that (other|no name) could lift"
        ) as no:
            desk.change("gps", "deny", None, 0, holder)
        assert no.value.code == "not_held"
    assert math.isnan(passed(desk, "gps", S).altitude_m)
    with pytest.raises(BridgeError, match="holder must be a text"):
        desk.change("gps", "deny", {}, 0, 3)


def test_a_vehicle_without_a_battery_has_no_charge(manifest_data):
    del manifest_data["power"]
    with pytest.raises(BridgeError, match="no battery"):
        make_desk(manifest_data).charge_pct(0)
