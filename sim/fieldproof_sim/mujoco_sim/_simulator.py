from typing import Any, Final

import mujoco

from fieldproof_sim._geometry import Pose, quaternion_from_rpy, rotate
from fieldproof_sim.geodesy import LocalFrame
from fieldproof_sim.interface import Loaded, Publish, Spawned
from fieldproof_sim.mujoco_sim._contacts import ContactWatch
from fieldproof_sim.mujoco_sim._drive import CONTROL_HZ
from fieldproof_sim.mujoco_sim._overlap import refuse_overlap
from fieldproof_sim.mujoco_sim._poses import Poses
from fieldproof_sim.mujoco_sim._records import ModelRecord
from fieldproof_sim.mujoco_sim._scene import Scene
from fieldproof_sim.mujoco_sim._sensors import Source
from fieldproof_sim.mujoco_sim._spawning import model_to_spawn, stand_of
from fieldproof_sim.mujoco_sim._state import carry_state
from fieldproof_sim.mujoco_sim._vehicle import Vehicle
from fieldproof_sim.mujoco_sim._wind import Wind
from fieldproof_sim.mujoco_sim._world import build_world
from fieldproof_sim.protocol import (
    POSE_TOPIC,
    Code,
    DriveCommand,
    Load,
    Remove,
    RequestError,
    Spawn,
    Teleport,
)
from fieldproof_sim.protocol import (
    Wind as WindRequest,
)
from fieldproof_sim.schedule import Schedule
from fieldproof_sim.sdf import SdfError, World, parse_world

_POSE_HZ: Final = 10.0
# What MuJoCo warns of; its own way is to append to a file in the working directory.
_WARNED: Final[list[str]] = []
mujoco.set_mju_user_warning(_WARNED.append)


