import difflib
from dataclasses import replace
from typing import Any, Final

import mujoco

from fieldproof_sim._geometry import Pose, quaternion_from_rpy
from fieldproof_sim.geodesy import LocalFrame
from fieldproof_sim.interface import Loaded, Publish
from fieldproof_sim.mujoco_sim._contacts import ContactWatch
from fieldproof_sim.mujoco_sim._drive import CONTROL_HZ
from fieldproof_sim.mujoco_sim._poses import Poses
from fieldproof_sim.mujoco_sim._records import ModelRecord
from fieldproof_sim.mujoco_sim._sensors import Source
from fieldproof_sim.mujoco_sim._spawning import model_to_spawn, stand_of
from fieldproof_sim.mujoco_sim._vehicle import Vehicle
from fieldproof_sim.mujoco_sim._wind import Wind
from fieldproof_sim.mujoco_sim._world import add_model, build_world
from fieldproof_sim.protocol import (
    POSE_TOPIC,
    Code,
    DriveCommand,
    Load,
    Place,
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
    """

    name = "mujoco"
    capabilities: tuple[str, ...] = ("spawn", "remove", "teleport", "wind")

    def __init__(self) -> None:
        self.version = str(mujoco.mj_versionString())
        self.step_ns = 0
        self._step = 0
        self._records: dict[str, ModelRecord] = {}
        self._vehicles: dict[str, Vehicle] = {}
        self._poses = Poses()
        self._wind = Wind()
        self._watch = ContactWatch()
        self._tasks: list[tuple[Schedule, str, Source]] = []

    @property
    def time_ns(self) -> int:
        """Simulation time since `load`."""
        return self._step * self.step_ns

    def models(self) -> tuple[str, ...]:
        """Return the names of all models, in the order of pose frames."""
        return tuple(self._records)

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
        model = _compile(spec)
        self._watch = watch
        self._spec = spec
        self._vehicles = {vehicle.name: vehicle for vehicle in vehicles}
        self._records = {record.name: record for record in records}
        self._records.update({vehicle.name: vehicle.record() for vehicle in vehicles})
        self._tasks = [(Schedule(_POSE_HZ, self.step_ns), POSE_TOPIC, self._poses)]
        for vehicle in vehicles:
            self._tasks += [
                (Schedule(rate_hz, self.step_ns), topic, source)
                for topic, rate_hz, source in vehicle.sources
            ]
        self._control = Schedule(CONTROL_HZ, self.step_ns)
        self._control_due = True
        self._bind(model, mujoco.MjData(model))
        warnings = [*world.warnings, *(w for v in vehicles for w in v.robot.warnings), *_WARNED]
        _WARNED.clear()
        return Loaded(self.models(), tuple(map(str, warnings)))

    def advance(self, until_ns: int, publish: Publish) -> None:
        """Step until a time, publishing what is due on the way."""
        until = until_ns // self.step_ns
        while self._step < until:
            if self._control_due:
                self._control_due = False
                for vehicle in self._vehicles.values():
                    vehicle.drive.control()
                self._wind.push()
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

    def spawn(self, request: Spawn) -> str:
        """Add a shape or an SDF model."""
        if request.model in self._records:
            raise RequestError(Code.REFUSED, f"the name {request.model} is taken")
        model = model_to_spawn(request)
        record = replace(add_model(self._spec, model), stand_m=stand_of(request))
        try:
            self._recompile()
        except RequestError:
            self._delete(record)
            raise
        self._keep(record)
        return f"spawned model {model.name} at {_place(request.pose, record.stand_m)}"

    def remove(self, request: Remove) -> str:
        """Take a model away."""
        record = self._record(request.model)
        if record.is_vehicle:
            raise RequestError(Code.REFUSED, f"{record.name} is a vehicle and cannot be removed")
        self._delete(record)
        del self._records[record.name]
        self._recompile()
        return f"removed model {record.name}"

    def teleport(self, request: Teleport) -> str:
        """Put a model's frame at a pose, `z` being the ground under it where it stands on one."""
        record = self._record(request.model)
        place = request.pose
        pose = Pose(
            (place.x, place.y, place.z + record.stand_m), quaternion_from_rpy(0, 0, place.yaw)
        )
        if record.bodies:
            for body, offset in zip(record.bodies, record.offsets, strict=True):
                self._place_body(body, pose.compose(offset))
            self._refresh()
        else:
            self._move_static(record, pose)
        what = "vehicle" if record.is_vehicle else "model"
        return f"teleported {what} {record.name} to {_place(place, record.stand_m)}"

    def wind(self, request: WindRequest) -> str:
        """Set the wind; it pushes what asks for it from the next control instant on."""
        self._wind.velocity, self._wind.enabled = request.velocity, request.enabled
        if not request.enabled:
            return "wind off"
        x, y, z = request.velocity
        return f"wind set to ({x:g}, {y:g}, {z:g}) m/s"

    def air(self) -> dict[str, Any]:
        """Return the wind as it was set."""
        return {"velocity": list(self._wind.velocity), "enabled": self._wind.enabled}

    def _run_to(self, goal: int) -> None:
        """Step to a later step, leaving the first half of the next one computed."""
        model, data, watch = self._model, self._data, self._watch
        while self._step < goal:
            count = 1 if watch.near else goal - self._step
            mujoco.mj_step2(model, data)
            if count > 1:
                mujoco.mj_step(model, data, count - 1)
            mujoco.mj_step1(model, data)
            self._step += count
            watch.look()
        if _WARNED:
            what = "; ".join(_WARNED)
            _WARNED.clear()
            raise RequestError(
                Code.REFUSED, f"physics cannot be trusted at {self.time_ns / 1e9:g} s: {what}"
            )

    def _bind(self, model: Any, data: Any) -> None:
        self._model, self._data = model, data
        self._poses.set_records(self._records.values())
        self._wind.set_bodies(body for record in self._records.values() for body in record.windy)
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
        self._refresh()
        self._wind.bind(model, data)

    def _refresh(self) -> None:
        """Recompute the first half of the step after the state was changed by hand."""
        mujoco.mj_step1(self._model, self._data)
        self._watch.look()

    def _recompile(self) -> None:
        try:
            model, data = self._spec.recompile(self._model, self._data)
        except ValueError as error:
            raise RequestError(Code.BAD_WORLD, str(error)) from error
        self._bind(model, data)

    def _keep(self, record: ModelRecord) -> None:
        """Add a model's record before the vehicles' and tell the poses of it."""
        vehicles = {name: self._records.pop(name) for name in self._vehicles}
        self._records[record.name] = record
        self._records.update(vehicles)
        self._poses.set_records(self._records.values())
        self._poses.bind(self._model, self._data)
        self._wind.set_bodies(body for each in self._records.values() for body in each.windy)
        self._wind.bind(self._model, self._data)

    def _record(self, name: str) -> ModelRecord:
        record = self._records.get(name)
        if record is None:
            near = difflib.get_close_matches(name, self._records, n=1)
            hint = f" (nearest: {near[0]})" if near else ""
            raise RequestError(Code.REFUSED, f"no model is called {name}{hint}")
        return record

    def _delete(self, record: ModelRecord) -> None:
        for name in record.geoms:
            self._spec.delete(self._spec.geom(name))
        for name in record.bodies:
            self._spec.delete(self._spec.body(name))

    def _place_body(self, body: str, pose: Pose) -> None:
        at = self._model.jnt_qposadr[self._model.body(body).jntadr[0]]
        self._data.qpos[at : at + 3] = pose.position
        self._data.qpos[at + 3 : at + 7] = pose.rotation

    def _move_static(self, record: ModelRecord, pose: Pose) -> None:
        shift = pose.compose(record.pose.inverse())
        for name in record.geoms:
            geom = self._spec.geom(name)
            was = Pose(tuple(geom.pos), tuple(geom.quat))
            now = shift.compose(was)
            geom.pos, geom.quat = list(now.position), list(now.rotation)
        self._records[record.name] = replace(record, pose=pose)
        self._recompile()

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


def _compile(spec: Any) -> Any:
    try:
        return spec.compile()
    except ValueError as error:
        raise RequestError(Code.BAD_WORLD, str(error)) from error


def _place(place: Place, stand_m: float) -> str:
    """Where the model's frame came to lie, for people."""
    return f"({place.x:g}, {place.y:g}, {place.z + stand_m:g}, yaw {place.yaw:g})"
