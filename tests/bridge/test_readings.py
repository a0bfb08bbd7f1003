import itertools
import struct

from hypothesis import given
from hypothesis import strategies as st

from fieldproof_bridge._readings import (
    battery_level,
    due_times,
    fix,
    inertial,
    joints,
    scan,
    wheel_odometry,
)

HEAD = {"seq": 7, "time_ns": 1_250_000_000}


def test_a_scan_keeps_its_bytes_and_angles():
    ranges = struct.pack("<3f", 1.0, float("inf"), 2.5)
    reading = scan(
        HEAD
        | {
            "ranges": ranges,
            "angle_min": -1.0,
            "angle_increment": 1.0,
            "range_min": 0.1,
            "range_max": 12.0,
        }
    )
    assert reading.ranges is ranges
    assert reading.stamp_ns == 1_250_000_000
    assert (reading.angle_min_rad, reading.angle_increment_rad) == (-1.0, 1.0)
    assert (reading.range_min_m, reading.range_max_m) == (0.1, 12.0)


def test_an_imu_frame_is_read_axis_by_axis():
    frame = HEAD | {"qx": 0.1, "qy": 0.2, "qz": 0.3, "qw": 0.9}
    frame |= {"gx": 1.0, "gy": 2.0, "gz": 3.0, "ax": 4.0, "ay": 5.0, "az": 9.8}
    reading = inertial(frame)
    assert reading.orientation == (0.1, 0.2, 0.3, 0.9)
    assert reading.angular_velocity == (1.0, 2.0, 3.0)
    assert reading.linear_acceleration == (4.0, 5.0, 9.8)


def test_a_simulated_receiver_has_a_fix():
    reading = fix(HEAD | {"latitude_deg": 48.1, "longitude_deg": 11.5, "altitude_m": 520.0})
    assert (reading.latitude_deg, reading.longitude_deg, reading.altitude_m) == (48.1, 11.5, 520.0)
    assert reading.status == 0
    assert reading.covariance_known


def test_odometry_and_joints_are_read_as_they_come():
    reading = wheel_odometry(HEAD | {"x": 1.0, "y": 2.0, "yaw": 0.5, "v_mps": 0.3, "w_radps": 0.1})
    assert (reading.x_m, reading.y_m, reading.yaw_rad) == (1.0, 2.0, 0.5)
    assert (reading.linear_mps, reading.angular_radps) == (0.3, 0.1)
    state = joints(HEAD | {"names": ["l", "r"], "positions": [1.0, 2.0], "velocities": [3.0, 4.0]})
    assert state.names == ("l", "r")
    assert state.positions == (1.0, 2.0)
    assert state.velocities == (3.0, 4.0)


def test_the_battery_reports_the_figures_of_the_manifest(manifest):
    reading = battery_level(manifest.power.battery, 3_000_000_000)
    assert reading.stamp_ns == 3_000_000_000
    assert reading.percentage == 1.0
    assert reading.voltage_v == 25.2
    assert reading.charge_ah == 20.0


@given(
    cuts=st.lists(st.integers(0, 10_000_000_000), max_size=20),
    rate_hz=st.sampled_from([0.5, 1.0, 5.0, 10.0, 100.0]),
)
def test_what_is_due_does_not_depend_on_how_time_is_cut(cuts, rate_hz):
    end = 10_000_000_000
    pieces = [0, *sorted(cuts), end]
    parts = [t for a, b in itertools.pairwise(pieces) for t in due_times(a, b, rate_hz)]
    assert parts == due_times(0, end, rate_hz)
    assert len(parts) == round(10 * rate_hz)
    assert 0 not in parts
