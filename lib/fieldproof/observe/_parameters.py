"""Parameters of nodes, set over their services without waiting for one another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters

from fieldproof.observe._clients import Clients

_ABSENT_S = 1.0  # how long a node may take to come into sight; nobody waits longer for it
_LARGEST = 2**63 - 1


@dataclass(slots=True)
class _Call:
    client: Any
    request: SetParameters.Request
    future: Any = None

    def answer(self) -> dict[str, Any]:
        """Whether the node is there, whether it has answered, and what."""
        if self.future is None and self.client.service_is_ready():
            self.future = self.client.call_async(self.request)
        if self.future is None or not self.future.done():
            found = self.future is not None
            return {"found": found, "done": False, "accepted": False, "reason": ""}
        [result] = self.future.result().results
        return {
            "found": True,
            "done": True,
            "accepted": bool(result.successful),
            "reason": str(result.reason),
        }


class ParameterCalls:
    """Sets parameters; what is not answered at once is asked for later.

    Args:
        clients: where the nodes are asked from.
    """

    def __init__(self, clients: Clients) -> None:
        self._clients = clients
        self._calls: dict[str, _Call] = {}
        self._count = 0

    def set(self, node: str, parameter: str, value: object, *, wait_s: float) -> dict[str, Any]:
        """Ask a node to take a value.

        Args:
            node: its absolute name.
            parameter: the parameter's name.
            value: a boolean, an integer, a float or a text, which is also the parameter's type.
            wait_s: how long to wait for the answer; a node that is not in sight is given up
                sooner.

        Returns:
            `found`, `done`, `accepted`, `reason`, and, unless done, the `id` to ask by.

        Raises:
            ValueError: the value is of no such type.
        """
        client = self._clients.client(SetParameters, f"{node}/set_parameters")
        request = SetParameters.Request(
            parameters=[Parameter(name=parameter, value=parameter_value(value))]
        )
        call = _Call(client, request)
        if self._clients.until(client.service_is_ready, min(wait_s, _ABSENT_S)):
            self._clients.until(lambda: bool(call.answer()["done"]), wait_s)
        answer = call.answer()
        if answer["done"]:
            return answer
        self._count += 1
        identity = f"parameter-{self._count}"
        self._calls[identity] = call
        return {**answer, "id": identity}

    def answers(self, calls: Iterable[str]) -> dict[str, dict[str, Any]]:
        """What has become of each call; one that is done is forgotten."""
        asked = {identity: self._calls[identity] for identity in calls}
        self._clients.take({call.client for call in asked.values()})
        answers = {identity: call.answer() for identity, call in asked.items()}
        for identity, answer in answers.items():
            if answer["done"]:
                del self._calls[identity]
        return answers


def parameter_value(value: object) -> ParameterValue:
    """A value as ROS has it: 5 is an integer, 5.0 a double.

    Raises:
        ValueError: it is neither a boolean, a number nor a text.
    """
    if isinstance(value, bool):
        return ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=value)
    if isinstance(value, int) and abs(value) <= _LARGEST:
        return ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=value)
    if isinstance(value, float):
        return ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value)
    if isinstance(value, str):
        return ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=value)
    raise ValueError(f"no parameter can have the value {value!r}")
