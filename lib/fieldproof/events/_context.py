"""What an event may do to a run and learn of it while it happens."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from fieldproof.events._running import Running
from fieldproof.model import Pose

StackState = Literal["running", "paused", "gone"]
"""What the software of a vehicle does: it runs, it is frozen, or it was ended."""
TimeState = Literal["running", "paused", "stepped"]
"""What simulation time does: it runs, it stands, or it runs to where it will stand."""


class Refused(Exception):  # noqa: N818 - it is the run's answer, not a fault
    """The run cannot do what an event asked for; the text says why, for people."""


@dataclass(frozen=True, slots=True)
class ParameterOutcome:
    """What a node answered when it was asked to take a parameter's value."""

    accepted: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Completed:
    """A program that ran to its end.

    Attributes:
        exit_code: As a shell shows it; 124 when its time was up.
        lines: The last of what it wrote, without line ends.
    """

    exit_code: int
    lines: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it ended with 0."""
        return self.exit_code == 0

    def tail(self, count: int) -> str:
        """Return the last lines as one text."""
        return "\n".join(self.lines[-count:]) if count > 0 else ""


class VehicleHandle(Protocol):
    """A vehicle of the running scenario."""

    @property
    def name(self) -> str: ...
    @property
    def namespace(self) -> str: ...
    @property
    def spawn(self) -> Pose:
        """Where it started, in the world frame; its map frame starts there."""
        ...

    def topic(self, name: str) -> str:
        """Return a name made absolute under the vehicle's namespace."""
        ...


class Navigation(Protocol):
    """A goal that was sent to a vehicle's navigation stack."""

    def result(self) -> str | None:
        """Return the action's final status, such as `SUCCEEDED`, or None while it runs.

        `REJECTED` stands for a goal that the stack did not accept, `LOST` for one whose stack
        was killed. Never blocks on the goal.
        """
        ...

    def cancel(self) -> None:
        """Ask the stack to give the goal up."""
        ...


class ParameterCall(Protocol):
    """A node that was asked to take a parameter's value."""

    @property
    def found(self) -> bool:
        """Whether the node is there."""
        ...

    def result(self) -> ParameterOutcome | None:
        """Return the node's answer, or None while there is none. Never blocks."""
        ...


class EventContext(Protocol):
    """What an event may do to the run and learn of it while it happens.

    Every call may come from the engine's thread (`start` and what it returns) or from a worker's
    (`apply`); in either case it is carried out between two ticks. What the run cannot do raises
    `Refused`, which ends the occurrence `failed` with its text unless the event handles it.
    """

    @property
    def tearing_down(self) -> bool:
        """Whether the run is ending."""
        ...

    def vehicle(self, name: str) -> VehicleHandle:
        """Return a vehicle of the run."""
        ...

    def clock(self) -> float:
        """Return seconds since the timeline's start, on the clock that the run counts by."""
        ...

    def sim_s(self) -> float:
        """Return seconds of simulation time."""
        ...

    def time_state(self) -> TimeState:
        """Return what simulation time does; in lockstep it runs."""
        ...

    def hold(self, seconds: float) -> bool:
        """Wait on `clock`; return False at once when the run is ending. Worker threads only."""
        ...

    def background(self, call: Callable[[], None], *, name: str) -> Running:
        """Run a blocking call on a worker thread.

        In lockstep the world does not move on while the worker does anything but `hold`, so that
        what it does falls on ticks.
        """
        ...

    def log(self, event: str, message: str, **fields: Any) -> None:
        """Write a line of engine.log, which the recording carries too."""
        ...

    def navigate(
        self, vehicle: VehicleHandle, goal: Mapping[str, Any], *, timeout_s: float
    ) -> Navigation:
        """Send a NavigateToPose goal.

        Args:
            vehicle: Whom to send.
            goal: `frame_id`, `x` and `y` in metres and `yaw` in radians in that frame.
            timeout_s: How long the goal may take altogether.
        """
        ...

    def pause(self, vehicle: VehicleHandle) -> None:
        """Freeze every process of the vehicle's software."""
        ...

    def resume(self, vehicle: VehicleHandle) -> None:
        """Let frozen software go on."""
        ...

    def kill(self, vehicle: VehicleHandle, signal: str) -> None:
        """Send the vehicle's software a signal, such as `SIGKILL`, and expect it to end."""
        ...

    def stack_state(self, vehicle: VehicleHandle) -> StackState:
        """Return what the vehicle's software does."""
        ...

    def set_parameter(
        self,
        vehicle: VehicleHandle,
        node: str,
        parameter: str,
        value: bool | float | str,  # noqa: FBT001 - it is the parameter's value
        *,
        timeout_s: float,
    ) -> ParameterCall:
        """Ask a node, by its absolute name, to take a parameter's value."""
        ...

    def simulate(self, op: str, **fields: Any) -> str:
        """Ask the simulator for something besides time and return its report, a sentence.

        Args:
            op: `spawn`, `remove`, `teleport`, `wind`, `pause`, `resume` or `step`.
            fields: The request's fields, as the simulator's protocol has them.
        """
        ...

    def set_fault(
        self,
        vehicle: VehicleHandle,
        route: str,
        fault: str,
        parameters: Mapping[str, Any] | None,
    ) -> float:
        """Put a fault on a route of the vehicle's bridge; None lifts it.

        The occurrence holds it: it stays until this occurrence lifts it or the run ends, beside
        whatever other occurrences hold on the route, and setting it again replaces its
        parameters. What this occurrence does not hold it cannot lift.

        Returns:
            Simulation time in seconds after which it acts.
        """
        ...

    def charge_pct(self, vehicle: VehicleHandle) -> float:
        """Return the charge of the vehicle's battery, in percent; refused without a battery."""
        ...

    def publish(self, topic: str, message_type: str, fields: Mapping[str, Any]) -> None:
        """Publish one message, as an operator would, and return when it is delivered.

        Args:
            topic: Its absolute name.
            message_type: Such as `std_msgs/msg/String`.
            fields: The message's fields by name, nested as the message is; the rest are defaults.
        """
        ...

    def run(
        self,
        vehicle: VehicleHandle,
        argv: Sequence[str],
        *,
        timeout_s: float,
        on_line: Callable[[str], None] | None = None,
    ) -> Completed:
        """Run a program in the environment of the vehicle's processes. Worker threads only.

        Args:
            vehicle: Whose environment.
            argv: Program and arguments.
            timeout_s: Wall time after which it is killed, with exit code 124.
            on_line: Takes each line that it writes.
        """
        ...

    def ros2(
        self,
        vehicle: VehicleHandle,
        argv: Sequence[str],
        *,
        timeout_s: float,
        on_line: Callable[[str], None] | None = None,
    ) -> Completed:
        """Run the `ros2` command line with these arguments, as `run` does; refused if absent."""
        ...
