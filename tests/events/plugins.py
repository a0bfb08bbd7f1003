"""Events as a plugin's distribution might hold them, good and bad."""

from typing import Literal

from fieldproof.events import Event
from fieldproof.model import TimelineBase


class Announce(TimelineBase):
    action: Literal["example.announce"]
    text: str = "hello"


class AnnounceEvent(Event):
    action = "example.announce"
    Entry = Announce
    summary = "Says something."

    def apply(self, entry, resolved, context, record):
        record.detail = f"said {entry.text}"


class Taken(AnnounceEvent):
    pass


class Bare(Event):
    pass


class BadName(AnnounceEvent):
    action = "Example Announce"


class NoEntry(AnnounceEvent):
    Entry = dict


class OtherLiteral(AnnounceEvent):
    action = "example.other"


class NoSummary(Event):
    action = "example.announce"
    Entry = Announce

    def apply(self, entry, resolved, context, record):
        pass


class NoHook(Event):
    action = "example.announce"
    Entry = Announce
    summary = "Does nothing."


not_a_class = AnnounceEvent()


class QuitterEvent(Event):
    action = "example.announce"
    Entry = Announce
    summary = "Tries to end the engine."

    def plan(self, entry, context):
        raise SystemExit(2)

    def start(self, entry, resolved, context, record):
        raise SystemExit(3)
