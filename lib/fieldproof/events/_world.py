from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from fieldproof.events._context import EventContext
from fieldproof.events._event import Event
from fieldproof.events._record import ActionRecord
from fieldproof.events._running import Over, Running
from fieldproof.model import Name, Placement, Problem, TimelineBase, faults
from fieldproof.plan import ModelChanges, PlanContext
from fieldproof.timeline import OK

# what the simulator can hold: a moving body of these still has an inertia that it can step
Size = Annotated[float, Field(ge=0.001, le=1000.0)]
Mass = Annotated[float, Field(ge=0.001, le=1000.0)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Speed = Annotated[float, Field(ge=-200.0, le=200.0)]

_SHAPES: dict[str, tuple[str, ...]] = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "sphere": ("radius",),
}
_DIMENSIONS = ("size", "radius", "length")
_LOOKS = ("static", "mass_kg", "color")


class _WorldEvent(Event):
    """What the world events share: one request to the simulator, over as soon as it is answered."""

    op: ClassVar[str]

    def start(
        self,
        entry: Any,  # noqa: ARG002
        resolved: Mapping[str, Any],
        context: EventContext,
        record: ActionRecord,
    ) -> Running:
        """Change the world; the simulator's next step is the first one with it."""
        report = context.simulate(self.op, **resolved["request"])
        context.log("world.changed", report)
        record.status, record.detail = OK, report
        return Over()


class SpawnObject(TimelineBase):
    """An obstacle that appears: a plain shape, or a model of the world's models."""

    action: Literal["spawn_object"]
    model: Name = Field(description="What it is called in the world.")
    pose: Placement = Field(description="Where: a shape stands on it, a model is put at it.")
    shape: Literal["box", "cylinder", "sphere"] | None = Field(
        default=None, description="A plain shape."
    )
    size: Annotated[list[Size], Field(min_length=3, max_length=3)] | None = Field(
        default=None, description="Of a box: [x, y, z] in metres."
    )
    radius: Size | None = Field(default=None, description="Of a cylinder or sphere, metres.")
    length: Size | None = Field(default=None, description="Of a cylinder, metres.")
    static: bool | None = Field(default=None, description="Whether a shape stays put; true.")
    mass_kg: Mass | None = Field(default=None, description="Of a shape that moves; 1.")
    color: Annotated[list[Share], Field(min_length=3, max_length=3)] | None = Field(
        default=None, description="Of a shape: [red, green, blue], 0 to 1."
    )
    uri: str | None = Field(
        default=None, description="model://NAME of the world's models, in place of a shape."
    )

    @model_validator(mode="after")
    def _one_form(self) -> "SpawnObject":
        found = list(self._form_problems())
        if found:
            raise faults("SpawnObject", found)
        return self

    def _form_problems(self) -> Iterator[Problem]:
        if self.shape is None and self.uri is None:
            yield Problem("needs a shape or a uri")
            return
        if self.shape is not None and self.uri is not None:
            yield Problem("does not go with shape", ("uri",), "give one of them")
            return
        wanted = _SHAPES.get(self.shape or "", ())
        what = self.shape or "uri"
        for key in _DIMENSIONS:
            given = getattr(self, key) is not None
            if key in wanted and not given:
                yield Problem(f"is missing for a {what}", (key,))
            elif given and key not in wanted:
                takes = f"it takes {' and '.join(wanted)}" if wanted else "the model has its own"
                yield Problem(f"does not go with {what}", (key,), takes)
        for key in _LOOKS if self.uri is not None else ():
            if getattr(self, key) is not None:
                yield Problem("does not go with uri", (key,), "the model has its own")
        if self.mass_kg is not None and self.static is not False and self.uri is None:
            yield Problem("only goes with static: false", ("mass_kg",))


