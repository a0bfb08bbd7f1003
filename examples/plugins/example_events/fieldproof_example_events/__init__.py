"""An event of a plugin: a vehicle announces something."""

from fieldproof_example_events._announce import Announce, AnnounceEvent

__all__ = ["Announce", "AnnounceEvent"]
