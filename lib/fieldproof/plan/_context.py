from dataclasses import dataclass, field, replace

from fieldproof.model import (
    Path,
    Placement,
    Pose,
    Problem,
    ScenarioError,
    Signal,
    Strict,
    find_value,
    nearest,
    parts_of,
    shown,
)
from fieldproof.plan._facts import PlanFacts, PlannedWorld, Unchecked
from fieldproof.plan._messages import check_field
from fieldproof.plan._planned import PlannedVehicle, ResolvedSignal
from fieldproof.plan._routes import InjectorRoute, route_for
from fieldproof.plan._topic_names import unlisted

_OWN_NAMES = frozenset({"name", "type", "on_fail"})
"""Fields that say what an entry is, and never refer to anything."""
_MODEL_SCHEME = "model://"


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What an event or assertion type sees of the scenario while it plans one entry.

    Every look-up that fails raises a `ScenarioError` that names the field of the entry: the one
    given as `at`, or else the one that holds the value asked about.

    Attributes:
        facts: The scenario's world, vehicles, labels and time mode.
        where: The entry's place, such as `timeline[2]`.
        entry: The entry itself.
        asked: The assertions that the entry has asked for, in order: its verdict comes after
            theirs.
        published: The topics that the entry has said it publishes, absolute, with their types.
        refused: Where it is a list, look-ups of names, places and signals that fail add their
            problems to it and return something, so that one hook finds all that is wrong with an
            entry; nothing comes of what the hook then returns. None where they raise.
    """

    facts: PlanFacts
    where: Path
    entry: Strict = field(repr=False)
    asked: dict[str, None] = field(default_factory=dict, repr=False, compare=False)
    published: dict[str, str] = field(default_factory=dict, repr=False, compare=False)
    refused: list[Problem] | None = field(default=None, repr=False, compare=False)

    @property
    def world(self) -> PlannedWorld:
        """The world."""
        if self.facts.world is None:
            raise Unchecked("world")
        return self.facts.world

    @property
    def lockstep(self) -> bool:
        """Whether the engine steps the clock."""
        if self.facts.mode is None:
            raise Unchecked("time.mode")
        return self.facts.mode == "lockstep"

    @property
    def has_links(self) -> bool:
        """Whether the scenario has a network section."""
        return self.facts.has_links

    def refusal(self, what: str, *, at: str | Path = (), hint: str = "") -> ScenarioError:
        """Return the error that refuses the entry because of a field; the caller raises it."""
        return ScenarioError(what, path=(at,) if isinstance(at, str) else at, hint=hint)

    def vehicle(self, name: str, *, at: str | Path | None = None) -> PlannedVehicle:
        """Return a vehicle of the scenario by name."""
        if name not in self.facts.vehicles:
            self._insist_on("vehicles")
            hint = nearest(name, self.facts.vehicles)
            raise self._unknown("vehicle", name, at, ("vehicle",), hint)
        vehicle = self.facts.vehicles[name]
        if vehicle is None:
            raise Unchecked(name)
        return vehicle

    def place(self, placement: Placement, *, at: str | Path | None = None) -> Pose:
        """Return where a placement is in the world frame; a frame brings its own heading."""
        pose = placement.pose()
        if pose is not None:
            return pose
        name = str(placement.frame)
        if name not in self.world.frames:
            path = self._path_of(placement, at, ())
            hint = nearest(name, self.world.frames)
            what = f"unknown frame {shown(name)} of the world {self.world.name}"
            self._refuse(self.refusal(what, at=(*path, "frame"), hint=hint))
            return Pose(0.0, 0.0)
        return self.world.frames[name]

    def check_places(self) -> None:
        """Refuse every placement of the entry that names no frame of the world, all at once."""
        found: list[Problem] = []
        strict = replace(self, refused=None)
        for path, part in parts_of(self.entry):
            if isinstance(part, Placement):
                try:
                    strict.place(part, at=path)
                except ScenarioError as error:
                    found.extend(error.problems)
        if found:
            raise ScenarioError(found)

    def topic(
        self,
        vehicle: str | None,
        topic: str,
        *,
        message_type: str | None = None,
        at: str | Path | None = None,
    ) -> str:
        """Return the absolute name of a topic, refusing one that the vehicle cannot have.

        The vehicle's topics are those of its manifest, and those that events of the timeline
        publish. Where the manifest lists what the stack
        publishes, any other is refused. Where it does not, only a name that looks like a slip of
        the pen is, and a message type given with the topic vouches for it.
        """
        if topic.startswith("/"):
            owner = next(
                (one for one in self.facts.vehicles.values() if one and _owns(one, topic)), None
            )
            if owner is None:
                return topic
        elif vehicle is None:
            hint = "give vehicle, or a leading /"
            what = f"{topic} is relative to a vehicle and none is named"
            raise self.refusal(what, at=self._path_of(topic, at, ("topic",)), hint=hint)
        else:
            owner = self.vehicle(vehicle)
        absolute = owner.topic(topic)
        found = unlisted(owner, absolute, self.facts.published)
        if found is not None and (found.in_full or (message_type is None and found.is_slip)):
            if self.facts.more_published and not found.is_slip:
                raise Unchecked("timeline")
            self._refuse(self._unknown("topic", topic, at, ("topic",), found.hint))
        return absolute

    def publishes(self, vehicle: str | None, topic: str, message_type: str) -> str:
        """Say that the entry's event publishes a topic, so that assertions may read it.

        Args:
            vehicle: Whose topic it is; None for an absolute one.
            topic: Absolute, or relative to the vehicle.
            message_type: Such as `std_msgs/msg/String`.

        Returns:
            The topic's absolute name.
        """
        absolute = topic
        if not topic.startswith("/"):
            if vehicle is None:
                what = f"{topic} is relative to a vehicle and none is named"
                raise self.refusal(what, hint="name a vehicle, or begin it with a slash")
            absolute = self.vehicle(vehicle).topic(topic)
        self.published[absolute] = message_type
        return absolute

    def message_type(self, absolute_topic: str, given: str | None) -> str | None:
        """Return the topic's type: as given, or as a manifest knows it; None if neither."""
        if given is not None:
            return given
        if absolute_topic in self.facts.published:
            return self.facts.published[absolute_topic]
        for vehicle in self.facts.vehicles.values():
            if vehicle is not None and _owns(vehicle, absolute_topic):
                relative = absolute_topic.removeprefix(f"/{vehicle.namespace}/")
                return vehicle.manifest.topics().get(relative)
        return None

    def field(
        self,
        field: str,
        message_type: str | None,
        *,
        at: str | Path | None = None,
    ) -> str:
        """Return a field of messages, refusing one that has no value in messages of the type.

        Of a type that is None, or that is not installed where the plan is made, nothing is refused.
        """
        if message_type is not None:
            try:
                check_field(field, message_type, self.facts.fields)
            except ScenarioError as error:
                path = self._path_of(field, at, ("field",))
                self._refuse(ScenarioError([one.under(path) for one in error.problems]))
        return field

    def injector(
        self,
        vehicle: PlannedVehicle,
        sensor: str | None,
        fault: str,
        *,
        at: str | Path = "sensor",
    ) -> InjectorRoute:
        """Return the route of a vehicle's bridge that a fault goes on.

        Args:
            vehicle: Whose.
            sensor: A sensor of the manifest, `odometry`, `joint_states`, `command`, `battery`, or a
                topic of one of them; None for the only one that takes the fault.
            fault: The fault, such as `dropout`.
            at: The field that names the sensor.
        """
        manifest = vehicle.manifest
        try:
            return route_for(
                vehicle.name,
                vehicle.routes,
                sensor=sensor,
                topic=None if sensor is None else vehicle.topic(sensor),
                fault=fault,
                unrouted=[one.name for one in manifest.sensors],
            )
        except ScenarioError as error:
            path = (at,) if isinstance(at, str) else at
            raise ScenarioError([one.under(path) for one in error.problems]) from None

    def model_uri(self, uri: str, *, at: str | Path = "uri") -> str:
        """Return where the plan keeps the SDF file of a `model://NAME`, adding it to the plan."""
        path = (at,) if isinstance(at, str) else at
        name = uri.removeprefix(_MODEL_SCHEME)
        if name == uri or not name or "/" in name:
            what = f"must be {_MODEL_SCHEME}NAME (got {shown(uri)})"
            raise self.refusal(what, at=path, hint="the models of the world are in its models/")
        try:
            return self.facts.model(name)
        except ScenarioError as error:
            raise ScenarioError(
                [one if one.file else one.under(path) for one in error.problems]
            ) from None

    def model(self, name: str, *, at: str | Path = "model") -> str:
        """Return the name of a model, refusing one that the world cannot have."""
        models = self.facts.models
        if models is not None and name not in models.own | models.spawned:
            hint = nearest(name, sorted(models.own | models.spawned))
            self._refuse(self._unknown("model", name, at, (), hint))
        return name

    def new_model(self, name: str, *, at: str | Path = "model") -> str:
        """Return the name of a model to spawn, refusing that of one that is always there."""
        models = self.facts.models
        if models is not None and name in models.own - models.removed:
            what = f"the world {self.world.name} has a model {name} of its own"
            hint = "give it another name, or remove that one first"
            self._refuse(self.refusal(what, at=at, hint=hint))
        return name

    def node(self, vehicle: str, node: str) -> str:
        """Return the absolute name of a node."""
        return self.vehicle(vehicle).topic(node)

    def action(self, label: str, *, at: str | Path | None = None) -> str:
        """Return the label of a timeline entry, which must exist."""
        if label not in self.facts.actions:
            self._insist_on("timeline")
            hint = nearest(label, self.facts.actions)
            self._refuse(self._unknown("timeline entry", label, at, ("action",), hint))
        return label

    def assertion(self, name: str, *, at: str | Path | None = None) -> str:
        """Return the name of another assertion, which must exist, and wait for its verdict."""
        own = getattr(self.entry, "name", None)
        if name not in self.facts.assertions or name == own:
            self._insist_on("assertions")
            others = [one for one in self.facts.assertions if one != own]
            hint = nearest(name, others)
            self._refuse(self._unknown("assertion", name, at, ("assertion",), hint))
            return name
        self.asked[name] = None
        return name

    def signal(
        self, signal: Signal, default_vehicle: str | None, *, at: str | Path | None = None
    ) -> ResolvedSignal:
        """Return a signal with its topic absolute, or its model and target in the world."""
        try:
            return self._signal(signal, default_vehicle, at)
        except ScenarioError as error:
            self._refuse(error)
        except Unchecked:
            if self.refused is None:
                raise  # else there is a problem already, and the entry may have others
        return ResolvedSignal()

    def _signal(
        self, signal: Signal, default_vehicle: str | None, at: str | Path | None
    ) -> ResolvedSignal:
        path = self._path_of(signal, at, ())
        name = signal.vehicle or default_vehicle
        if signal.needs_vehicle and name is None:
            what = "needs a vehicle"
            raise self.refusal(what, at=path, hint="here or on the entry")
        if signal.vehicle is not None:
            self.vehicle(signal.vehicle, at=(*path, "vehicle"))
        if signal.topic is not None:
            given = signal.message_type
            topic = self.topic(name, signal.topic, message_type=given, at=(*path, "topic"))
            message_type = self.message_type(topic, given)
            field = self.field(str(signal.field), message_type, at=(*path, "field"))
            return ResolvedSignal(topic=topic, field=field, message_type=message_type)
        if signal.metric == "rtf" and self.facts.mode == "lockstep":
            hint = "the clock is stepped there; use sim_time, or another time.mode"
            raise self.refusal("has no value in lockstep", at=(*path, "metric"), hint=hint)
        if not signal.needs_vehicle or name is None:
            return ResolvedSignal(metric=signal.metric)
        model = self.vehicle(name).name
        target = signal.target
        place = self.place(target, at=(*path, "target")) if target is not None else None
        return ResolvedSignal(metric=signal.metric, model=model, target=place)

    def _refuse(self, error: ScenarioError) -> None:
        if self.refused is None:
            raise error
        self.refused.extend(error.problems)

    def _insist_on(self, section: str) -> None:
        """Go on only if all names of a section are known."""
        if section in self.facts.doubtful:
            raise Unchecked(section)

    def _unknown(
        self, kind: str, name: str, at: str | Path | None, usual: Path, hint: str
    ) -> ScenarioError:
        return self.refusal(
            f"unknown {kind} {shown(name)}", at=self._path_of(name, at, usual), hint=hint
        )

    def _path_of(self, value: object, at: str | Path | None, usual: Path) -> Path:
        if at is not None:
            return (at,) if isinstance(at, str) else at
        if usual and getattr(self.entry, str(usual[0]), None) == value:
            return usual
        for key in type(self.entry).model_fields:
            rest = None
            if key not in _OWN_NAMES and key in self.entry.__dict__:
                rest = find_value(getattr(self.entry, key), value)
            if rest is not None:
                return (key, *rest)
        return ()


def _owns(vehicle: PlannedVehicle, absolute_topic: str) -> bool:
    return absolute_topic.startswith(f"/{vehicle.namespace}/")
