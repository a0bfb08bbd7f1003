from collections.abc import Mapping
from typing import Any, ClassVar

from fieldproof.events._context import EventContext
from fieldproof.events._record import ActionRecord
from fieldproof.events._running import Running
from fieldproof.model import TimelineBase
from fieldproof.plan import ModelChanges, PlanContext
from fieldproof.timeline import CANCELLED

POLL_S = 0.05


class Event:
    """A kind of thing that a timeline can make happen.

    A type overrides `apply` or `start`, and each is then defined by the other:

    - `apply` blocks until the occurrence is over and runs on a worker thread. It is the simpler
      one, and what plugins usually write. In lockstep the world waits while it does anything
      but `hold`.
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

    def models(self, entry: Any) -> ModelChanges | None:  # noqa: ARG002
        """Return what the entry may do to the models of the world; None when that is unknown.

        It is asked when the scenario is validated. Names of models are then checked, unless an
        entry of the timeline leaves it unknown, as a plugin that does not override this does.
        """
        own = type(self).__module__.startswith("fieldproof.events.")
        return ModelChanges() if own else None

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
        return context.background(
            lambda: self.apply(entry, resolved, context, record), name=record.name
        )