class SpawnObjectEvent(_WorldEvent):
    """Puts an obstacle into the world.

    The name must be free. That of a vehicle, and of a model of the world's own that no entry
    removes, is refused when the scenario is read; any other that is taken, when the time comes.
    Lidars see the obstacle in their next scan.
    """

    action: ClassVar[str] = "spawn_object"
    Entry: ClassVar[type[TimelineBase]] = SpawnObject
    summary: ClassVar[str] = "Put an obstacle into the world."
    op: ClassVar[str] = "spawn"

    def plan(self, entry: SpawnObject, context: PlanContext) -> dict[str, Any]:
        """Return the simulator's request, with the pose in the world frame."""
        _refuse_vehicle(entry.model, context)
        context.new_model(entry.model)
        request: dict[str, Any] = {
            "model": entry.model,
            "pose": context.place(entry.pose, at="pose").to_data(),
        }
        if entry.uri is not None:
            return {"request": request | {"sdf": context.model_uri(entry.uri)}}
        dimensions = {key: getattr(entry, key) for key in _SHAPES[str(entry.shape)]}
        looks = {key: getattr(entry, key) for key in _LOOKS if getattr(entry, key) is not None}
        return {"request": request | {"shape": {"type": entry.shape, **dimensions}, **looks}}

    def models(self, entry: SpawnObject) -> ModelChanges:
        """Return what it spawns."""
        return ModelChanges(spawns=frozenset({entry.model}))


class RemoveObject(TimelineBase):
    """A model that vanishes."""

    action: Literal["remove_object"]
    model: Name = Field(description="A model of the world, spawned or its own.")


class RemoveObjectEvent(_WorldEvent):
    """Takes a model out of the world; vehicles cannot be taken.

    A name that neither the world nor an entry of the scenario has is refused when the scenario
    is read, unless a plugin's event could bring it.
    """

    action: ClassVar[str] = "remove_object"
    Entry: ClassVar[type[TimelineBase]] = RemoveObject
    summary: ClassVar[str] = "Take a model out of the world."
    op: ClassVar[str] = "remove"

    def plan(self, entry: RemoveObject, context: PlanContext) -> dict[str, Any]:
        """Return the simulator's request."""
        _refuse_vehicle(entry.model, context)
        return {"request": {"model": context.model(entry.model)}}

    def models(self, entry: RemoveObject) -> ModelChanges:
        """Return what it takes away."""
        return ModelChanges(removes=frozenset({entry.model}))


class Teleport(TimelineBase):
    """A vehicle or a model put somewhere else at once."""

    action: Literal["teleport"]
    model: Name | None = Field(default=None, description="The model; or give vehicle.")
    pose: Placement = Field(description="Where to; a vehicle stands on it.")

    @model_validator(mode="after")
    def _one_thing(self) -> "Teleport":
        if (self.vehicle is None) == (self.model is None):
            what = (
                "needs a vehicle or a model" if self.model is None else "does not go with vehicle"
            )
            path = () if self.model is None else ("model",)
            raise faults("Teleport", [Problem(what, path)])
        return self


class TeleportEvent(_WorldEvent):
    """Moves a vehicle or a model at once, its velocities kept; its software is not told."""

    action: ClassVar[str] = "teleport"
    Entry: ClassVar[type[TimelineBase]] = Teleport
    summary: ClassVar[str] = "Put a vehicle or a model somewhere else at once."
    op: ClassVar[str] = "teleport"

    def plan(self, entry: Teleport, context: PlanContext) -> dict[str, Any]:
        """Return the simulator's request, with the pose in the world frame."""
        if entry.vehicle is not None:
            model = context.vehicle(entry.vehicle).name
        else:
            model = str(entry.model)
            if model not in context.facts.vehicles:
                context.model(model)
        pose = context.place(entry.pose, at="pose").to_data()
        return {"request": {"model": model, "pose": pose}}


class SetWind(TimelineBase):
    """The wind over the whole world."""

    action: Literal["set_wind"]
    velocity: Annotated[list[Speed], Field(min_length=3, max_length=3)] = Field(
        description="[x, y, z] in m/s: east, north, up."
    )
    enabled: bool = Field(default=True, description="Whether it blows.")


class SetWindEvent(_WorldEvent):
    """Sets the wind, which pushes the links of models that ask for it."""

    action: ClassVar[str] = "set_wind"
    Entry: ClassVar[type[TimelineBase]] = SetWind
    summary: ClassVar[str] = "Set the wind."
    op: ClassVar[str] = "wind"

    def plan(self, entry: SetWind, context: PlanContext) -> dict[str, Any]:  # noqa: ARG002
        """Return the simulator's request."""
        return {"request": {"velocity": list(entry.velocity), "enabled": entry.enabled}}


def _refuse_vehicle(model: str, context: PlanContext) -> None:
    if model in context.facts.vehicles:
        hint = "container.kill ends a vehicle's software, teleport moves it"
        raise context.refusal(f"{model} is a vehicle", at="model", hint=hint)
