import hashlib
import pathlib
from dataclasses import dataclass

from fieldproof.driving.files import Gates, SuiteFile
from fieldproof.driving.loading._placed import in_order, mapping_in, part_of
from fieldproof.driving.loading._scenario import LoadedScenario, load_scenario
from fieldproof.model import Problem, ScenarioError


@dataclass(frozen=True, slots=True)
class LoadedSuite:
    """A suite whose scenarios are all sound.

    Attributes:
        file: What the file says.
        scenarios: In the order of the file.
        path: The file as it was named.
        sha256: Of the file.
        read: The files that it was made of: its own and those of its scenarios.
    """

    file: SuiteFile
    scenarios: tuple[LoadedScenario, ...]
    path: str
    sha256: str
    read: tuple[pathlib.Path, ...] = ()

    @property
    def id(self) -> str:
        """The suite's id."""
        return self.file.id

    @property
    def doubts(self) -> tuple[Problem, ...]:
        """What its scenarios say that is allowed and hardly meant so, with its places."""
        return tuple(one for scenario in self.scenarios for one in scenario.doubts)

    @property
    def gates(self) -> Gates:
        """What the suite must reach."""
        return self.file.gates


def load_suite(path: pathlib.Path, *, file: str | None = None) -> LoadedSuite:
    """Return the suite in a file with all of its scenarios.

    Args:
        path: The file; its scenarios are looked for as seen from its folder.
        file: What positions name; the path when absent.

    Raises:
        OSError: The suite cannot be read.
        ScenarioError: With everything that is wrong with the suite and its scenarios.
    """
    name = file or str(path)
    document = mapping_in(path, name)
    suite = part_of(document, SuiteFile, document.value, ())
    problems: list[Problem] = []
    scenarios: dict[str, LoadedScenario] = {}

    def refuse(place: int, what: str, hint: str = "") -> None:
        problems.append(document.source.place(Problem(what, ("scenarios", place), hint)))

    for place, written in enumerate(suite.scenarios):
        if pathlib.PurePath(written).is_absolute():
            refuse(place, "must be relative to the suite's folder")
            continue
        shown_as = _tidied(pathlib.PurePath(name).parent / written)
        try:
            scenario = load_scenario(path.parent / written, file=shown_as)
        except ScenarioError as error:
            problems += error.problems
        except OSError as error:
            refuse(place, f"{shown_as} cannot be read: {error.strerror or error}")
        except ValueError:
            refuse(place, "is no path")
        else:
            before = scenarios.setdefault(scenario.id, scenario)
            if before is not scenario:
                refuse(place, f"the id {scenario.id} is that of {before.path} as well")
    if problems:
        raise ScenarioError(in_order(problems))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    read = (path, *(one for scenario in scenarios.values() for one in scenario.read))
    return LoadedSuite(suite, tuple(scenarios.values()), name, digest, read)


def find_suites(folder: pathlib.Path) -> list[pathlib.Path]:
    """Return the suite files in a folder, by name; none if there is no such folder."""
    return sorted(folder.glob("*.yaml")) if folder.is_dir() else []


def _tidied(path: pathlib.PurePath) -> str:
    """Return a path without its `..` where they can be left out, as people write it."""
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts and parts[-1] not in {"..", "/"}:
            parts.pop()
        else:
            parts.append(part)
    return str(pathlib.PurePath(*parts))
