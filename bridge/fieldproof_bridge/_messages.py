"""Readings as ROS messages.

Each class owns one message and fills it again for every reading: building messages afresh costs
several times as much. A filled message is valid until the next ``fill``.
"""

from __future__ import annotations

import math
import sys
from array import array
from typing import TYPE_CHECKING, Any, Final, Protocol

from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped, Twist, TwistStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import BatteryState, Imu, JointState, LaserScan, NavSatFix
from tf2_msgs.msg import TFMessage

from fieldproof_bridge._conventions import (
    COVARIANCE_UNKNOWN,
    NOT_MEASURED,
    SERVICE_GPS,
    UNKNOWN,
    ImuCovariances,
    fix_covariance,
)
from fieldproof_bridge._readings import VelocityCommand

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fieldproof_bridge._contract import RouteSpec
    from fieldproof_bridge._manifest import Diagonal
    from fieldproof_bridge._readings import (
        BatteryLevel,
        Fix,
        Inertial,
        Joints,
        Scan,
        WheelOdometry,
    )
    from fieldproof_bridge._urdf import FixedTransform

_S: Final = 1_000_000_000


class MessageBuilder(Protocol):
    """Turns readings of one route into messages of its type."""

    def fill(self, reading: Any) -> Any:
        """The message with the reading's values, the same object each time."""


def set_stamp(stamp: Time, time_ns: int) -> None:
    """Write simulation time into a builtin_interfaces/msg/Time."""
    stamp.sec, stamp.nanosec = divmod(time_ns, _S)


class ScanBuilder:
    """sensor_msgs/msg/LaserScan: all rays of a turn are taken at the stamp."""

    def __init__(self, spec: RouteSpec) -> None:
        self._message = LaserScan()
        self._message.header.frame_id = spec.frame_id
        self._message.time_increment = 0.0
        self._message.scan_time = 1.0 / spec.rate_hz if spec.rate_hz else 0.0

    def fill(self, reading: Scan) -> LaserScan:
        message = self._message
        set_stamp(message.header.stamp, reading.stamp_ns)
        ranges = array("f", reading.ranges)
        if sys.byteorder == "big":
            ranges.byteswap()
        message.ranges = ranges
        message.angle_min = reading.angle_min_rad
        message.angle_increment = reading.angle_increment_rad
        message.angle_max = (
            reading.angle_min_rad + max(len(ranges) - 1, 0) * reading.angle_increment_rad
        )
        message.range_min = reading.range_min_m
        message.range_max = reading.range_max_m
        return message


class ImuBuilder:
    """sensor_msgs/msg/Imu with the covariances of the manifest's noise."""

    def __init__(self, spec: RouteSpec) -> None:
        source: Any = spec.source
        covariances = ImuCovariances.from_noise(source.noise)
        self._message = Imu()
        self._message.header.frame_id = spec.frame_id
        self._message.orientation_covariance = covariances.orientation
        self._message.angular_velocity_covariance = covariances.angular_velocity
        self._message.linear_acceleration_covariance = covariances.linear_acceleration
        self._orientation = covariances.orientation != NOT_MEASURED

    def fill(self, reading: Inertial) -> Imu:
        message = self._message
        set_stamp(message.header.stamp, reading.stamp_ns)
        if self._orientation:
            q = message.orientation
            q.x, q.y, q.z, q.w = reading.orientation
        v = message.angular_velocity
        v.x, v.y, v.z = reading.angular_velocity
        v = message.linear_acceleration
        v.x, v.y, v.z = reading.linear_acceleration
        return message


class FixBuilder:
    """sensor_msgs/msg/NavSatFix with the covariance of the manifest's noise."""

    def __init__(self, spec: RouteSpec) -> None:
        source: Any = spec.source
        self._message = NavSatFix()
        self._message.header.frame_id = spec.frame_id
        self._message.status.service = SERVICE_GPS
        self._covariance, self._covariance_type = fix_covariance(source.noise)

    def fill(self, reading: Fix) -> NavSatFix:
        message = self._message
        set_stamp(message.header.stamp, reading.stamp_ns)
        message.status.status = reading.status
        message.latitude = reading.latitude_deg
        message.longitude = reading.longitude_deg
        message.altitude = reading.altitude_m
        known = reading.covariance_known
        message.position_covariance = self._covariance if known else UNKNOWN
        message.position_covariance_type = self._covariance_type if known else COVARIANCE_UNKNOWN
        return message


class OdometryBuilder:
    """nav_msgs/msg/Odometry of a planar drive, covariances diagonal."""

    def __init__(self, spec: RouteSpec) -> None:
        source: Any = spec.source
        self._message = Odometry()
        self._message.header.frame_id = spec.frame_id
        self._message.child_frame_id = source.child_frame_id
        self._message.pose.covariance = _covariance6(source.pose_covariance_diagonal)
        self._message.twist.covariance = _covariance6(source.twist_covariance_diagonal)

    def fill(self, reading: WheelOdometry) -> Odometry:
        message = self._message
        set_stamp(message.header.stamp, reading.stamp_ns)
        pose = message.pose.pose
        pose.position.x = reading.x_m
        pose.position.y = reading.y_m
        pose.orientation.z = math.sin(reading.yaw_rad / 2.0)
        pose.orientation.w = math.cos(reading.yaw_rad / 2.0)
        twist = message.twist.twist
        twist.linear.x = reading.linear_mps
        twist.angular.z = reading.angular_radps
        return message


