from collections.abc import Mapping
from typing import Any

from fieldproof.driving.loading import LoadedScenario
from fieldproof.driving.simulators._adapter import StepResult
from fieldproof_sim.mock import MockSimulator


class MockAdapter:
    """The mock simulator, in this process."""

    name = "mock"

    def __init__(self, scenario: LoadedScenario) -> None:
        """Take a sound scenario."""
        self._simulator = MockSimulator(scenario.to_data())
        self._info = {"simulator": MockSimulator.name, "version": MockSimulator.version}
        robot = self._simulator.state().get("robot")
        self.joints = len(robot["joint_positions"]) if robot else 0

    def start(self) -> StepResult:
        """Return the state at time zero."""
        seen = self._simulator.reset()
        return StepResult(
            0.0, seen["ego"], seen["actors"], seen, [], seen.get("robot"), {}, self._info
        )

    def step(self, action: Mapping[str, Any]) -> StepResult:
        """Advance by one timestep."""
        done = self._simulator.step(action)
        return StepResult(
            done.t,
            done.ego,
            done.actors,
            done.observation,
            done.events,
            done.robot,
            done.sim_state,
            self._info,
        )

    def close(self) -> None:
        """There is nothing to let go of."""
