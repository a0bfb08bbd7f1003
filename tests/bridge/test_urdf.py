import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldproof_bridge import ConfigError
from fieldproof_bridge._urdf import RobotDescription, quaternion

ANGLE = st.floats(-math.pi, math.pi)


def rotate(q, v):
    x, y, z, w = q
    tx, ty, tz = (
        2 * (y * v[2] - z * v[1]),
        2 * (z * v[0] - x * v[2]),
        2 * (x * v[1] - y * v[0]),
    )
    return (
        v[0] + w * tx + y * tz - z * ty,
        v[1] + w * ty + z * tx - x * tz,
        v[2] + w * tz + x * ty - y * tx,
    )


def euler(roll, pitch, yaw, v):
    x, y, z = v
    y, z = y * math.cos(roll) - z * math.sin(roll), y * math.sin(roll) + z * math.cos(roll)
    x, z = x * math.cos(pitch) + z * math.sin(pitch), z * math.cos(pitch) - x * math.sin(pitch)
    x, y = x * math.cos(yaw) - y * math.sin(yaw), x * math.sin(yaw) + y * math.cos(yaw)
    return x, y, z


@given(ANGLE, ANGLE, ANGLE)
def test_a_quaternion_rotates_as_roll_then_pitch_then_yaw_about_fixed_axes(roll, pitch, yaw):
    for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        turned = rotate(quaternion(roll, pitch, yaw), axis)
        assert turned == pytest.approx(euler(roll, pitch, yaw, axis), abs=1e-9)


def test_each_fixed_joint_of_the_reference_vehicle_is_a_transform(description):
    by_child = {joint.child: joint for joint in description.fixed}
    assert {"lidar_link", "imu_link", "gps_link"} <= set(by_child)
    assert by_child["lidar_link"].parent == "base_link"
    assert by_child["lidar_link"].translation == (0.0, 0.0, 0.23)
    assert by_child["lidar_link"].rotation == (0.0, 0.0, 0.0, 1.0)
    assert "left_wheel" not in by_child


def test_a_link_behind_a_moving_joint_does_not_stand_still_in_the_base():
    description = RobotDescription.parse(
        """<robot name="r"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
        <joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>
        <joint name="bc" type="fixed"><parent link="b"/><child link="c"/></joint>
        <joint name="cd" type="revolute"><parent link="c"/><child link="d"/></joint></robot>"""
    )
    assert description.fixed_to("c") == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<robot", "urdf: "),
        ("<sdf/>", "root element must be robot"),
        (
            '<robot><joint name="j" type="fixed"><parent link="a"/></joint></robot>',
            "joint j: child must name a link",
        ),
        (
            (
                '<robot><joint name="j" type="fixed"><parent link="a"/><child link="b"/>'
                '<origin xyz="1 2"/></joint></robot>'
            ),
            "joint j: origin xyz must be three numbers",
        ),
    ],
    ids=["no xml", "no robot", "no child", "two numbers"],
)
def test_a_urdf_that_cannot_be_used_says_why(text, says):
    with pytest.raises(ConfigError, match=says):
        RobotDescription.parse(text)
