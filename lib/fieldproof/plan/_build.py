import pathlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from fieldproof.model import (
    Draft,
    Overlay,
    Path,
    Pose,
    Problem,
    Scenario,
    ScenarioError,
    Strict,
    TimelineBase,
    VehicleManifest,
    VehicleSettings,
    World,
    draft_scenario,
    legible,
)
from fieldproof.plan._compose import compose_evaluation, compose_execution
from fieldproof.plan._context import PlanContext
from fieldproof.plan._facts import PlanFacts, PlannedWorld, Unchecked
from fieldproof.plan._hooks import planned_by
from fieldproof.plan._library import Shelved, shelved_model, shelved_robot, shelved_world
from fieldproof.plan._messages import FieldsOf, unknown_fields
from fieldproof.plan._models import ModelChanges, ModelsOf, WorldModels, unknown_models
from fieldproof.plan._order import CircleError, settled_last
from fieldproof.plan._planned import PlannedAssertion, PlannedVehicle
from fieldproof.plan._routes import RoutesOf, no_routes
from fieldproof.plan._timeline import PlannedEntry, trigger_of
from fieldproof.plan._times import late_problems, mode_of, tick_problems
from fieldproof.plan._types import Registries
from fieldproof.plan._watches import Watch

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Plan:
    """The two plans of a run, and the files that the run needs.

    Attributes:
        execution: All that can change what happens.
        evaluation: All that is judged and measured.
        files: Path in the bundle, such as `worlds/dock_yard/world.sdf`, to the file it copies.
    """

    execution: dict[str, Any]
    evaluation: dict[str, Any]
    files: Mapping[str, pathlib.Path]


def build_plan(
    scenario_file: pathlib.Path | str,
    *,
    worlds_dir: pathlib.Path,
    robots_dir: pathlib.Path,
    registries: Registries,
    routes: RoutesOf = no_routes,
    models: ModelsOf = unknown_models,
    fields: FieldsOf = unknown_fields,
    overlay: Overlay | None = None,
    file: str | None = None,
) -> tuple[Scenario, Plan]:
    """Return a scenario and its plans.

    Args:
        scenario_file: The scenario, or its text.
        worlds_dir: Where worlds are looked for.
        robots_dir: Where robots are looked for.
        registries: What the scenario may use.
        routes: Says where a vehicle's bridge can put faults.
        models: Says which models a world has.
        fields: Says what a message type consists of.
        overlay: Values for what the scenario leaves open.
        file: What positions name; the path when absent. To be given with a text.

    Raises:
        OSError: A file cannot be read.
        ScenarioError: With everything that is wrong, in the order of the file.
    """
    draft = draft_scenario(
        scenario_file,
        file=file,
        event_types=registries.entry_types(),
        assertion_types=registries.assertion_specs(),
        kpi_types=registries.kpi_specs(),
        overlay=overlay,
    )
    planner = _Planner(draft, registries, routes, models, fields, worlds_dir)
    planner.look_up(robots_dir)
    planner.plan_entries()
    scenario = draft.scenario(planner.problems)
    assert planner.world is not None
    execution = compose_execution(
        scenario,
        world=planner.world.model,
        vehicles=[one for one in planner.vehicles.values() if one is not None],
        entries=planner.entries,
        watches=planner.watches,
        assertions=planner.assertions,
        topics=planner.topics,
    )
    evaluation = compose_evaluation(scenario, planner.assertions, planner.kpis)
    return scenario, Plan(execution, evaluation, dict(sorted(planner.files.items())))


