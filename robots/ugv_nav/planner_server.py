"""Keeps a costmap of what the lidar sees and publishes the path to the active goal."""

from __future__ import annotations

import array

from geometry_msgs.msg import PoseArray, TransformStamped
from nav_msgs.msg import OccupancyGrid, Odometry, Path
from rclpy.node import Node
from sensor_msgs.msg import LaserScan
from tf2_msgs.msg import TFMessage

from ugv_nav._frames import StaticFrames
from ugv_nav._geometry import Pose2, advance
from ugv_nav._goal import Motion
from ugv_nav._grid import RollingGrid
from ugv_nav._inflation import Inflation, measure_distances, shade_cells
from ugv_nav._main import run_node
from ugv_nav._messages import (
    NANO,
    note_transforms,
    read_motion,
    read_pose,
    read_scan,
    stamp_of,
    to_stamp,
    write_path,
)
from ugv_nav._parameters import read_number, read_period_ns
from ugv_nav._planning import PathKeeper, PlanningSettings
from ugv_nav._ticked import LATCHED, LATEST, Inbox, Origin, Ticked

BASE, MAP, ODOM = "base_link", "map", "odom"


class PlannerServer:
    """The planner's behaviour: scan and odometry in, `plan` and `costmap` out.

    The vehicle localises by odometry alone: `map` is where it was switched on, and the node
    publishes the identity from `map` to `odom` as a static transform. What the wheels slip adds
    to the error of the pose; nothing here corrects it.
    """

    def __init__(self, node: Node) -> None:
        inflation = Inflation(
            lethal_m=read_number(node, "lethal_radius_m", 0.45),
            radius_m=read_number(node, "inflation_radius_m", 0.9),
            weight=read_number(node, "inflation_weight", 4.0),
        )
        if inflation.radius_m <= inflation.lethal_m:
            raise ValueError("inflation_radius_m must be above lethal_radius_m")
        self._inflation = inflation
        self._grid = RollingGrid(
            resolution_m=read_number(node, "resolution_m", 0.1),
            window_m=read_number(node, "window_m", 20.0),
        )
        self._mark_range_m = read_number(node, "obstacle_range_m", 8.0)
        self._plan_every_ns = round(read_number(node, "plan_period_s", 0.5) * NANO)
        self._costmap_every_ns = round(read_number(node, "costmap_period_s", 1.0) * NANO)
        self._goal_timeout_ns = round(read_number(node, "goal_timeout_s", 1.0) * NANO)
        self._keeper = PathKeeper(PlanningSettings(inflation=inflation))
        self._frames = StaticFrames()
        self._motion: Motion | None = None
        self._motion_ns = 0
        self._goal: Pose2 | None = None
        self._goal_ns = 0
        self._next_plan_ns = 0
        self._next_costmap_ns = 0
        self._ticked = Ticked(node, period_ns=read_period_ns(node, 0.1))
        self._ticked.subscribe("scan", LaserScan, origin=Origin.SENSOR, qos=LATEST)
        self._ticked.subscribe("odom", Odometry, origin=Origin.SENSOR, qos=LATEST)
        # Two publishers: the bridge or driver with the sensors' mounts, and this node.
        self._ticked.subscribe(
            "tf_static", TFMessage, origin=Origin.SENSOR, publishers=2, qos=LATCHED
        )
        self._ticked.subscribe("active_goal", PoseArray, origin=Origin.PEER)
        self._plan = self._ticked.advertise("plan", Path, subscribers=2)
        self._costmap = self._ticked.advertise("costmap", OccupancyGrid)
        self._transforms = self._ticked.advertise(
            "tf_static", TFMessage, subscribers=3, qos=LATCHED
        )
        self._transforms.publish(TFMessage(transforms=[_identity(MAP, ODOM)]))

    def run(self) -> None:
        """Follow the clock until shut down."""
        self._ticked.run(self._act)

    def _act(self, now_ns: int, inbox: Inbox) -> None:
        note_transforms(self._frames, inbox.all("tf_static"))
        odometry = inbox.newest("odom")
        if odometry is not None:
            self._motion = read_motion(odometry)
            self._motion_ns = stamp_of(odometry)
        self._note_goal(now_ns, inbox)
        scan = inbox.newest("scan")
        has_news = scan is not None and self._see(scan)
        self._plan_if_due(now_ns, has_news=has_news)
        if now_ns >= self._next_costmap_ns:
            self._next_costmap_ns = now_ns + self._costmap_every_ns
            self._costmap.publish(self._draw(now_ns))

    def _note_goal(self, now_ns: int, inbox: Inbox) -> None:
        """Take over the navigator's goal; one that is no longer repeated is dropped."""
        message = inbox.newest("active_goal")
        had_goal = self._goal is not None
        if message is not None:
            goal = read_pose(message.poses[0]) if message.poses else None
            if goal != self._goal:
                self._next_plan_ns = now_ns
            self._goal, self._goal_ns = goal, stamp_of(message)
        elif now_ns - self._goal_ns > self._goal_timeout_ns:
            self._goal = None
        if had_goal and self._goal is None:
            self._keeper.forget()
            self._plan.publish(write_path(None, 0.0, MAP, now_ns))

    def _pose_at(self, time_ns: int) -> Pose2 | None:
        """Return the vehicle in the map frame, moved from the newest odometry to a time."""
        if self._motion is None:
            return None
        seconds = (time_ns - self._motion_ns) / NANO
        return advance(
            self._motion.pose, self._motion.linear_mps, self._motion.angular_radps, seconds
        )

    def _see(self, message: LaserScan) -> bool:
        """Take a scan into the costmap; return whether anything changed."""
        mount = self._frames.find(BASE, message.header.frame_id)
        scan = read_scan(message)
        pose = self._pose_at(scan.stamp_ns)
        if mount is None or pose is None:
            return False
        self._grid.recentre(pose.x_m, pose.y_m)
        return self._grid.update(
            scan, pose.compose(mount.planar()), mark_range_m=self._mark_range_m
        )

    def _plan_if_due(self, now_ns: int, *, has_news: bool) -> None:
        pose = self._pose_at(now_ns)
        if self._goal is None or pose is None:
            return
        is_due = now_ns >= self._next_plan_ns
        if not is_due and not has_news:
            return
        is_new = self._keeper.refresh(self._grid, pose, self._goal, review=is_due)
        if is_due or is_new:
            self._next_plan_ns = now_ns + self._plan_every_ns
            self._plan.publish(write_path(self._keeper.path, self._goal.yaw_rad, MAP, now_ns))

    def _draw(self, now_ns: int) -> OccupancyGrid:
        grid = self._grid
        message = OccupancyGrid()
        message.header.frame_id = MAP
        message.header.stamp = message.info.map_load_time = to_stamp(now_ns)
        message.info.resolution = grid.resolution_m
        message.info.width = message.info.height = grid.cells
        message.info.origin.position.x, message.info.origin.position.y = grid.origin_m
        distances_m = measure_distances(grid.occupied, grid.resolution_m, self._inflation.radius_m)
        shades = shade_cells(distances_m, self._inflation)
        message.data = array.array("b", shades.tobytes())
        return message


def _identity(parent: str, child: str) -> TransformStamped:
    transform = TransformStamped(child_frame_id=child)
    transform.header.frame_id = parent
    transform.transform.rotation.w = 1.0
    return transform


def main() -> None:
    """Run the node `planner_server`."""
    run_node(lambda: Node("planner_server"), PlannerServer)


if __name__ == "__main__":
    main()
