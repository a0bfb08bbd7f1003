import hashlib
import pathlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fieldproof.driving.evidence import (
    RobotAssertion,
    facts_of,
    known_types,
    plan_robot_assertion,
    robot_type,
)
from fieldproof.driving.files import (
    ASSERTION_SPECS,
    DrivingAssertion,
    Ego,
    ScenarioFile,
)
from fieldproof.driving.loading._actors import doubts_of, refused_actor_types
from fieldproof.driving.loading._placed import in_order, mapping_in, part_of, placed
from fieldproof.driving.loading._tags import canonical_tags, manifest_above
from fieldproof.model import Document, Problem, ScenarioError, nearest, shown, validated
from fieldproof.plan import PlanFacts

Assertion = DrivingAssertion | RobotAssertion

DRIVING, DRONE, MANIPULATOR = "driving", "drone", "manipulator"


@dataclass(frozen=True, slots=True)
class LoadedScenario:
    """A driving scenario that is sound.

    Attributes:
        file: What the file says.
        assertions: In the order of the file.
        tags: Its own, or the canonical ones of the pack it comes from.
        path: The file as it was named.
        sha256: Of the file.
        read: The files that it was made of: its own, and the manifest that gave it its tags.
        doubts: What is allowed and hardly meant so, with its places.
    """

    file: ScenarioFile
    assertions: tuple[Assertion, ...]
    tags: tuple[str, ...]
    path: str
    sha256: str
    read: tuple[pathlib.Path, ...] = ()
    doubts: tuple[Problem, ...] = ()

    @property
    def id(self) -> str:
        """The scenario's id."""
        return self.file.id

    @property
    def ego(self) -> Ego:
        """The ego, from the initial pose where the file has no other."""
        return self.file.the_ego()

    @property
    def task_type(self) -> str:
        """Whether a car or ground robot, a drone or a manipulator is driven."""
        return task_type_of(self.file)

    @property
    def timeout_fails(self) -> bool:
        """Whether running out of time fails the scenario."""
        said = self.file.failure_criteria.timeout
        return self.ego.goal is not None if said is None else said

    def to_data(self) -> dict[str, Any]:
        """Return the scenario as JSON data, its ego filled in, as simulators take it."""
        data: dict[str, Any] = self.file.model_dump(mode="json", exclude={"assertions", "tags"})
        data["ego"] = self.ego.model_dump(mode="json")
        data["task_type"] = self.task_type
        data["tags"] = list(self.tags)
        return data


def task_type_of(file: ScenarioFile) -> str:
    """Return what is driven, from where the scenario says that it comes from."""
    environment = file.environment
    said = (
        environment.marketplace_task_type,
        environment.marketplace_pack_domain,
        environment.metric_group,
        environment.replay_scene.domain,
    )
    words = " ".join(text.lower() for text in said if text)
    if "drone" in words:
        return DRONE
    return MANIPULATOR if "manipulat" in words else DRIVING


def load_scenario(path: pathlib.Path, *, file: str | None = None) -> LoadedScenario:
    """Return the driving scenario in a file.

    Args:
        path: The file.
        file: What positions name; the path when absent.

    Raises:
        OSError: The file cannot be read.
        ScenarioError: With everything that is wrong with it, in the order of the file.
    """
    document = mapping_in(path, file)
    problems: list[Problem] = []
    scenario: ScenarioFile | None = None
    try:
        scenario = part_of(document, ScenarioFile, document.value, ())
    except ScenarioError as error:
        problems += error.problems
    written = document.value.get("assertions")
    names = tuple(_names(written))
    facts = facts_of(scenario, names) if scenario is not None else None
    assertions: list[Assertion | None] = []
    for place, item in enumerate(written if isinstance(written, list) else ()):
        try:
            assertions.append(_assertion(item, facts))
        except ScenarioError as error:
            problems += placed(document, error.problems, ("assertions", place))
            assertions.append(None)
    problems += _name_problems(document, written)
    if scenario is not None:
        problems += _goal_problems(document, scenario, assertions)
        problems += refused_actor_types(document, scenario)
    if problems or scenario is None:
        raise ScenarioError(in_order(problems))
    manifest = manifest_above(path) if scenario.tags is None else None
    return LoadedScenario(
        scenario,
        tuple(one for one in assertions if one is not None),
        tags_of(scenario, path),
        file or str(path),
        hashlib.sha256(path.read_bytes()).hexdigest(),
        (path,) if manifest is None else (path, manifest),
        tuple(doubts_of(document, scenario)),
    )


def tags_of(scenario: ScenarioFile, path: pathlib.Path) -> tuple[str, ...]:
    """Return a scenario's tags; those of its pack where it was written before there were tags.

    Args:
        scenario: what its file says.
        path: its file, which lies in the pack where the pack is installed.

    Raises:
        ScenarioError: The manifest of the pack is not sound.
        OSError: It cannot be read.
    """
    if scenario.tags is not None:
        return tuple(scenario.tags)
    return canonical_tags(scenario.environment.marketplace_pack, scenario.id, path)


def _assertion(item: object, facts: PlanFacts | None) -> Assertion | None:
    """Return an assertion; None when it cannot be planned because the scenario is not sound."""
    if not isinstance(item, Mapping):
        return None  # the file's own model says so
    kind = item.get("type")
    if not isinstance(kind, str):
        what = "is missing" if kind is None else f"must be text (got {shown(kind)})"
        raise ScenarioError(what, path=("type",), hint=nearest("", known_types()))
    if kind in ASSERTION_SPECS:
        return validated(ASSERTION_SPECS[kind], item)
    robot = robot_type(kind)
    if robot is None:
        hint = nearest(kind, known_types())
        raise ScenarioError(f"unknown type {shown(kind)}", path=("type",), hint=hint)
    return plan_robot_assertion(item, robot, facts) if facts is not None else None


def _names(written: object) -> Iterator[str]:
    for item in written if isinstance(written, list) else ():
        name = item.get("name") if isinstance(item, Mapping) else None
        if isinstance(name, str):
            yield name


def _name_problems(document: Document, written: object) -> Iterator[Problem]:
    taken: set[str] = set()
    for place, item in enumerate(written if isinstance(written, list) else ()):
        name = item.get("name") if isinstance(item, Mapping) else None
        if not isinstance(name, str):
            continue
        if name in taken:
            path = ("assertions", place, "name")
            yield document.source.place(Problem(f"{name} is taken", path))
        taken.add(name)


def _goal_problems(
    document: Document, scenario: ScenarioFile, assertions: list[Assertion | None]
) -> Iterator[Problem]:
    if scenario.the_ego().goal is not None:
        return
    for place, one in enumerate(assertions):
        if one is not None and one.type == "goal_reached":
            path = ("assertions", place, "type")
            yield document.source.place(Problem("needs a goal", path, "give ego.goal"))
