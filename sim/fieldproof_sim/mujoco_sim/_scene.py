import difflib
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from fieldproof_sim._geometry import Pose
from fieldproof_sim.mujoco_sim._records import ModelRecord
from fieldproof_sim.mujoco_sim._world import add_model
from fieldproof_sim.protocol import Code, RequestError
from fieldproof_sim.sdf import Model

Frames = list[tuple[str, list[float], list[float]]]
"""Names of geoms of the world body, with where they are."""

_TOO_LIGHT = ("mjMINVAL", "positive eigenvalues")
_ELEMENT = re.compile(r"Element name '(.+?)', id")


class Scene:
    """The models of a world in a MuJoCo specification; what is changed here has to be compiled.

    Args:
        spec: the specification, with every model of `records` in it.
        records: the models in the order of pose frames, vehicles last.
    """

    def __init__(self, spec: Any, records: Iterable[ModelRecord]) -> None:
        self._spec = spec
        self._records = {record.name: record for record in records}

    @property
    def records(self) -> tuple[ModelRecord, ...]:
        """All models in order."""
        return tuple(self._records.values())

    @property
    def vehicles(self) -> list[ModelRecord]:
        """The models that are vehicles."""
        return [record for record in self._records.values() if record.is_vehicle]

    def record(self, name: str) -> ModelRecord:
        """Return the model of that name.

        Raises:
            RequestError: `refused`, with the nearest name.
        """
        record = self._records.get(name)
        if record is None:
            near = difflib.get_close_matches(name, self._records, n=1)
            known = f"nearest: {near[0]}" if near else f"there are: {', '.join(self._records)}"
            raise RequestError(Code.REFUSED, f"no model is called {name} ({known})")
        return record

    def compile(self) -> Any:
        """Return a MuJoCo model of its own.

        Raises:
            RequestError: `bad_world`, when MuJoCo finds fault with it.
        """
        try:
            return self._spec.compile()
        except ValueError as error:
            raise RequestError(Code.BAD_WORLD, _what_is_wrong(str(error))) from error

    def add(self, model: Model, *, stand_m: float) -> ModelRecord:
        """Add a model before the vehicles.

        Raises:
            RequestError: `refused` when the name is taken, `bad_world` when it cannot be built;
                nothing of it is left then.
        """
        if model.name in self._records:
            kind = "vehicle" if self._records[model.name].is_vehicle else "model"
            raise RequestError(Code.REFUSED, f"the name {model.name} is taken by a {kind}")
        record = replace(add_model(self._spec, model), stand_m=stand_m)
        vehicles = {vehicle.name: self._records.pop(vehicle.name) for vehicle in self.vehicles}
        self._records |= {record.name: record, **vehicles}
        return record

    def delete(self, record: ModelRecord) -> None:
        """Take a model out, with whatever nothing else needs."""
        spec = self._spec
        for exclude in list(spec.excludes):
            if exclude.bodyname1 in record.bodies:
                spec.delete(exclude)
        for name in record.geoms:
            spec.delete(spec.geom(name))
        for name in record.bodies:
            spec.delete(spec.body(name))
        meshes = {geom.meshname for geom in spec.geoms}
        heightmaps = {geom.hfieldname for geom in spec.geoms}
        for asset in [
            *(mesh for mesh in spec.meshes if mesh.name not in meshes),
            *(field for field in spec.hfields if field.name not in heightmaps),
        ]:
            spec.delete(asset)
        del self._records[record.name]

    def move(self, record: ModelRecord, pose: Pose) -> Frames:
        """Move a static model's frame to a pose; returns what `put_back` takes."""
        shift = pose.compose(record.pose.inverse())
        before: Frames = []
        for name in record.geoms:
            geom = self._spec.geom(name)
            before.append((name, list(geom.pos), list(geom.quat)))
            now = shift.compose(Pose(tuple(geom.pos), tuple(geom.quat)))
            geom.pos, geom.quat = list(now.position), list(now.rotation)
        self._records[record.name] = replace(record, pose=pose)
        return before

    def put_back(self, record: ModelRecord, frames: Frames) -> None:
        """Undo a `move` to the bit."""
        for name, position, rotation in frames:
            geom = self._spec.geom(name)
            geom.pos, geom.quat = position, rotation
        self._records[record.name] = record


def _what_is_wrong(said: str) -> str:
    """Return what MuJoCo says of a scene, in words of ours where it speaks of its own limits."""
    if any(word in said for word in _TOO_LIGHT):
        element = _ELEMENT.search(said)
        link = element[1] if element else "a link"
        return f"{link} moves and is too small or too light for physics: make it larger or heavier"
    return said.removeprefix("Error: ").replace("\n", ": ")
