"""What is wrong with the simulators of scenarios, before anything is run."""

from collections.abc import Callable, Iterable, Iterator

from fieldproof.driving.files import SimulatorSettings
from fieldproof.driving.loading import DRIVING, LoadedScenario, in_order, mapping_in, placed
from fieldproof.driving.simulators._carla_sensors import WEATHER
from fieldproof.driving.simulators._external import missing_for
from fieldproof.model import Path, Problem, ScenarioError, nearest, shown

Missing = Callable[[SimulatorSettings], str]


def check_simulators(
    scenarios: Iterable[LoadedScenario], *, missing: Missing = missing_for
) -> None:
    """Refuse scenarios whose simulator is not there, or cannot do what they ask of it.

    Args:
        scenarios: sound ones.
        missing: says what is missing to use a simulator, empty for nothing.

    Raises:
        ScenarioError: With every problem and its position.
        OSError: A scenario cannot be read again.
    """
    known: dict[str, str] = {}
    problems: list[Problem] = []
    for scenario in scenarios:
        settings = scenario.file.simulator_settings()
        if settings.name == "mock":
            continue
        key = f"{settings.name} {settings.host}:{settings.port} {settings.timeout_seconds}"
        if key not in known:  # since waiting for a server takes its time
            known[key] = missing(settings)
        found = list(_beyond_carla(scenario)) if settings.name == "carla" else []
        if known[key]:
            path: Path = ("simulator",)
            if not isinstance(scenario.file.simulator, str):
                path = (*path, "name")
            found.append(Problem(known[key], path))
        if found:
            problems += placed(mapping_in(scenario.read[0], scenario.path), found)
    if problems:
        raise ScenarioError(in_order(problems))


def _beyond_carla(scenario: LoadedScenario) -> Iterator[Problem]:
    """Yield what a scenario asks for that the adapter of CARLA has no way to do."""
    file = scenario.file
    settings, environment = file.simulator_settings(), file.environment
    out = "leave it out, or use mock"
    if scenario.task_type != DRIVING:
        what = f"carla drives cars, and this scenario is one of a {scenario.task_type}"
        yield Problem(what, ("simulator",), "use mock")
    for key in ("topics", "options"):
        if getattr(settings, key):
            yield Problem(f"carla takes no {key}", ("simulator", key), "leave it out")
    if environment.weather not in WEATHER:
        what = f"carla has no weather {shown(environment.weather)}"
        hint = nearest(environment.weather, WEATHER)
        yield Problem(what, ("environment", "weather"), hint)
    for key in ("traffic_lights", "traffic_signals"):
        if getattr(environment, key):
            what = "carla looks at the traffic lights of its map, not at those of the scenario"
            yield Problem(what, ("environment", key), out)
    pose = None if file.initial_state is None else file.initial_state.pose
    for key in ("pitch", "roll"):
        if pose is not None and getattr(pose, key):
            path = ("initial_state", "pose", key)
            yield Problem("carla puts cars down level", path, "leave it out")
