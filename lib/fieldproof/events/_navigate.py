import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from fieldproof.events._context import EventContext, Navigation
from fieldproof.events._event import Event
from fieldproof.events._record import ActionRecord
from fieldproof.events._running import Running
from fieldproof.model import Duration, Name, Placement, Pose, PositiveDuration, TimelineBase
from fieldproof.plan import PlanContext
from fieldproof.timeline import FAILED, OK, TIMEOUT

_DIGITS = 9
_SUCCEEDED = "SUCCEEDED"


class NavigateToPose(TimelineBase):
    """A drive to a place, asked of the vehicle's own navigation stack."""

    vehicle: Name = Field(description="The vehicle that drives.")
    action: Literal["navigate_to_pose"]
    goal: Placement = Field(description="Where to, in the world.")
    timeout_s: PositiveDuration = Field(
        default=Duration(300 * 10**9), description="How long the drive may take."
    )


class NavigateToPoseEvent(Event):
    """Sends a NavigateToPose goal and waits for its result.

    Ends ok when the goal succeeds, failed on any other status, and timeout when the result has
    not arrived after the entry's limit; the goal is then cancelled.
    """

    action: ClassVar[str] = "navigate_to_pose"
    Entry: ClassVar[type[TimelineBase]] = NavigateToPose
    summary: ClassVar[str] = "Send the vehicle to a place through its navigation stack."

    def plan(self, entry: NavigateToPose, context: PlanContext) -> dict[str, Any]:
        """Return the goal in the vehicle's map frame, which starts at its spawn pose."""
        vehicle = context.vehicle(entry.vehicle)
        world = context.place(entry.goal)
        return {"goal": in_map(world, vehicle.spawn), "world": world.to_data()}

    def start(
        self,
        entry: NavigateToPose,
        resolved: Mapping[str, Any],
        context: EventContext,
        record: ActionRecord,
    ) -> Running:
        """Send the goal; the returned drive is over when its result is there."""
        goal = resolved["goal"]
        limit_s = float(resolved.get("limit_s", entry.timeout_s.seconds))
        vehicle = context.vehicle(entry.vehicle)
        context.log(
            "action.goal",
            f"{vehicle.name} to x {goal['x']:g} m, y {goal['y']:g} m, yaw {goal['yaw']:g} rad"
            f" in {goal['frame_id']}",
            action=record.name,
            vehicle=vehicle.name,
            goal=goal,
        )
        began_s = context.clock()
        navigation = context.navigate(vehicle, goal, timeout_s=limit_s)
        return _Drive(navigation, context, record, began_s, limit_s)


class _Drive:
    def __init__(
        self,
        navigation: Navigation,
        context: EventContext,
        record: ActionRecord,
        began_s: float,
        limit_s: float,
    ) -> None:
        self._navigation = navigation
        self._context = context
        self._record = record
        self._began_s = began_s
        self._limit_s = limit_s

    def poll(self) -> bool:
        status = self._navigation.result()
        if status is not None:
            self._record.status = OK if status == _SUCCEEDED else FAILED
            self._record.detail = f"goal {status}"
            return True
        if self._context.clock() - self._began_s < self._limit_s:
            return False
        self._navigation.cancel()
        self._record.status = TIMEOUT
        self._record.detail = f"no result within {self._limit_s:g} s, goal cancelled"
        return True

    def cancel(self) -> None:
        self._navigation.cancel()


def in_map(world: Pose, spawn: Pose) -> dict[str, Any]:
    """Return a world pose in the map frame of a vehicle that was spawned at `spawn`.

    Returns:
        `frame_id`, `x` and `y` in metres and `yaw` in radians in [-pi, pi], to a nanometre.
    """
    east, north = world.x - spawn.x, world.y - spawn.y
    cosine, sine = math.cos(spawn.yaw), math.sin(spawn.yaw)
    return {
        "frame_id": "map",
        "x": _rounded(cosine * east + sine * north),
        "y": _rounded(cosine * north - sine * east),
        "yaw": _rounded(math.remainder(world.yaw - spawn.yaw, math.tau)),
    }


def _rounded(value: float) -> float:
    return round(value, _DIGITS) + 0.0
