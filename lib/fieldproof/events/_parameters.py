from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StrictBool, StrictFloat, StrictInt, StrictStr

from fieldproof.events._context import EventContext, ParameterCall
from fieldproof.events._event import Event
from fieldproof.events._record import ActionRecord
from fieldproof.events._running import Running
from fieldproof.model import Duration, Name, PositiveDuration, TimelineBase, TopicName
from fieldproof.plan import PlanContext
from fieldproof.timeline import FAILED, OK, TIMEOUT

_PARAMETER = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_0-9][A-Za-z0-9_]*)*$"


class ParamSet(TimelineBase):
    """A parameter of a node of the vehicle, changed while it runs."""

    vehicle: Name = Field(description="The vehicle that the node belongs to.")
    action: Literal["param.set"]
    node: TopicName = Field(
        description="The node: relative to the vehicle's namespace, or absolute."
    )
    parameter: Annotated[str, Field(pattern=_PARAMETER, min_length=1, max_length=255)] = Field(
        description="The parameter's name."
    )
    value: StrictBool | StrictInt | StrictFloat | StrictStr = Field(
        description="Its new value. 5 is an integer, 5.0 a float, and a quoted text stays one."
    )
    timeout_s: PositiveDuration = Field(
        default=Duration(30 * 10**9), description="How long the node may take."
    )


class ParamSetEvent(Event):
    """Asks a node to take a parameter's value.

    Ends ok when the node accepted it; failed when it refused, or was not there until the limit;
    timeout when it is there and did not answer. What a node makes of a value that is changed while
    it runs is the node's business.
    """

    action: ClassVar[str] = "param.set"
    Entry: ClassVar[type[TimelineBase]] = ParamSet
    summary: ClassVar[str] = "Set a parameter of one of the vehicle's nodes."

    def plan(self, entry: ParamSet, context: PlanContext) -> dict[str, Any]:
        """Return the node's absolute name."""
        return {"node": context.node(entry.vehicle, entry.node)}

    def start(
        self,
        entry: ParamSet,
        resolved: Mapping[str, Any],
        context: EventContext,
        record: ActionRecord,
    ) -> Running:
        """Ask the node; what is returned is over when it has answered."""
        limit_s = min(float(resolved.get("limit_s", entry.timeout_s.seconds)), 1e9)
        node = resolved["node"]
        call = context.set_parameter(
            context.vehicle(entry.vehicle), node, entry.parameter, entry.value, timeout_s=limit_s
        )
        what = f"{node} {entry.parameter}"
        return _Setting(call, context, record, what=what, value=entry.value, limit_s=limit_s)


class _Setting:
    def __init__(
        self,
        call: ParameterCall,
        context: EventContext,
        record: ActionRecord,
        *,
        what: str,
        value: Any,
        limit_s: float,
    ) -> None:
        self._call = call
        self._context = context
        self._record = record
        self._what = what
        self._value = value
        self._limit_s = limit_s
        self._began_s = context.clock()

    def poll(self) -> bool:
        record = self._record
        outcome = self._call.result()
        if outcome is not None:
            if outcome.accepted:
                record.status, record.detail = OK, f"{self._what} set to {self._value!r}"
            else:
                why = outcome.reason or "it gave no reason"
                record.status, record.detail = FAILED, f"{self._what} refused: {why}"
            self._context.log("param.set", record.detail, accepted=outcome.accepted)
            return True
        if self._context.clock() - self._began_s < self._limit_s:
            return False
        if self._call.found:
            record.status = TIMEOUT
            record.detail = f"{self._what}: no answer within {self._limit_s:g} s"
        else:
            record.status = FAILED
            record.detail = f"{self._what}: no such node within {self._limit_s:g} s"
        return True

    def cancel(self) -> None:
        """Let it be: a request that was sent cannot be taken back."""
