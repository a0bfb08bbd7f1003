from pathlib import Path
from typing import Any

from fieldproof_sim._geometry import Pose, quaternion_from_rpy
from fieldproof_sim.geodesy import LocalFrame
from fieldproof_sim.manifest import ContactSensor, GnssSensor, LidarSensor, Sensor, read_manifest
from fieldproof_sim.mujoco_sim._contacts import ContactWatch
from fieldproof_sim.mujoco_sim._drive import DifferentialDrive, JointStates, Odometry
from fieldproof_sim.mujoco_sim._records import ModelRecord
from fieldproof_sim.mujoco_sim._robot import build_robot
from fieldproof_sim.mujoco_sim._sensors import Contact, Gnss, Imu, Lidar, Source
from fieldproof_sim.noise import noise_generator
from fieldproof_sim.protocol import Code, RequestError, VehicleEntry, contact_topic, sensor_topic
from fieldproof_sim.urdf import Robot, UrdfError, parse_robot


class Vehicle:
    """A vehicle in the world: its drive and what it publishes.

    Attributes:
        sources: topic, rate in Hz and source of each kind of frame, in the order of publication.
        watched: geom names of its contact sensors.
    """

    def __init__(
        self, entry: VehicleEntry, *, seed: int, frame: LocalFrame | None, watch: ContactWatch
    ) -> None:
        self.name = entry.name
        self.prefix = f"{entry.name}::"
        self.manifest = read_manifest(entry.manifest, entry.name)
        self.robot = _parse(entry.urdf)
        self.pose = Pose(
            (entry.spawn.x, entry.spawn.y, entry.spawn.z),
            quaternion_from_rpy(0, 0, entry.spawn.yaw),
        )
        self.drive = DifferentialDrive(self.manifest.drive, self.prefix)
        self.sources: list[tuple[str, float, Source]] = []
        self.watched: list[str] = []
        for sensor in self.manifest.sensors:
            self._add_sensor(sensor, seed, frame, watch)
        self._add_drive_sources()

    def record(self) -> ModelRecord:
        """Return where the vehicle is in the specification."""
        return ModelRecord(
            self.name,
            self.pose,
            bodies=(self.prefix + self.robot.root,),
            offsets=(Pose(),),
            is_vehicle=True,
            stand_m=self.manifest.model.spawn_height_m,
            windy=tuple(self.prefix + link.name for link in self.robot.links if link.wind),
        )

    def attach(self, spec: Any, step_ns: int) -> None:
        """Add the vehicle to a world's specification, at its spawn pose.

        Raises:
            RequestError: `bad_robot`, when it cannot be built.
        """
        robot = build_robot(self.robot, self.manifest, step_ns)
        try:
            robot.compile()  # on its own first: what is wrong here is wrong with the robot
        except ValueError as error:
            raise RequestError(Code.BAD_ROBOT, f"{self.name}: {error}") from error
        frame = spec.worldbody.add_frame(
            pos=list(self.pose.position), quat=list(self.pose.rotation)
        )
        spec.attach(robot, prefix=self.prefix, frame=frame)

    def _add_sensor(
        self, sensor: Sensor, seed: int, frame: LocalFrame | None, watch: ContactWatch
    ) -> None:
        topic = sensor_topic(self.name, sensor.name)
        source: Source
        noise = noise_generator(seed, self.name, sensor.name)
        if isinstance(sensor, ContactSensor):
            contact = Contact(sensor, self.prefix, watch)
            self.watched.append(contact.geom_name)
            topic, source = contact_topic(self.name), contact
        elif isinstance(sensor, LidarSensor):
            source = Lidar(sensor, self.prefix, noise)
        elif isinstance(sensor, GnssSensor):
            if frame is None:
                raise RequestError(
                    Code.BAD_WORLD,
                    f"{self.name}: {sensor.name}: the world has no <spherical_coordinates>",
                )
            source = Gnss(sensor, self.prefix, noise, frame)
        else:
            source = Imu(sensor, self.prefix, noise)
        self.sources.append((topic, sensor.rate_hz, source))

    def _add_drive_sources(self) -> None:
        drive = self.manifest.drive
        self.sources.append(
            (
                sensor_topic(self.name, "odometry"),
                drive.odometry.rate_hz,
                Odometry(drive, self.prefix),
            )
        )
        if drive.joint_states is not None:
            turning = tuple(j.name for j in self.robot.joints if j.kind == "continuous")
            self.sources.append(
                (
                    sensor_topic(self.name, "joint_states"),
                    drive.joint_states.rate_hz,
                    JointStates(turning, self.prefix),
                )
            )


def _parse(urdf: Path) -> Robot:
    try:
        return parse_robot(urdf)
    except (UrdfError, OSError) as error:
        raise RequestError(Code.BAD_ROBOT, str(error)) from error