class MujocoSimulator:
    """Worlds and vehicles in MuJoCo, as `fieldproof_sim.interface.Simulator` says.

    Between two instants at which anything is due, physics runs in one call. At every instant the
    first half of the next step has been computed, so that positions, velocities and contacts are
    those of the instant and reading sensors costs no extra evaluation.

    A changed world is compiled anew beside the old one, takes over its state, and replaces it once
    nothing speaks against it; sensors, drives and schedules stay the same objects throughout.
    """

    name = "mujoco"
    capabilities: tuple[str, ...] = ("spawn", "remove", "teleport", "wind")

    def __init__(self) -> None:
        self.version = str(mujoco.mj_versionString())
        self.step_ns = 0
        self._step = 0
        self._vehicles: dict[str, Vehicle] = {}
        self._poses = Poses()
        self._tasks: list[tuple[Schedule, str, Source]] = []

    @property
    def time_ns(self) -> int:
        """Simulation time since `load`."""
        return self._step * self.step_ns

    def models(self) -> tuple[str, ...]:
        """Return the names of all models, in the order of pose frames."""
        return tuple(record.name for record in self._scene.records)

    def load(self, request: Load) -> Loaded:
        """Build world and vehicles; nothing is kept of a load that fails."""
        world = _parse_world(request)
        self._check_names(request, world)
        self.step_ns = request.physics_step_ns
        spec, records = build_world(world, self.step_ns)
        origin = world.origin
        frame = (
            None
            if origin is None
            else LocalFrame(origin.latitude_deg, origin.longitude_deg, origin.altitude_m)
        )
        watch = ContactWatch()
        vehicles = [
            Vehicle(entry, seed=request.seed, frame=frame, watch=watch)
            for entry in request.vehicles
        ]
        for vehicle in vehicles:
            vehicle.attach(spec, self.step_ns)
        scene = Scene(spec, [*records, *(vehicle.record() for vehicle in vehicles)])
        model = scene.compile()
        self._scene, self._watch, self._wind = scene, watch, Wind(world.wind)
        self._vehicles = {vehicle.name: vehicle for vehicle in vehicles}
        self._tasks = [(Schedule(_POSE_HZ, self.step_ns), POSE_TOPIC, self._poses)]
        for vehicle in vehicles:
            self._tasks += [
                (Schedule(rate_hz, self.step_ns), topic, source)
                for topic, rate_hz, source in vehicle.sources
            ]
        self._control = Schedule(CONTROL_HZ, self.step_ns)
        self._control_due = True
        data = mujoco.MjData(model)
        mujoco.mj_step1(model, data)
        self._bind(model, data)
        warnings = [*world.warnings, *(w for v in vehicles for w in v.robot.warnings), *_warned()]
        return Loaded(self.models(), tuple(map(str, warnings)))

    def advance(self, until_ns: int, publish: Publish) -> None:
        """Step until a time, publishing what is due on the way."""
        until = until_ns // self.step_ns
        while self._step < until:
            if self._control_due:
                self._control_due = False
                for vehicle in self._vehicles.values():
                    vehicle.drive.control()
            goal = min(until, self._control.next_step)
            for schedule, _, _ in self._tasks:
                goal = min(goal, schedule.next_step)
            self._run_to(goal)
            for schedule, topic, source in self._tasks:
                if schedule.next_step == goal:
                    schedule.advance()
                    fields = source.read()
                    if fields is not None:
                        publish(topic, fields)
            if self._control.next_step == goal:
                self._control.advance()
                self._control_due = True

    def command(self, request: DriveCommand) -> None:
        """Aim a vehicle's drive; it takes effect at the next control instant, every 10 ms."""
        vehicle = self._vehicles.get(request.vehicle)
        if vehicle is None:
            known = ", ".join(self._vehicles) or "none"
            raise RequestError(
                Code.UNKNOWN_VEHICLE, f"no vehicle {request.vehicle} (there are: {known})"
            )
        vehicle.drive.command(request.linear_mps, request.angular_radps)

    def spawn(self, request: Spawn) -> Spawned:
        """Add a shape or an SDF model, unless it would stand in a vehicle."""
        model, warnings = model_to_spawn(request)
        record = self._scene.add(model, stand_m=stand_of(request))
        try:
            self._change(record)
        except RequestError as error:
            self._scene.delete(record)
            if error.code is Code.BAD_WORLD:
                raise RequestError(error.code, f"{record.name}: {error.message}") from error
            raise
        report = f"spawned model {record.name} at {_place(record.pose, request.pose.yaw)}"
        return Spawned(report, (*map(str, warnings), *_warned()))

    def remove(self, request: Remove) -> str:
        """Take a model away."""
        record = self._scene.record(request.model)
        if record.is_vehicle:
            raise RequestError(Code.REFUSED, f"{record.name} is a vehicle and cannot be removed")
        self._refuse_ground(record, "removed")
        self._scene.delete(record)
        self._change()
        return f"removed model {record.name}"

    def teleport(self, request: Teleport) -> str:
        """Put a model's frame at a pose, `z` being the ground under it where it stands on one."""
        record = self._scene.record(request.model)
        self._refuse_ground(record, "moved")
        place = request.pose
        pose = Pose(
            (place.x, place.y, place.z + record.stand_m), quaternion_from_rpy(0, 0, place.yaw)
        )
        if record.bodies:
            self._move_bodies(record, pose)
        else:
            frames = self._scene.move(record, pose)
            try:
                self._change(record)
            except RequestError:
                self._scene.put_back(record, frames)
                raise
        what = "vehicle" if record.is_vehicle else "model"
        return f"teleported {what} {record.name} to {_place(pose, place.yaw)}"

    def wind(self, request: WindRequest) -> str:
        """Set the wind; the next step is the first that feels it."""
        self._wind.set(request.velocity, enabled=request.enabled)
        if not request.enabled:
            return "wind off"
        x, y, z = (value + 0.0 for value in request.velocity)
        links = "1 link" if self._wind.reach == 1 else f"{self._wind.reach or 'no'} links"
        return f"wind set to ({x:g}, {y:g}, {z:g}) m/s, which pushes {links}"

    def air(self) -> dict[str, Any]:
        """Return the wind as it was set."""
        return {"velocity": list(self._wind.velocity), "enabled": self._wind.enabled}

    def _run_to(self, goal: int) -> None:
        """Step to a later step, leaving the first half of the next one computed."""
        model, data, watch, wind = self._model, self._data, self._watch, self._wind
        blows = wind.acts
        while self._step < goal:
            if blows:
                wind.push()
            count = 1 if blows or watch.near else goal - self._step
            mujoco.mj_step2(model, data)
            if count > 1:
                mujoco.mj_step(model, data, count - 1)
            mujoco.mj_step1(model, data)
            self._step += count
            watch.look()
        if _WARNED:
            what = "; ".join(_warned())
            raise RequestError(
                Code.REFUSED, f"physics cannot be trusted at {self.time_ns / 1e9:g} s: {what}"
            )

    def _change(self, moved: ModelRecord | None = None) -> None:
        """Go on in the scene as it is now, `moved` being what is new or elsewhere in it.

        Raises:
            RequestError: it cannot be compiled, or `moved` overlaps a vehicle; all is as before.
        """
        try:
            model = self._scene.compile()
        except RequestError:
            _WARNED.clear()
            raise
        data = carry_state(self._model, self._data, model)
        mujoco.mj_step1(model, data)
        if moved is not None:
            refuse_overlap(model, data, moved, self._scene.vehicles)
        self._bind(model, data)

    def _bind(self, model: Any, data: Any) -> None:
        """Take over a model and its data, in which the first half of a step has been computed."""
        self._model, self._data = model, data
        records = self._scene.records
        self._poses.set_records(records)
        self._watch.bind(
            model,
            data,
            [
                (name, vehicle.manifest.drive.max_linear_mps)
                for vehicle in self._vehicles.values()
                for name in vehicle.watched
            ],
        )
        for vehicle in self._vehicles.values():
            vehicle.drive.bind(model, data)
        for _, _, source in self._tasks:
            source.bind(model, data)
        self._wind.bind(model, data, [body for record in records for body in record.windy])
        self._watch.look()

    def _move_bodies(self, record: ModelRecord, pose: Pose) -> None:
        """Put a model's bodies where their offsets say, their velocities in the world kept."""
        model, data = self._model, self._data
        before = data.qpos.copy(), data.qvel.copy()
        for name, offset in zip(record.bodies, record.offsets, strict=True):
            joint = model.body(name).jntadr[0]
            at, speeds_at = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
            was = Pose(rotation=tuple(data.qpos[at + 3 : at + 7].tolist()))
            now = pose.compose(offset)
            # MuJoCo has a free body's turn rate in the body's own frame.
            turn = rotate(was.rotation, tuple(data.qvel[speeds_at + 3 : speeds_at + 6].tolist()))
            data.qvel[speeds_at + 3 : speeds_at + 6] = rotate(now.inverse().rotation, turn)
            data.qpos[at : at + 7] = (*now.position, *now.rotation)
        mujoco.mj_step1(model, data)
        try:
            refuse_overlap(model, data, record, self._scene.vehicles)
        except RequestError:
            data.qpos[:], data.qvel[:] = before
            mujoco.mj_step1(model, data)
            raise
        self._watch.look()

    def _refuse_ground(self, record: ModelRecord, what: str) -> None:
        if record.is_ground:
            raise RequestError(
                Code.REFUSED, f"{record.name} is the ground of the world and cannot be {what}"
            )

    def _check_names(self, request: Load, world: World) -> None:
        taken = [model.name for model in world.models]
        for entry in request.vehicles:
            if entry.name in taken:
                raise RequestError(Code.REFUSED, f"the name {entry.name} is taken")
            taken.append(entry.name)


def _parse_world(request: Load) -> World:
    try:
        return parse_world(request.world)
    except (SdfError, OSError) as error:
        raise RequestError(Code.BAD_WORLD, str(error)) from error


def _warned() -> list[str]:
    """Return what MuJoCo has warned of since it was last asked."""
    found = list(_WARNED)
    _WARNED.clear()
    return found


def _place(pose: Pose, yaw: float) -> str:
    """Say where a model's frame lies."""
    x, y, z = (value + 0.0 for value in pose.position)  # no minus before a zero
    return f"({x:g}, {y:g}, {z:g}, yaw {yaw + 0.0:g})"
