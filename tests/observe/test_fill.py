import pytest

pytest.importorskip("rclpy", reason="not proved without ROS messages: that data becomes messages")

from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseArray, PoseStamped
from sensor_msgs.msg import BatteryState, Imu, NavSatFix
from std_msgs.msg import Bool, String, UInt8MultiArray

from fieldproof.observe._fill import FillError, filled

pytestmark = pytest.mark.ros


def test_fields_that_are_named_are_set_and_others_keep_their_defaults():
    message = filled(
        PoseStamped(),
        {"header": {"frame_id": "map", "stamp": {"sec": 3}}, "pose": {"position": {"x": 1}}},
    )
    assert (message.header.frame_id, message.header.stamp.sec) == ("map", 3)
    assert (message.pose.position.x, message.pose.orientation.w) == (1.0, 1.0)
    assert isinstance(message.pose.position.x, float)


def test_sequences_and_arrays_hold_their_items():
    poses = filled(PoseArray(), {"poses": [{"position": {"x": 1.0}}, {}]}).poses
    assert [pose.position.x for pose in poses] == [1.0, 0.0]
    covariance = list(map(float, range(9)))
    assert list(filled(Imu(), {"orientation_covariance": covariance}).orientation_covariance) == (
        covariance
    )
    assert list(filled(UInt8MultiArray(), {"data": [1, 255]}).data) == [1, 255]


@pytest.mark.parametrize(
    ("message", "fields", "said"),
    [
        (String, {"text": "a"}, "no field text (there are data)"),
        (String, {"data": 3}, "data must be a text (got 3)"),
        (Bool, {"data": 1}, "data must be true or false (got 1)"),
        (Time, {"sec": 2**31}, "sec must be from -2147483648 to 2147483647"),
        (Time, {"nanosec": -1}, "nanosec must be from 0 to"),
        (Time, {"sec": 1.0}, "sec must be a whole number (got 1.0)"),
        (Time, {"sec": True}, "sec must be a whole number (got True)"),
        (NavSatFix, {"latitude": "north"}, "latitude must be a number"),
        (NavSatFix, {"status": {"status": 300}}, "status.status must be from -128 to 127"),
        (NavSatFix, {"status": 3}, "status must be a mapping of NavSatStatus's fields"),
        (
            Imu,
            {"orientation_covariance": [0.0]},
            "orientation_covariance must have 9 items (got 1)",
        ),
        (PoseArray, {"poses": {}}, "poses must be a list"),
        (PoseArray, {"poses": [{}, {"p": 1}]}, "no field poses[1].p"),
        (BatteryState, {"cell_voltage": [1.0, None]}, "cell_voltage[1] must be a number"),
    ],
)
def test_data_that_does_not_fit_is_refused_with_its_path(message, fields, said):
    with pytest.raises(FillError) as refused:
        filled(message(), fields)
    assert said in str(refused.value)