class OdometryTransformBuilder:
    """tf2_msgs/msg/TFMessage with the odometry's pose as a transform."""

    def __init__(self, spec: RouteSpec) -> None:
        source: Any = spec.source
        self._transform = TransformStamped()
        self._transform.header.frame_id = spec.frame_id
        self._transform.child_frame_id = source.child_frame_id
        self._message = TFMessage(transforms=[self._transform])

    def fill(self, reading: WheelOdometry) -> TFMessage:
        set_stamp(self._transform.header.stamp, reading.stamp_ns)
        transform = self._transform.transform
        transform.translation.x = reading.x_m
        transform.translation.y = reading.y_m
        transform.rotation.z = math.sin(reading.yaw_rad / 2.0)
        transform.rotation.w = math.cos(reading.yaw_rad / 2.0)
        return self._message


class JointsBuilder:
    """sensor_msgs/msg/JointState; efforts are not measured and stay empty."""

    def __init__(self, spec: RouteSpec) -> None:
        self._message = JointState()
        self._message.header.frame_id = spec.frame_id
        self._names: tuple[str, ...] = ()

    def fill(self, reading: Joints) -> JointState:
        message = self._message
        set_stamp(message.header.stamp, reading.stamp_ns)
        if reading.names != self._names:
            self._names = reading.names
            message.name = list(reading.names)
        message.position = array("d", reading.positions)
        message.velocity = array("d", reading.velocities)
        return message


class BatteryBuilder:
    """sensor_msgs/msg/BatteryState; what the battery does not measure is NaN."""

    def __init__(self, spec: RouteSpec) -> None:
        source: Any = spec.source
        self._message = BatteryState()
        self._message.header.frame_id = spec.frame_id
        self._message.temperature = math.nan
        self._message.current = math.nan
        self._message.capacity = math.nan
        self._message.design_capacity = source.capacity_ah
        self._message.present = True

    def fill(self, reading: BatteryLevel) -> BatteryState:
        message = self._message
        set_stamp(message.header.stamp, reading.stamp_ns)
        message.voltage = reading.voltage_v
        message.charge = reading.charge_ah
        message.percentage = reading.percentage
        message.power_supply_status = reading.status
        return message


BUILDERS: Final[dict[str, Callable[[RouteSpec], MessageBuilder]]] = {
    "lidar": ScanBuilder,
    "imu": ImuBuilder,
    "gnss": FixBuilder,
    "odometry": OdometryBuilder,
    "joint_states": JointsBuilder,
    "battery": BatteryBuilder,
}
MESSAGE_TYPES: Final[dict[str, type[Any]]] = {
    "sensor_msgs/msg/LaserScan": LaserScan,
    "sensor_msgs/msg/Imu": Imu,
    "sensor_msgs/msg/NavSatFix": NavSatFix,
    "sensor_msgs/msg/JointState": JointState,
    "sensor_msgs/msg/BatteryState": BatteryState,
    "nav_msgs/msg/Odometry": Odometry,
    "geometry_msgs/msg/Twist": Twist,
    "geometry_msgs/msg/TwistStamped": TwistStamped,
    "tf2_msgs/msg/TFMessage": TFMessage,
}


def velocity_command(message: Twist | TwistStamped, time_ns: int) -> VelocityCommand:
    """The planar part of a velocity command, stamped with the time at which it was taken."""
    twist = message.twist if isinstance(message, TwistStamped) else message
    return VelocityCommand(time_ns, twist.linear.x, twist.angular.z)


def set_velocity(message: Twist | TwistStamped, command: VelocityCommand) -> None:
    """Write a command into a message of the command's type, stamped when it was taken."""
    if isinstance(message, TwistStamped):
        set_stamp(message.header.stamp, command.stamp_ns)
        twist = message.twist
    else:
        twist = message
    twist.linear.x, twist.angular.z = command.linear_mps, command.angular_radps


def static_transforms(fixed: Sequence[FixedTransform]) -> TFMessage:
    """One transform for each fixed joint, stamped 0: valid at every time."""
    transforms = []
    for joint in fixed:
        stamped = TransformStamped()
        stamped.header.frame_id = joint.parent
        stamped.child_frame_id = joint.child
        t, r = stamped.transform.translation, stamped.transform.rotation
        t.x, t.y, t.z = joint.translation
        r.x, r.y, r.z, r.w = joint.rotation
        transforms.append(stamped)
    return TFMessage(transforms=transforms)


def _covariance6(diagonal: Diagonal) -> list[float]:
    matrix = [0.0] * 36
    matrix[::7] = diagonal
    return matrix