@dataclass(slots=True)
class _Planner:
    """Resolves one draft and keeps every problem on the way."""

    draft: Draft
    registries: Registries
    routes: RoutesOf
    models: ModelsOf
    fields: FieldsOf
    worlds_dir: pathlib.Path
    problems: list[Problem] = field(default_factory=list)
    files: dict[str, pathlib.Path] = field(default_factory=dict)
    world: Shelved[World] | None = None
    vehicles: dict[str, PlannedVehicle | None] = field(default_factory=dict)
    places: dict[tuple[float, float], str] = field(default_factory=dict)
    entries: list[PlannedEntry] = field(default_factory=list)
    assertions: list[PlannedAssertion] = field(default_factory=list)
    kpis: list[PlannedAssertion] = field(default_factory=list)
    watches: list[Watch] = field(default_factory=list)
    topics: list[str] = field(default_factory=list)

    def look_up(self, robots_dir: pathlib.Path) -> None:
        """Find the world and the robots, and put every vehicle in its place."""
        name = self.draft.world
        if name is not None:
            self.world = self._kept(("world",), lambda: shelved_world(self.worlds_dir, name))
        if self.world is not None:
            self._add_all(self.world.problems)
            self.files.update(self.world.files)
            self._add_all(tick_problems(self.draft, self.world.model.physics.step_s))
        self.vehicles = dict.fromkeys(self.draft.vehicle_names)
        robots: dict[str, Shelved[VehicleManifest] | None] = {}
        for place, settings in enumerate(self.draft.vehicles):
            lost = self.draft.lost(("vehicles", place))
            if settings is None:
                continue
            robot = None if "manifest" in lost else settings.manifest
            path = ("vehicles", place, "manifest")
            if robot is not None and robot not in robots:
                robots[robot] = self._kept(path, lambda: shelved_robot(robots_dir, robot))  # noqa: B023 - called at once
            shelved = None if robot is None else robots[robot]
            if shelved is not None:
                self._add_all(shelved.problems)
                self.files.update(shelved.files)
                self._check_lockstep(shelved.model, path)
            vehicle = self._vehicle(settings, place, shelved, lost)
            if not lost & {"name", "namespace"}:
                self.vehicles[settings.name] = vehicle

    def plan_entries(self) -> None:
        """Ask every event, assertion and collector what its entry stands for here."""
        facts = replace(self._facts(), models=self._world_models())
        stand_for, facts = self._plan_events(facts)
        for place, entry in enumerate(self.draft.timeline):
            if entry is None:
                continue
            path: Path = ("timeline", place)
            context = PlanContext(facts, path, entry, refused=[])
            trigger = self._kept(path, lambda: trigger_of(entry, context))  # noqa: B023
            self._take_refused(path, context)
            resolved = stand_for.get(place)
            if trigger is not None and resolved is not None and path not in self.draft.salvage:
                self.watches.extend(trigger.watches)
                self.entries.append(PlannedEntry(entry, trigger, resolved))
        for section, specs, kinds, planned in (
            ("assertions", self.draft.assertions, self.registries.assertions, self.assertions),
            ("kpis", self.draft.kpis, self.registries.kpis, self.kpis),
        ):
            for place, spec in enumerate(specs):
                if spec is not None:
                    path = (section, place)
                    kind = self._kind(path, spec, "type", kinds)
                    self._plan_judge(facts, path, spec, kind, planned)
        self._check_circles()
        self._add_all(late_problems(self.draft))
        self._plan_topics(facts)

    def _planned(self, path: Path, name: str, kind: Any, context: PlanContext) -> Any:
        """Return what an entry stands for, or None when its type or a look-up refuses it."""
        planned = self._asked(path, name, lambda: planned_by(kind, context))
        return None if self._take_refused(path, context) else planned

    def _take_refused(self, path: Path, context: PlanContext) -> bool:
        """Keep what look-ups refused, and return whether they did."""
        if not context.refused:
            return False
        self._keep(path, context.refused)
        context.refused.clear()
        return True

    def _plan_events(self, facts: PlanFacts) -> tuple[dict[int, dict[str, Any]], PlanFacts]:
        """Return what entries stand for by their places, and the facts with what they publish.

        Conditions and assertions may read what any event publishes, so this comes before them.
        """
        stand_for: dict[int, dict[str, Any]] = {}
        published: dict[str, str] = {}
        more = False
        for place, entry in enumerate(self.draft.timeline):
            if entry is None:
                continue
            path: Path = ("timeline", place)
            context = PlanContext(facts, path, entry, refused=[])
            self._kept(path, context.check_places)
            event = self._kind(path, entry, "action", self.registries.events)
            resolved = event and self._planned(path, entry.action, event, context)
            published.update(context.published)
            if resolved is not None:
                stand_for[place] = resolved
            elif event is None or not type(event).__module__.startswith("fieldproof.events."):
                more = True  # the built-in ones publish nothing
        return stand_for, replace(facts, published=published, more_published=more)

    def _check_circles(self) -> None:
        """Refuse assertions that wait for each other: none of them could come first."""
        known = {one.spec.name: one for one in self.assertions}
        waits = {name: [on for on in one.depends_on if on in known] for name, one in known.items()}
        try:
            settled_last(waits)
        except CircleError as error:
            section, _, place = known[error.names[0]].source.partition("[")
            self._add(Problem(str(error), (section, int(place.removesuffix("]")))))

    def _plan_judge(
        self, facts: PlanFacts, path: Path, spec: Any, kind: Any, planned: list[PlannedAssertion]
    ) -> None:
        context = PlanContext(facts, path, spec, refused=[])
        self._kept(path, context.check_places)
        if kind is None:
            return
        one = self._planned(path, spec.type, kind, context)
        if one is not None and "name" not in self.draft.lost(path):
            planned.append(one.at(f"{path[0]}[{path[1]}]").after(context.asked))
        if one is not None and path not in self.draft.salvage:
            self.watches.extend(kind.watches(one))

    def _plan_topics(self, facts: PlanFacts) -> None:
        outputs = self.draft.outputs
        for place, topic in enumerate(outputs.topics if outputs else ()):
            path = ("outputs", "topics", place)
            context = PlanContext(facts, path, Strict())
            owners = [None] if topic.startswith("/") else list(self.vehicles)
            publishers = [one for one in owners if self._is_published(facts, one, topic)]
            for owner in publishers or owners:
                found = self._kept(path, lambda: context.topic(owner, topic, at=()))  # noqa: B023
                if found is not None:
                    self.topics.append(found)

    def _is_published(self, facts: PlanFacts, owner: str | None, topic: str) -> bool:
        vehicle = self.vehicles.get(owner or "")
        if vehicle is None or topic in vehicle.manifest.topics():
            return False
        return vehicle.topic(topic) in facts.published

    def _facts(self) -> PlanFacts:
        world = None
        if self.world is not None:
            model = self.world.model
            frames = {name: frame.pose() for name, frame in model.frames.items()}
            world = PlannedWorld(self.draft.world or "", frames, model.physics.step_s.ns)
        return PlanFacts(
            world=world,
            vehicles=self.vehicles,
            actions=self.draft.labels,
            repeated=self.draft.repeated,
            assertions=self.draft.assertion_names,
            mode=mode_of(self.draft),
            doubtful=self.draft.doubtful,
            model=self._model,
            fields=self.fields,
        )

    def _world_models(self) -> WorldModels | None:
        """Return the models of the world and what the timeline does to them, if that is known."""
        if self.world is None:
            return None
        changes = [
            None if entry is None else self._changes(("timeline", place), entry)
            for place, entry in enumerate(self.draft.timeline)
        ]
        sdf = None
        if "sdf" not in self.world.lost:
            sdf = self.world.files.get(f"worlds/{self.draft.world}/{self.world.model.sdf}")
        return WorldModels.of(None if sdf is None else self.models(sdf), changes)

    def _kind(self, path: Path, entry: Any, key: str, kinds: Mapping[str, Any]) -> Any:
        """Return the type of an entry; None of one whose type is not known."""
        return None if key in self.draft.lost(path) else kinds[getattr(entry, key)]

    def _changes(self, path: Path, entry: TimelineBase) -> ModelChanges | None:
        event = self._kind(path, entry, "action", self.registries.events)
        if event is None:
            return None
        changes = self._asked(path, entry.action, lambda: event.models(entry))
        return changes if isinstance(changes, ModelChanges) else None

    def _model(self, name: str) -> str:
        """Return where the plan keeps a model's SDF, and keep its files."""
        if self.world is None:
            raise Unchecked("world")
        shelved = shelved_model(self.worlds_dir, self.draft.world or "", name)
        self.files.update(shelved.files)
        return shelved.model

    def _vehicle(
        self,
        settings: VehicleSettings,
        place: int,
        shelved: Shelved[VehicleManifest] | None,
        lost: frozenset[str],
    ) -> PlannedVehicle | None:
        context = PlanContext(self._facts(), ("vehicles", place), settings)
        spawn: Pose | None = None
        if "spawn" not in lost:
            spawn = self._kept(
                ("vehicles", place), lambda: context.place(settings.spawn, at="spawn")
            )
        if spawn is not None and "name" not in lost:
            owner = self.places.setdefault((spawn.x, spawn.y), settings.name)
            if owner != settings.name:
                self._add(Problem(f"{owner} stands there", ("vehicles", place, "spawn")))
        if shelved is None or lost & {"name", "namespace"}:
            return None
        # A vehicle whose place is unknown is still looked at for its topics; no plan comes of it.
        return PlannedVehicle(
            settings.name,
            settings.ros_namespace,
            settings.manifest,
            spawn or Pose(0.0, 0.0),
            shelved.model,
            tuple(self.routes(settings.ros_namespace, shelved.model.to_data())),
        )

    def _check_lockstep(self, manifest: VehicleManifest, path: Path) -> None:
        if mode_of(self.draft) == "lockstep" and manifest.lockstep is None:
            hint = "give it a lockstep section, or use another time.mode"
            self._add(Problem(f"{manifest.name} does not say how a tick ends", path, hint))

    def _kept(self, path: Path, call: Callable[[], _Result]) -> _Result | None:
        """Return what a call returns, or None when it refuses; its problems are kept."""
        try:
            return call()
        except ScenarioError as error:
            self._keep(path, error.problems)
        except Unchecked:
            return None
        return None

    def _keep(self, path: Path, problems: Iterable[Problem]) -> None:
        """Keep the problems of a part of the file, but for those of what could not be read."""
        rest = self.draft.salvage.get(path)
        for problem in problems:
            if rest is None or not rest.blames(problem):
                self._add(problem if problem.file else problem.under(path))

    def _asked(self, path: Path, name: str, call: Callable[[], _Result]) -> _Result | None:
        """Do the same for the hook of a type, which may be a plugin's and may be broken."""
        try:
            return self._kept(path, call)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything
            if path in self.draft.salvage:
                return None  # it needed what could not be read
            what = f"{name} could not be planned: {type(error).__name__}: {error}"
            self._add(Problem(legible(what), path))
        return None

    def _add_all(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self._add(problem)

    def _add(self, problem: Problem) -> None:
        self.problems.append(problem if problem.file else self.draft.source.place(problem))
