from fieldproof.driving.loading import LoadedScenario
from fieldproof.driving.simulators._adapter import ClosedLoopSimulator, SimulatorFault
from fieldproof.driving.simulators._carla import CarlaAdapter
from fieldproof.driving.simulators._external import missing_for
from fieldproof.driving.simulators._mock import MockAdapter


def open_simulator(scenario: LoadedScenario) -> ClosedLoopSimulator:
    """Return the simulator that a scenario names; nothing is started yet.

    Raises:
        SimulatorFault: It cannot be used here; says what is missing.
    """
    settings = scenario.file.simulator_settings()
    if settings.name == "mock":
        return MockAdapter(scenario)
    missing = missing_for(settings)
    if missing:
        raise SimulatorFault(missing)
    try:
        return CarlaAdapter(scenario)
    except ImportError as error:
        raise SimulatorFault(f"CARLA cannot be used: its package is broken: {error}") from error
