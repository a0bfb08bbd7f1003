from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from fieldproof.events._context import EventContext
from fieldproof.events._event import Event
from fieldproof.events._held import Held, seconds
from fieldproof.events._record import ActionRecord
from fieldproof.events._running import Over, Running
from fieldproof.model import Name, PositiveDuration, TimelineBase
from fieldproof.plan import PlanContext
from fieldproof.timeline import OK

Signal = Literal["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"]


class ContainerPause(TimelineBase):
    """The vehicle's software frozen, for a while or until it is resumed."""

    vehicle: Name = Field(description="The vehicle whose software freezes.")
    action: Literal["container.pause"]
    duration_s: PositiveDuration | None = Field(
        default=None, description="Resume after this long; absent, until container.resume."
    )


class ContainerPauseEvent(Event):
    """Freezes every process of a vehicle's software; simulator and bridge go on.

    The vehicle's last command stands in the world meanwhile. With a duration the entry resumes the
    software and ends then; a cancelled entry resumes it at once.
    """

    action: ClassVar[str] = "container.pause"
    Entry: ClassVar[type[TimelineBase]] = ContainerPause
    summary: ClassVar[str] = "Freeze the vehicle's software while the world goes on."

    def plan(self, entry: ContainerPause, context: PlanContext) -> dict[str, Any]:
        """Return whose software it is."""
        return {"vehicle": context.vehicle(entry.vehicle).name}

    def start(
        self,
        entry: ContainerPause,
        resolved: Mapping[str, Any],  # noqa: ARG002
        context: EventContext,
        record: ActionRecord,
    ) -> Running:
        """Freeze it; what is returned is over when it runs again."""
        vehicle = context.vehicle(entry.vehicle)
        context.pause(vehicle)
        context.log("container.paused", f"{vehicle.name} paused", vehicle=vehicle.name)
        record.detail = "paused"
        if entry.duration_s is None:
            return Over()

        def undo() -> None:
            if context.stack_state(vehicle) == "paused":
                context.resume(vehicle)
                context.log("container.resumed", f"{vehicle.name} resumed", vehicle=vehicle.name)

        lasted = entry.duration_s.seconds
        detail = f"paused for {seconds(lasted)}, resumed"
        return Held(context.clock, lasted, undo, record, detail)


class ContainerResume(TimelineBase):
    """The end of a pause."""

    vehicle: Name = Field(description="The vehicle whose software goes on.")
    action: Literal["container.resume"]


class ContainerResumeEvent(Event):
    """Lets the frozen software of a vehicle go on."""

    action: ClassVar[str] = "container.resume"
    Entry: ClassVar[type[TimelineBase]] = ContainerResume
    summary: ClassVar[str] = "Let the vehicle's frozen software go on."

    def plan(self, entry: ContainerResume, context: PlanContext) -> dict[str, Any]:
        """Return whose software it is."""
        return {"vehicle": context.vehicle(entry.vehicle).name}

    def start(
        self,
        entry: ContainerResume,
        resolved: Mapping[str, Any],  # noqa: ARG002
        context: EventContext,
        record: ActionRecord,
    ) -> Running:
        """Let it go on."""
        vehicle = context.vehicle(entry.vehicle)
        context.resume(vehicle)
        context.log("container.resumed", f"{vehicle.name} resumed", vehicle=vehicle.name)
        record.status, record.detail = OK, "resumed"
        return Over()


class ContainerKill(TimelineBase):
    """The end of the vehicle's software."""

    vehicle: Name = Field(description="The vehicle whose software ends.")
    action: Literal["container.kill"]
    signal: Signal = Field(default="SIGKILL", description="What it is sent.")


class ContainerKillEvent(Event):
    """Sends a signal to every process of a vehicle's software, which is expected to end by it.

    The run goes on; its assertions say what the end meant.
    """

    action: ClassVar[str] = "container.kill"
    Entry: ClassVar[type[TimelineBase]] = ContainerKill
    summary: ClassVar[str] = "End the vehicle's software with a signal."

    def plan(self, entry: ContainerKill, context: PlanContext) -> dict[str, Any]:
        """Return whose software it is, and the signal."""
        return {"vehicle": context.vehicle(entry.vehicle).name, "signal": entry.signal}

    def start(
        self,
        entry: ContainerKill,
        resolved: Mapping[str, Any],  # noqa: ARG002
        context: EventContext,
        record: ActionRecord,
    ) -> Running:
        """Send the signal."""
        vehicle = context.vehicle(entry.vehicle)
        context.kill(vehicle, entry.signal)
        what = f"killed with {entry.signal}"
        context.log(
            "container.killed", f"{vehicle.name} {what}", vehicle=vehicle.name, signal=entry.signal
        )
        record.status, record.detail = OK, what
        return Over()
