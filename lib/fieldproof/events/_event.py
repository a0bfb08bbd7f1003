from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from fieldproof.events._record import ActionRecord
from fieldproof.events._running import Running, Worker
from fieldproof.model import Pose, TimelineBase
from fieldproof.plan import PlanContext
from fieldproof.timeline import CANCELLED

POLL_S = 0.05


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

        `REJECTED` stands for a goal that the stack did not accept. Never blocks on the goal.
        """
        ...

    def cancel(self) -> None:
        """Ask the stack to give the goal up."""
        ...


class EventContext(Protocol):
    """What an event may do to the run and learn of it while it happens."""

    @property
    def tearing_down(self) -> bool:
        """Whether the run is ending."""
        ...

    def vehicle(self, name: str) -> VehicleHandle:
        """Return a vehicle of the run."""
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

    def log(self, event: str, message: str, **fields: Any) -> None:
        """Write a line of engine.log, which the recording carries too."""
        ...

    def clock(self) -> float:
        """Return seconds since the timeline's start, on the clock that the run counts by."""
        ...

    def hold(self, seconds: float) -> bool:
        """Wait on that clock; return False at once when the run is ending. Worker threads only."""
        ...


class Event:
    """A kind of thing that a timeline can make happen.

    A type overrides `apply` or `start`, and each is then defined by the other:

    - `apply` blocks until the occurrence is over and runs on a worker thread. It is the simpler
      one, and what plugins usually write. In lockstep the moment at which its end is noticed
      depends on the thread.
    - `start` returns at once with something to poll. The engine polls between ticks, so in
      lockstep both ends of the occurrence fall on ticks and a run repeats exactly.
    """

    action: ClassVar[str]
    """What an entry writes as its action."""
    Entry: ClassVar[type[TimelineBase]]
    """The entry: triggers from `TimelineBase`, `action` as a literal, and the parameters."""
    summary: ClassVar[str]
    """What happens, in a sentence."""

    def plan(self, entry: Any, context: PlanContext) -> dict[str, Any]:  # noqa: ARG002
        """Return what the entry stands for in this scenario, as JSON data.

        Runs when the scenario is validated; `start` and `apply` get the result back, together
        with `limit_s`, the seconds that the occurrence may take.

        Raises:
            ScenarioError: The entry cannot be carried out in this scenario.
        """
        return {}

    def apply(
        self, entry: Any, resolved: Mapping[str, Any], context: EventContext, record: ActionRecord
    ) -> None:
        """Make it happen, and set the record's status and detail.

        A record left `running` ends `ok`; an exception ends it `failed` with its text.
        """
        running = self.start(entry, resolved, context, record)
        while not running.poll():
            if not context.hold(POLL_S):
                running.cancel()
                record.status = CANCELLED
                return

    def start(
        self, entry: Any, resolved: Mapping[str, Any], context: EventContext, record: ActionRecord
    ) -> Running:
        """Begin it and return what to poll until it is over."""
        return Worker(lambda: self.apply(entry, resolved, context, record), name=record.name)
