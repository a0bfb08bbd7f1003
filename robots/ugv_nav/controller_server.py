"""Follows the plan with velocity commands and keeps clear of what the lidar sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry, Path
from rclpy.node import Node
from sensor_msgs.msg import LaserScan
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage

from ugv_nav._clearance import Footprint
from ugv_nav._control import Command, Controller, ControlSettings, Situation
from ugv_nav._frames import StaticFrames
from ugv_nav._geometry import Pose2, advance
from ugv_nav._main import run_node
from ugv_nav._messages import (
    NANO,
    note_transforms,
    read_motion,
    read_path,
    read_scan,
    stamp_of,
)
from ugv_nav._parameters import read_number, read_period_ns
from ugv_nav._pursuit import SpeedLimits
from ugv_nav._ticked import LATCHED, LATEST, Inbox, Origin, Ticked
from ugv_nav.link_monitor import LINK_LOST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ugv_nav._goal import Motion
    from ugv_nav._scan import Scan

BASE, MAP, ODOM = "base_link", "map", "odom"
_LOOK_M = 3.0


class ControllerServer:
    """The controller's behaviour: plan, odometry and scan in, `cmd_vel` out at each period.

    It brakes when the plan, the odometry or the scan is old, when there is no plan, and while
    the ground link is lost.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        period_ns = read_period_ns(node, 0.05)
        settings = ControlSettings(
            footprint=Footprint(
                front_m=read_number(node, "footprint_front_m", 0.30),
                rear_m=read_number(node, "footprint_rear_m", 0.30),
                half_width_m=read_number(node, "footprint_half_width_m", 0.25),
            ),
            limits=SpeedLimits(
                linear_mps=read_number(node, "max_linear_mps", 0.8),
                angular_radps=read_number(node, "max_angular_radps", 1.2),
                linear_mps2=read_number(node, "max_linear_mps2", 0.8),
                angular_radps2=read_number(node, "max_angular_radps2", 2.5),
            ),
            margin_m=read_number(node, "margin_m", 0.12),
        )
        self._plan_timeout_ns = round(read_number(node, "plan_timeout_s", 2.0) * NANO)
        self._scan_timeout_ns = round(read_number(node, "scan_timeout_s", 0.5) * NANO)
        self._odom_timeout_ns = round(read_number(node, "odom_timeout_s", 0.3) * NANO)
        self._controller = Controller(settings, period_ns / NANO)
        self._frames = StaticFrames()
        self._motion: Motion | None = None
        self._motion_ns = 0
        self._scan: Scan | None = None
        self._points_m: NDArray[np.float64] | None = None
        self._path: tuple[NDArray[np.float64], float] | None = None
        self._path_ns = 0
        self._is_link_lost = False
        self._reason = ""
        self._ticked = Ticked(node, period_ns=period_ns)
        self._ticked.subscribe("scan", LaserScan, origin=Origin.SENSOR, qos=LATEST)
        self._ticked.subscribe("odom", Odometry, origin=Origin.SENSOR, qos=LATEST)
        self._ticked.subscribe(
            "tf_static", TFMessage, origin=Origin.SENSOR, publishers=2, qos=LATCHED
        )
        self._ticked.subscribe("plan", Path, origin=Origin.PEER)
        self._ticked.subscribe("link_status", Header, origin=Origin.PEER)
        self._command = self._ticked.advertise("cmd_vel", Twist, subscribers=1)

    def run(self) -> None:
        """Follow the clock until shut down."""
        self._ticked.run(self._act)

    def _act(self, now_ns: int, inbox: Inbox) -> None:
        self._take_in(inbox)
        situation, reason = self._assess(now_ns)
        if reason != self._reason:
            self._reason = reason
            self._node.get_logger().info(f"standing: {reason}" if reason else "driving")
        if situation is None:
            command = self._controller.stop()
        else:
            command = self._controller.follow(situation)
        self._command.publish(_twist(command))

    def _take_in(self, inbox: Inbox) -> None:
        note_transforms(self._frames, inbox.all("tf_static"))
        if (odometry := inbox.newest("odom")) is not None:
            self._motion, self._motion_ns = read_motion(odometry), stamp_of(odometry)
        if (scan := inbox.newest("scan")) is not None:
            mount = self._frames.find(BASE, scan.header.frame_id)
            if mount is not None:
                self._scan = read_scan(scan)
                self._points_m = self._scan.points(mount, _LOOK_M)
        if (plan := inbox.newest("plan")) is not None:
            self._path, self._path_ns = read_path(plan), stamp_of(plan)
        if (status := inbox.newest("link_status")) is not None:
            self._is_link_lost = status.frame_id == LINK_LOST

    def _find_hindrance(self, now_ns: int) -> str:
        """Return why the vehicle must not drive, empty if it may."""
        scan_ns = self._scan.stamp_ns if self._scan is not None else -self._scan_timeout_ns
        hindrances = (
            (self._is_link_lost, "the ground link is lost"),
            (self._path is None, "no plan"),
            (now_ns - self._path_ns > self._plan_timeout_ns, "the plan is old"),
            (now_ns - self._motion_ns > self._odom_timeout_ns, "no recent odometry"),
            (now_ns - scan_ns > self._scan_timeout_ns, "no recent scan"),
            (self._frames.find(MAP, ODOM) is None, "no transform from map to odom"),
        )
        return next((reason for is_so, reason in hindrances if is_so), "")

    def _assess(self, now_ns: int) -> tuple[Situation | None, str]:
        """Return what the controller works with, or None and the reason why it must stand."""
        reason = self._find_hindrance(now_ns)
        motion, path, scan, points_m = self._motion, self._path, self._scan, self._points_m
        map_from_odom = self._frames.find(MAP, ODOM)
        if (
            reason
            or motion is None
            or path is None
            or scan is None
            or points_m is None
            or map_from_odom is None
        ):
            return None, reason or "no sensor data yet"
        now_pose = _move(motion, now_ns - self._motion_ns)
        seen_from = _move(motion, scan.stamp_ns - self._motion_ns)
        points, goal_yaw_rad = path
        return Situation(
            pose=map_from_odom.planar().compose(now_pose),
            linear_mps=motion.linear_mps,
            angular_radps=motion.angular_radps,
            path=points,
            goal_yaw_rad=goal_yaw_rad,
            points_m=_see_from(now_pose.inverse().compose(seen_from), points_m),
        ), ""


def _move(motion: Motion, time_ns: int) -> Pose2:
    return advance(motion.pose, motion.linear_mps, motion.angular_radps, time_ns / NANO)


def _see_from(frame: Pose2, points_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points given in a frame, shape (n, 2), in that frame's parent."""
    cos_yaw, sin_yaw = np.cos(frame.yaw_rad), np.sin(frame.yaw_rad)
    moved: NDArray[np.float64] = points_m @ np.array(((cos_yaw, sin_yaw), (-sin_yaw, cos_yaw)))
    return moved + np.array((frame.x_m, frame.y_m))


def _twist(command: Command) -> Twist:
    message = Twist()
    message.linear.x = command.linear_mps
    message.angular.z = command.angular_radps
    return message


def main() -> None:
    """Run the node `controller_server`."""
    run_node(lambda: Node("controller_server"), ControllerServer)


if __name__ == "__main__":
    main()
