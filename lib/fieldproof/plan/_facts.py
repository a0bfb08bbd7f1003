from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from fieldproof.model import Mode, Pose, ScenarioError
from fieldproof.plan._messages import FieldsOf, unknown_fields
from fieldproof.plan._models import WorldModels
from fieldproof.plan._planned import PlannedVehicle


@dataclass(frozen=True, slots=True)
class PlannedWorld:
    """The world: its name, its frames, and the physics step in nanoseconds."""

    name: str
    frames: Mapping[str, Pose]
    step_ns: int


def _no_models(_name: str) -> str:
    raise ScenarioError("there are no models here")


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """What every hook of one scenario may look at.

    A part that could not be read is None, and names that refer to it are then not checked.

    Attributes:
        world: The world.
        vehicles: By name; a vehicle whose manifest could not be read maps to None.
        actions: Labels of the timeline.
        repeated: Those of them with `every`.
        assertions: Names of the assertions.
        mode: How time passes.
        doubtful: Sections with an item whose name could not be read: `vehicles`, `timeline` and
            `assertions`. What is not found there may be that item.
        has_links: Whether the scenario has a network section.
        model: Returns where the plan keeps the SDF of a model, by the model's name; raises
            `ScenarioError` without a path.
        models: The models of the world and what the timeline does to them; None when that cannot
            be told, as with an event of a plugin, which may spawn anything.
        fields: Returns what a message type consists of.
        published: The topics that events of the timeline publish, absolute, with their types.
        more_published: Whether events that could not be planned may publish others.
    """

    world: PlannedWorld | None
    vehicles: Mapping[str, PlannedVehicle | None]
    actions: tuple[str, ...] = ()
    repeated: frozenset[str] = frozenset()
    assertions: tuple[str, ...] = ()
    mode: Mode | None = "sim"
    has_links: bool = False
    model: Callable[[str], str] = _no_models
    models: WorldModels | None = None
    doubtful: frozenset[str] = frozenset()
    fields: FieldsOf = unknown_fields
    published: Mapping[str, str] = field(default_factory=dict)
    more_published: bool = False


class Unchecked(Exception):  # noqa: N818 - not an error of this entry
    """A hook asked for a part of the scenario whose own problem is reported already."""
