from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from fieldproof.events import OK, ActionRecord, Event, EventContext, PlanContext
from fieldproof.model import Name, TimelineBase

_TYPE = "std_msgs/msg/String"


class Announce(TimelineBase):
    """What a scenario writes."""

    vehicle: Name = Field(description="The vehicle on whose topic the text is published.")
    action: Literal["example.announce"]
    text: Annotated[str, Field(min_length=1, max_length=1000)] = Field(
        description="The text of the message."
    )


class AnnounceEvent(Event):
    """Publishes a text once on the vehicle's topic `announce`."""

    action: ClassVar[str] = "example.announce"
    Entry: ClassVar[type[TimelineBase]] = Announce
    summary: ClassVar[str] = "Publish a text once on the vehicle's topic announce."

    def plan(self, entry: Announce, context: PlanContext) -> dict[str, Any]:
        """Return the topic, which a dry run shows, and let assertions read it.

        An unknown vehicle is refused.
        """
        topic = context.publishes(context.vehicle(entry.vehicle).name, "announce", _TYPE)
        return {"topic": topic, "type": _TYPE}

    def apply(
        self,
        entry: Announce,
        resolved: Mapping[str, Any],
        context: EventContext,
        record: ActionRecord,
    ) -> None:
        """Publish it; runs beside the engine, and may block."""
        context.publish(resolved["topic"], resolved["type"], {"data": entry.text})
        record.status, record.detail = OK, f"published {entry.text!r} on {resolved['topic']}"
