import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldproof_bridge import camera_info
from fieldproof_bridge._conventions import (
    COVARIANCE_DIAGONAL,
    COVARIANCE_UNKNOWN,
    NOT_MEASURED,
    UNKNOWN,
    ImuCovariances,
    battery_voltage,
    fix_covariance,
)


def test_imu_covariances_are_the_squares_of_the_noise_on_the_diagonal():
    noise = {
        "orientation_stddev_rad": 0.1,
        "gyro_stddev_radps": 0.2,
        "accel_stddev_mps2": 0.5,
    }
    covariances = ImuCovariances.from_noise(noise)
    assert covariances.orientation[::4] == pytest.approx((0.01, 0.01, 0.01))
    assert covariances.angular_velocity[::4] == pytest.approx((0.04, 0.04, 0.04))
    assert covariances.linear_acceleration == (0.25, 0, 0, 0, 0.25, 0, 0, 0, 0.25)


def test_an_imu_without_orientation_noise_gives_no_orientation():
    assert ImuCovariances.from_noise({}).orientation == NOT_MEASURED
    assert NOT_MEASURED[0] == -1.0


def test_rates_and_accelerations_of_unknown_noise_have_covariances_of_zeros():
    covariances = ImuCovariances.from_noise({"orientation_stddev_rad": 0.1})
    assert covariances.angular_velocity == UNKNOWN
    assert covariances.linear_acceleration == UNKNOWN


@pytest.mark.parametrize(
    ("noise", "expected"),
    [
        (
            {"horizontal_stddev_m": 0.5, "vertical_stddev_m": 2.0},
            ((0.25, 0, 0, 0, 0.25, 0, 0, 0, 4.0), COVARIANCE_DIAGONAL),
        ),
        ({"horizontal_stddev_m": 0.5}, (UNKNOWN, COVARIANCE_UNKNOWN)),
        ({}, (UNKNOWN, COVARIANCE_UNKNOWN)),
    ],
    ids=["known", "half known", "unknown"],
)
def test_a_fix_covariance_is_known_only_with_both_of_its_noises(noise, expected):
    assert fix_covariance(noise) == expected


def test_a_battery_lies_on_the_line_between_empty_and_full():
    assert battery_voltage(0.0, empty_v=21.0, full_v=25.0) == 21.0
    assert battery_voltage(0.5, empty_v=21.0, full_v=25.0) == 23.0
    assert battery_voltage(1.0, empty_v=21.0, full_v=25.0) == 25.0


@given(
    width=st.integers(1, 4000),
    height=st.integers(1, 4000),
    fov=st.floats(0.1, 3.0),
)
def test_the_edges_of_an_image_lie_at_half_the_field_of_view(width, height, fov):
    info = camera_info(width=width, height=height, horizontal_fov_rad=fov)
    fx, _, cx, _, fy, cy, _, _, one = info.k
    right_edge = width - 0.5  # half a pixel past the centre of the last column
    assert math.atan((right_edge - cx) / fx) == pytest.approx(fov / 2)
    assert (fx, one) == (fy, 1.0)
    assert cy == (height - 1) / 2


def test_camera_matrices_follow_the_message_definition():
    info = camera_info(width=640, height=480, horizontal_fov_rad=math.pi / 2, baseline_m=0.1)
    assert (info.width, info.height, info.distortion_model) == (640, 480, "plumb_bob")
    assert len(info.d) == 5
    assert len(info.k) == len(info.r) == 9
    assert len(info.p) == 12
    assert info.k[0] == pytest.approx(320.0)
    assert info.r == (1, 0, 0, 0, 1, 0, 0, 0, 1)
    assert info.p[3] == pytest.approx(-32.0)
    assert info.p[8:] == (0, 0, 1, 0)


@pytest.mark.parametrize(
    "wrong", [{"width": 0}, {"height": 0}, {"horizontal_fov_rad": 0.0}, {"horizontal_fov_rad": 3.2}]
)
def test_an_impossible_camera_is_refused(wrong):
    with pytest.raises(ValueError, match="must"):
        camera_info(**{"width": 4, "height": 3, "horizontal_fov_rad": 1.0} | wrong)
