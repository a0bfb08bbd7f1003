from fieldproof.driving.loading import LoadedScenario
from fieldproof.driving.simulators._adapter import ClosedLoopSimulator
from fieldproof.driving.simulators._carla import CarlaAdapter
from fieldproof.driving.simulators._external import (
    REQUIREMENTS,
    UnavailableAdapter,
    missing_for,
)
from fieldproof.driving.simulators._mock import MockAdapter


def open_simulator(scenario: LoadedScenario) -> ClosedLoopSimulator:
    """Return the simulator that a scenario names; nothing is started yet.

    One that cannot be used here says so when it is started, so that the suite goes on.
    """
    name = scenario.file.simulator_settings().name
    if name == "mock":
        return MockAdapter(scenario)
    if name in REQUIREMENTS:
        why = missing_for(scenario)
        if why:
            return UnavailableAdapter(name, why)
        if name == "carla":
            return CarlaAdapter(scenario)
        title = REQUIREMENTS[name].title
        why = f"{title} is there, but this version has no way to drive it: use mock or carla"
        return UnavailableAdapter(name, why)
    what = "ROS 2" if name == "ros2" else f"the simulator {name}"
    why = f"{what} cannot be used for driving scenarios in this version: use mock or carla"
    return UnavailableAdapter(name, why)
