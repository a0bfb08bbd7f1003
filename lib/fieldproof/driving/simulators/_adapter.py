from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class StepResult:
    """What one step of a simulator brought, in the one form that all of them give.

    Attributes:
        t: seconds since the start, at the end of the step.
        ego: `x`, `y`, `yaw` and `speed` at least; metres, degrees, metres a second.
        actors: the same of each actor, with `id` and `type`.
        observation: what the agent sees next.
        events: what began in the step, each with a `type`.
        robot: joints and gripper of a manipulator, else None.
        sim_state: the simulator's own state.
        info: about the simulator.
    """

    t: float
    ego: Mapping[str, Any]
    actors: list[dict[str, Any]]
    observation: Mapping[str, Any]
    events: list[dict[str, Any]]
    robot: Mapping[str, Any] | None = None
    sim_state: Mapping[str, Any] = field(default_factory=dict)
    info: Mapping[str, Any] = field(default_factory=dict)


class ClosedLoopSimulator(Protocol):
    """A simulator of one scenario, stepped by an agent's actions.

    Attributes:
        name: as scenarios call it.
        joints: how many a manipulator has, else 0.
    """

    name: str
    joints: int

    def start(self) -> StepResult:
        """Put everything where the scenario says and return the state at time zero.

        Raises:
            SimulatorFault: It cannot.
        """
        ...

    def step(self, action: Mapping[str, Any]) -> StepResult:
        """Advance by one timestep.

        Raises:
            SimulatorFault: It does not go on.
        """
        ...

    def close(self) -> None:
        """Let go of what was taken. Doing so again does nothing."""
        ...


class SimulatorFault(Exception):  # noqa: N818 - it is the scenario that fails
    """A simulator could not be reached, or did not go on; the text says what is missing."""
