"""Asks managed nodes for their state, again and again."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lifecycle_msgs.srv import GetState

from fieldproof.observe._clients import Clients

_PERIOD_S = 1.0
UNAVAILABLE = "unavailable"
"""What stands for the state of a node that offers no `get_state`."""
UNRESPONSIVE = "unresponsive"
"""What stands for the state of a node that does not answer."""


@dataclass(slots=True)
class _Managed:
    node: str
    client: Any
    future: Any = None

    def ask(self) -> None:
        if self.future is None and self.client.service_is_ready():
            self.future = self.client.call_async(GetState.Request())

    def forget(self) -> None:
        if self.future is not None:
            self.client.remove_pending_request(self.future)
            self.future = None

    def answer(self) -> str | None:
        """The state it is in, if it has answered; UNAVAILABLE if it could not be asked."""
        if self.future is None:
            return UNAVAILABLE
        if not self.future.done():
            return None
        label = str(self.future.result().current_state.label)
        self.future = None
        return label


class LifecycleWatch:
    """Knows the states of managed nodes.

    In lockstep use `ask` and `states` at each tick; otherwise call `look` often.

    Args:
        clients: where the nodes are asked from.
        nodes: their absolute names.
    """

    def __init__(self, clients: Clients, nodes: Iterable[str]) -> None:
        self._clients = clients
        self._nodes = [
            _Managed(node, clients.client(GetState, f"{node}/get_state")) for node in nodes
        ]
        self._deaf: set[str] = set()  # nodes that let a question go unanswered, until they do
        self._next_s = 0.0

    def ask(self, known: Mapping[str, str]) -> None:
        """Ask every node between two ticks.

        Args:
            known: states of nodes that need not be asked, since they cannot answer.
        """
        for managed in self._nodes:
            if managed.node in known:
                managed.forget()
            else:
                managed.ask()

    def states(self, known: Mapping[str, str], *, timeout_s: float) -> dict[str, str]:
        """The state of every node that was asked, once all have answered.

        A node that does not answer in time is waited for no more until it does.
        """
        asked = [managed for managed in self._nodes if managed.node not in known]
        waited = [m for m in asked if m.future is not None and m.node not in self._deaf]
        self._clients.take(managed.client for managed in asked)
        self._clients.until(lambda: all(m.future.done() for m in waited), timeout_s)
        states = dict(known)
        for managed in asked:
            state = managed.answer()
            (self._deaf.add if state is None else self._deaf.discard)(managed.node)
            states[managed.node] = UNRESPONSIVE if state is None else state
        return states

    def look(self, *, now_s: float | None = None) -> dict[str, str]:
        """What has become known since the last call: answers, and once a second what lacks one.

        Args:
            now_s: a clock in seconds.
        """
        now_s = time.monotonic() if now_s is None else now_s
        known: dict[str, str] = {}
        self._clients.take(managed.client for managed in self._nodes)
        for managed in self._nodes:
            if managed.future is not None and (state := managed.answer()) is not None:
                known[managed.node] = state
        if now_s < self._next_s:
            return known
        self._next_s = now_s + _PERIOD_S
        for managed in self._nodes:
            if managed.future is not None:
                known[managed.node] = UNRESPONSIVE
                managed.forget()
            managed.ask()
            if managed.future is None:
                known[managed.node] = UNAVAILABLE
        return known
