"""The ego's motion: a car or ground robot, a drone, a manipulator."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from fieldproof_sim.mock._plane import Point, degrees, height_of, point_of

Action = Mapping[str, Any]
"""What the agent commands; keys that are absent are 0, or hold what is."""

MAX_ACCELERATION_MPS2 = 3.0
MAX_BRAKING_MPS2 = 8.0
WHEELBASE_M = 2.8
MAX_STEERING_RAD = math.radians(35)
ROUTE_REACH_M = 1.0


class EgoModel(Protocol):
    """Something an agent drives.

    Attributes:
        x, y, z: metres, in the scenario's frame.
        yaw: radians, counter-clockwise from x.
        speed: metres a second.
    """

    x: float
    y: float
    z: float
    yaw: float
    speed: float

    def advance(self, action: Action, dt: float) -> None:
        """Move for a step of `dt` seconds."""
        ...

    def state(self) -> dict[str, Any]:
        """Return the ego as frames and observations show it; metres, degrees, seconds."""
        ...

    def robot(self) -> dict[str, Any] | None:
        """Return joints and gripper, None for what has none."""
        ...

    def reach(self) -> tuple[float, float, float]:
        """Return the point that has to get to the goal."""
        ...

    def memory(self) -> dict[str, Any]:
        """Return what else decides its next step."""
        ...


class Route:
    """The points that an ego steers to, one after another."""

    def __init__(self, points: Sequence[Mapping[str, Any]]) -> None:
        self.points = [(*point_of(one), height_of(one)) for one in points]
        self.next = 0

    def target(self, here: Point, reach_m: float) -> tuple[float, float, float | None] | None:
        """Return the next point that is not within reach yet, None after the last."""
        while self.next < len(self.points):
            point = self.points[self.next]
            if math.dist(here, point[:2]) > reach_m:
                return point
            self.next += 1
        return None


class GroundEgo:
    """A car or ground robot.

    Throttle (0 to 1) adds up to 3 m/s2, brake (0 to 1) takes up to 8 m/s2, and the speed is never
    below zero. With a route it heads for the next point; without, or after the last, steer (-1 to
    1, positive to the left) turns it as a bicycle with a wheelbase of 2.8 m and wheels that turn
    by up to 35 degrees. Then it moves along its heading.
    """

    def __init__(self, start: Mapping[str, Any], route: Sequence[Mapping[str, Any]]) -> None:
        self.x, self.y = point_of(start)
        self.z = height_of(start) or 0.0
        self.yaw = math.radians(start["yaw"])
        self.speed = float(start["speed"])
        self._route = Route(route)

    def advance(self, action: Action, dt: float) -> None:
        """Move for a step."""
        throttle, brake = action.get("throttle", 0.0), action.get("brake", 0.0)
        acceleration = MAX_ACCELERATION_MPS2 * throttle - MAX_BRAKING_MPS2 * brake
        self.speed = max(0.0, self.speed + acceleration * dt)
        target = self._route.target((self.x, self.y), max(ROUTE_REACH_M, self.speed * dt))
        if target is not None:
            if self.speed > 0:
                self.yaw = math.atan2(target[1] - self.y, target[0] - self.x)
        else:
            turn = math.tan(MAX_STEERING_RAD * action.get("steer", 0.0)) / WHEELBASE_M
            self.yaw = math.remainder(self.yaw + self.speed * turn * dt, math.tau)
        self.x += self.speed * math.cos(self.yaw) * dt
        self.y += self.speed * math.sin(self.yaw) * dt

    def state(self) -> dict[str, Any]:
        """Place, heading and speed."""
        return {"x": self.x, "y": self.y, "yaw": degrees(self.yaw), "speed": self.speed}

    def robot(self) -> None:
        """A car has no joints."""

    def reach(self) -> tuple[float, float, float]:
        """Its place."""
        return (self.x, self.y, self.z)

    def memory(self) -> dict[str, Any]:
        """The next point of the route."""
        return {"route_index": self._route.next}


DRONE_ACCELERATION_MPS2 = 4.0


class DroneEgo:
    """A drone.

    `vx`, `vy`, `vz`, or `linear_velocity` as a list or with the keys x, y, z, command a velocity
    in the scenario's frame (m/s); `target_speed` one along the heading, or towards the next point
    of the route. Its velocity follows with at most 4 m/s2; without a command it comes to a halt.
    `yaw_rate` is in degrees a second. It does not sink below zero.
    """

    def __init__(
        self, start: Mapping[str, Any], route: Sequence[Mapping[str, Any]], cruise_m: float | None
    ) -> None:
        self.x, self.y = point_of(start)
        z = height_of(start)
        self.z = (cruise_m or 0.0) if z is None else z
        self.yaw = math.radians(start["yaw"])
        self._route = Route(route)
        speed = float(start["speed"])
        self._velocity = [speed * math.cos(self.yaw), speed * math.sin(self.yaw), 0.0]
        self.speed = speed

    def advance(self, action: Action, dt: float) -> None:
        """Move for a step."""
        rate = math.radians(action.get("yaw_rate", 0.0))
        self.yaw = math.remainder(self.yaw + rate * dt, math.tau)
        wanted = self._wanted(action, dt)
        change = [goal - now for goal, now in zip(wanted, self._velocity, strict=True)]
        size, most = math.hypot(*change), DRONE_ACCELERATION_MPS2 * dt
        share = 1.0 if size <= most else most / size
        vx, vy, vz = (now + share * by for now, by in zip(self._velocity, change, strict=True))
        if self.z + vz * dt < 0:
            vz = -self.z / dt
        self._velocity = [vx, vy, vz]
        self.speed = math.hypot(vx, vy, vz)
        self.x += vx * dt
        self.y += vy * dt
        self.z = max(0.0, self.z + vz * dt)

    def state(self) -> dict[str, Any]:
        """Place, heading, speed and velocity."""
        vx, vy, vz = (one + 0.0 for one in self._velocity)
        return {
            "x": self.x,
            "y": self.y,
            "z": self.z,
            "altitude": self.z,
            "yaw": degrees(self.yaw),
            "speed": self.speed,
            "vx": vx,
            "vy": vy,
            "vz": vz,
        }

    def robot(self) -> None:
        """A drone has no joints."""

    def reach(self) -> tuple[float, float, float]:
        """Its place."""
        return (self.x, self.y, self.z)

    def memory(self) -> dict[str, Any]:
        """The next point of the route."""
        return {"route_index": self._route.next}

    def _wanted(self, action: Action, dt: float) -> tuple[float, float, float]:
        if any(key in action for key in ("vx", "vy", "vz")):
            return action.get("vx", 0.0), action.get("vy", 0.0), action.get("vz", 0.0)
        linear = action.get("linear_velocity")
        if isinstance(linear, Mapping):
            return linear.get("x", 0.0), linear.get("y", 0.0), linear.get("z", 0.0)
        if linear is not None:
            x, y, z = linear
            return x, y, z
        speed = action.get("target_speed", 0.0)
        target = self._route.target((self.x, self.y), max(ROUTE_REACH_M, self.speed * dt))
        if target is None:
            return speed * math.cos(self.yaw), speed * math.sin(self.yaw), 0.0
        dx, dy = target[0] - self.x, target[1] - self.y
        dz = 0.0 if target[2] is None else target[2] - self.z
        length = math.hypot(dx, dy, dz)
        return speed * dx / length, speed * dy / length, speed * dz / length


JOINTS = 6
LINK_M = 0.3
JOINT_SPEED_RADPS = 1.5
JOINT_LIMIT_RAD = math.tau


class ManipulatorEgo:
    """An arm on a base that does not move.

    The first joint turns the arm about the vertical, each further one tilts the link after it,
    0.3 m long, up from the one before; with all joints at zero the arm lies straight ahead.
    `joint_positions` (radians) are approached, `joint_velocities` (rad/s) followed, both at up to
    1.5 rad/s; a joint stops at a full turn. `gripper` is 0 open to 1 closed. The speed is that of
    the end effector.
    """

    def __init__(self, start: Mapping[str, Any], joints: Sequence[float]) -> None:
        self.x, self.y = point_of(start)
        self.z = height_of(start) or 0.0
        self.yaw = math.radians(start["yaw"])
        self.speed = 0.0
        self.joints = [float(one) for one in joints] or [0.0] * JOINTS
        self._velocities = [0.0] * len(self.joints)
        self._gripper = 0.0

    def advance(self, action: Action, dt: float) -> None:
        """Move for a step."""
        before = self.reach()
        goals, rates = action.get("joint_positions"), action.get("joint_velocities")
        for place, now in enumerate(self.joints):
            rate = 0.0
            if goals is not None:
                rate = (goals[place] - now) / dt
            elif rates is not None:
                rate = rates[place]
            rate = max(-JOINT_SPEED_RADPS, min(JOINT_SPEED_RADPS, rate))
            moved = max(-JOINT_LIMIT_RAD, min(JOINT_LIMIT_RAD, now + rate * dt))
            self._velocities[place] = (moved - now) / dt
            self.joints[place] = moved
        self._gripper = action.get("gripper", self._gripper)
        self.speed = math.dist(before, self.reach()) / dt

    def state(self) -> dict[str, Any]:
        """The base's place and heading, and the end effector's speed."""
        return {
            "x": self.x,
            "y": self.y,
            "z": self.z,
            "yaw": degrees(self.yaw),
            "speed": self.speed,
        }

    def robot(self) -> dict[str, Any]:
        """Joints, gripper and end effector."""
        x, y, z = self.reach()
        return {
            "joint_positions": list(self.joints),
            "joint_velocities": list(self._velocities),
            "gripper": self._gripper,
            "end_effector_pose": {
                "x": x,
                "y": y,
                "z": z,
                "yaw": degrees(self.yaw + self.joints[0]),
                "pitch": degrees(math.fsum(self.joints[1:])),
            },
        }

    def reach(self) -> tuple[float, float, float]:
        """The end effector's place."""
        forward = up = tilt = 0.0
        for joint in self.joints[1:]:
            tilt += joint
            forward += LINK_M * math.cos(tilt)
            up += LINK_M * math.sin(tilt)
        heading = self.yaw + self.joints[0]
        return (
            self.x + forward * math.cos(heading),
            self.y + forward * math.sin(heading),
            self.z + up,
        )

    def memory(self) -> dict[str, Any]:
        """Nothing but what it shows."""
        return {}
