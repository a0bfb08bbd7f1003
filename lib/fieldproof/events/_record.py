from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fieldproof.timeline import RUNNING


@dataclass(slots=True)
class ActionRecord:
    """What became of one occurrence of a timeline entry; its event sets status and detail.

    Attributes:
        name: The occurrence's label, such as `say_hello#2`.
        action: The event.
        vehicle: The vehicle it happens to; None for none.
        occurrence: Counted from 1.
        at_s: The entry's offset from its trigger, in seconds.
        trigger: The entry's triggers, as the plan holds them.
        params: The entry's own fields.
        status: `running` while it runs, then `ok`, `failed`, `timeout`, `cancelled`; `skipped`
            if it never ran.
        detail: What the event reports, for people.
        t_s: Seconds after the timeline's start at which it started; None if it never did.
        sim_s: Seconds of simulation time at which it started.
        duration_s: How long it took, in seconds of the timeline.
    """

    name: str
    action: str
    vehicle: str | None = None
    occurrence: int = 1
    at_s: float = 0.0
    trigger: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    status: str = RUNNING
    detail: str = ""
    t_s: float | None = None
    sim_s: float | None = None
    duration_s: float | None = None

    def to_data(self) -> dict[str, Any]:
        """Return the record as JSON data."""
        return {
            "name": self.name,
            "action": self.action,
            "vehicle": self.vehicle,
            "at_s": self.at_s,
            "trigger": dict(self.trigger),
            "occurrence": self.occurrence,
            "status": self.status,
            "detail": self.detail,
            "params": dict(self.params),
            "t_s": self.t_s,
            "sim_s": self.sim_s,
            "duration_s": self.duration_s,
        }
