import math
from collections.abc import Iterator
from typing import Any, Final

import mujoco

from fieldproof_sim._geometry import Pose, rotate
from fieldproof_sim.manifest import (
    ContactSensor,
    Drive,
    GnssSensor,
    ImuSensor,
    LidarSensor,
    Manifest,
    Sensor,
)
from fieldproof_sim.mujoco_sim._contacts import gap_m
from fieldproof_sim.mujoco_sim._geoms import Part, add_part, parts_of
from fieldproof_sim.mujoco_sim._world import new_spec, set_inertial
from fieldproof_sim.protocol import Code, RequestError
from fieldproof_sim.shapes import Cylinder
from fieldproof_sim.urdf import Joint, Robot

ROOT_JOINT: Final = "root"
_TIME_CONSTANT_S: Final = 0.02
_CLIMB: Final = 0.3
_GRAVITY_MPS2: Final = 9.81


def build_robot(robot: Robot, manifest: Manifest, step_ns: int) -> Any:
    """Turn a robot into a specification of its own, to be attached under a prefix.

    Each link becomes a body, a geom is named `link::collision`, and each link that carries a
    sensor gets a site of the sensor's name.

    Raises:
        RequestError: `bad_robot`, where the manifest names what the URDF does not have.
    """
    _check(robot, manifest)
    spec = new_spec(robot.name, step_ns)
    root = spec.worldbody.add_body(name=robot.root)
    root.add_freejoint(name=ROOT_JOINT)
    driven = (*manifest.drive.left_joints, *manifest.drive.right_joints)
    _add_link(spec, root, robot, robot.root, driven=None)
    _add_children(spec, root, robot, robot.root, driven)
    _add_drive(spec, robot, manifest.drive)
    _add_sensors(spec, manifest)
    names = [link.name for link in robot.links]
    for index, first in enumerate(names):
        for second in names[index + 1 :]:
            spec.add_exclude(name=f"{first}|{second}", bodyname1=first, bodyname2=second)
    return spec


def _check(robot: Robot, manifest: Manifest) -> None:
    problems = [
        *_drive_problems(robot, manifest.drive),
        *(p for sensor in manifest.sensors for p in _sensor_problems(robot, sensor)),
        *_inertia_problems(robot),
    ]
    if problems:
        raise RequestError(Code.BAD_ROBOT, f"{robot.file.name}: " + "; ".join(problems))


def _drive_problems(robot: Robot, drive: Drive) -> Iterator[str]:
    turning = [joint.name for joint in robot.joints if joint.kind == "continuous"]
    for name in (*drive.left_joints, *drive.right_joints):
        if name not in turning:
            known = ", ".join(turning) or "none"
            yield f"drive: {name} is no continuous joint (there are: {known})"


def _sensor_problems(robot: Robot, sensor: Sensor) -> Iterator[str]:
    link = robot.link(sensor.link)
    if link is None:
        known = ", ".join(each.name for each in robot.links)
        yield f"{sensor.name}: no link {sensor.link} (there are: {known})"
    elif isinstance(sensor, ContactSensor):
        collisions = [each.name for each in link.collisions]
        if sensor.collision not in collisions:
            known = ", ".join(collisions) or "none"
            yield (
                f"{sensor.name}: no collision {sensor.collision} in {link.name} "
                f"(there are: {known})"
            )


def _inertia_problems(robot: Robot) -> Iterator[str]:
    moving = [robot.root, *(joint.child for joint in robot.joints if joint.kind == "continuous")]
    for name in moving:
        link = robot.link(name)
        if link is not None and link.inertial is None:
            yield f"the link {name} moves and needs an <inertial>"


def _add_children(spec: Any, body: Any, robot: Robot, name: str, driven: tuple[str, ...]) -> None:
    for joint in robot.joints_below(name):
        child = body.add_body(
            name=joint.child, pos=list(joint.origin.position), quat=list(joint.origin.rotation)
        )
        if joint.kind == "continuous":
            child.add_joint(
                name=joint.name,
                type=mujoco.mjtJoint.mjJNT_HINGE,
                axis=list(joint.axis),
                damping=[joint.damping, 0, 0],
                frictionloss=joint.friction,
            )
        _add_link(spec, child, robot, joint.child, joint if joint.name in driven else None)
        _add_children(spec, child, robot, joint.child, driven)


def _add_link(spec: Any, body: Any, robot: Robot, name: str, driven: Joint | None) -> None:
    link = robot.link(name)
    assert link is not None, "the parser checked that every joint's links exist"
    if link.inertial is None:
        body.explicitinertial = True
        body.mass = 0.0
    else:
        set_inertial(body, link.inertial)
    for part in parts_of(link.collisions, link.visuals):
        geom = add_part(spec, body, f"{name}::{part.name}", part, Pose())
        if driven is not None and _is_wheel(part, driven):
            geom.type = mujoco.mjtGeom.mjGEOM_ELLIPSOID
            geom.size = [geom.size[0], geom.size[0], geom.size[1]]


def _is_wheel(part: Part, joint: Joint) -> bool:
    """Tell whether a part is a cylinder that turns about its own axis.

    Its tread is crowned then, an ellipsoid of the same radius and width: it touches the ground in
    one point, so that turning does not scrub and odometry is true.
    """
    axis = rotate(part.pose.rotation, (0.0, 0.0, 1.0))
    along = abs(sum(a * b for a, b in zip(axis, joint.axis, strict=True)))
    return isinstance(part.shape, Cylinder) and math.isclose(along, 1.0, abs_tol=1e-6)


def _add_drive(spec: Any, robot: Robot, drive: Drive) -> None:
    """Give each driven wheel a motor that holds a speed.

    The motor's reflected inertia equals the wheel's share of the vehicle's, which keeps the speed
    loop stable at any gain used here; its torque suffices for the acceleration of the manifest and
    a climb of 30 %, and no more, so that a vehicle against a wall does not climb it.
    """
    names = (*drive.left_joints, *drive.right_joints)
    mass = sum(link.inertial.mass for link in robot.links if link.inertial is not None)
    radius = drive.wheel_radius_m
    share = mass * radius * radius / len(names)
    gain = 2 * share / _TIME_CONSTANT_S
    torque = (2 * drive.max_linear_accel_mps2 + _CLIMB * _GRAVITY_MPS2) * mass * radius / len(names)
    for name in names:
        spec.joint(name).armature = share
        actuator = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        actuator.set_to_velocity(kv=gain)
        actuator.forcelimited = True
        actuator.forcerange = [-torque, torque]


def _add_sensors(spec: Any, manifest: Manifest) -> None:
    for sensor in manifest.sensors:
        body = spec.body(sensor.link)
        if isinstance(sensor, ContactSensor):
            geom = spec.geom(f"{sensor.link}::{sensor.collision}")
            geom.gap = gap_m(manifest.drive.max_linear_mps)
        elif isinstance(sensor, LidarSensor | ImuSensor | GnssSensor):
            body.add_site(name=sensor.name)
