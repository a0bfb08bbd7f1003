from typing import Any, ClassVar, Literal, NoReturn

from pydantic import Field

from fieldproof.events._context import EventContext
from fieldproof.events._event import Event
from fieldproof.events._record import ActionRecord
from fieldproof.events._running import Running
from fieldproof.model import Name, PositiveDuration, TimelineBase
from fieldproof.plan import PlanContext


class LinkSet(TimelineBase):
    """Another profile for the vehicle's radio link."""

    vehicle: Name = Field(description="The vehicle whose link changes.")
    action: Literal["link.set"]
    profile: Name = Field(description="The link's new profile.")


class LinkDrop(TimelineBase):
    """The vehicle's radio link lost, for a while or until it is restored."""

    vehicle: Name = Field(description="The vehicle whose link is lost.")
    action: Literal["link.drop"]
    duration_s: PositiveDuration | None = Field(
        default=None, description="Restore it after this long; absent, until link.restore."
    )


class LinkRestore(TimelineBase):
    """The vehicle's radio link as the scenario's network section has it."""

    vehicle: Name = Field(description="The vehicle whose link is restored.")
    action: Literal["link.restore"]


class _LinkEvent(Event):
    """What all events of radio links share: scenarios cannot have links yet, so all are refused."""

    def plan(self, entry: TimelineBase, context: PlanContext) -> dict[str, Any]:
        """Refuse it: the scenario has no link that it could change."""
        context.vehicle(str(entry.vehicle))
        if not context.has_links:
            hint = "radio links are not part of this version: leave the entry out"
            raise context.refusal("needs a network section", at="action", hint=hint)
        raise context.refusal("radio links are not part of this version", at="action")

    def start(
        self,
        entry: Any,
        resolved: Any,
        context: EventContext,
        record: ActionRecord,
    ) -> Running:
        """Never called: no plan with such an entry is made."""
        _impossible(entry, resolved, context, record)


def _impossible(*_: object) -> NoReturn:
    raise AssertionError("a link event was planned")


class LinkSetEvent(_LinkEvent):
    """Gives the vehicle's radio link another profile."""

    action: ClassVar[str] = "link.set"
    Entry: ClassVar[type[TimelineBase]] = LinkSet
    summary: ClassVar[str] = "Give the vehicle's radio link another profile (not available yet)."


class LinkDropEvent(_LinkEvent):
    """Cuts the vehicle's radio link."""

    action: ClassVar[str] = "link.drop"
    Entry: ClassVar[type[TimelineBase]] = LinkDrop
    summary: ClassVar[str] = "Cut the vehicle's radio link (not available yet)."


class LinkRestoreEvent(_LinkEvent):
    """Restores the vehicle's radio link."""

    action: ClassVar[str] = "link.restore"
    Entry: ClassVar[type[TimelineBase]] = LinkRestore
    summary: ClassVar[str] = "Restore the vehicle's radio link (not available yet)."
