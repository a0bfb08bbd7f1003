"""Readiness gates: what must be there before a scenario's clock starts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fieldproof.engine._errors import InfrastructureError
from fieldproof.engine._session import Session
from fieldproof.engine._topology import absolute

_REQUEST_S = 15.0
_OWN_S = 5.0
_POLL_S = 0.02
_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate of one vehicle.

    Attributes:
        kind: `lifecycle`, `action` or `topic`.
        name: absolute name of the node, action or topic.
        state: the state that a lifecycle gate waits for.
    """

    kind: str
    name: str
    state: str = ""

    def __str__(self) -> str:
        """The gate as a person would say it."""
        return f"{self.kind} {self.name}" + (f" to be {self.state}" if self.state else "")


def gates_of(session: Session) -> list[tuple[Gate, float]]:
    """Every gate of the run with its vehicle's time limit in seconds."""
    found: list[tuple[Gate, float]] = []
    for vehicle in session.vehicles:
        readiness = vehicle["manifest"]["readiness"]
        limit_s = readiness.get("timeout_s", 30.0)
        found.extend((_gate(vehicle, gate), limit_s) for gate in readiness["gates"])
    return found


def _gate(vehicle: Mapping[str, Any], gate: Mapping[str, Any]) -> Gate:
    for kind in ("lifecycle", "action", "topic"):
        if gate.get(kind):
            state = gate.get("state") or ("active" if kind == "lifecycle" else "")
            return Gate(kind, absolute(vehicle, gate[kind]), state)
    raise AssertionError(f"a gate without a kind passed validation: {gate}")


def wait_for_graph(session: Session, gates: list[tuple[Gate, float]]) -> None:
    """Wait for the gates that need no time to pass in the world: nodes, states, actions.

    Raises:
        InfrastructureError: names each gate that was not met in time, with the state it was in.
    """
    started = time.monotonic()
    open_gates = [(gate, limit_s) for gate, limit_s in gates if gate.kind != "topic"]
    while True:
        states = [(gate, limit_s, _state(session, gate)) for gate, limit_s in open_gates]
        waiting = [item for item in states if not _met(item[0], item[2])]
        if not waiting:
            return
        elapsed = time.monotonic() - started
        late = [(gate, state) for gate, limit_s, state in waiting if elapsed > limit_s]
        if late:
            raise InfrastructureError(
                "not ready after "
                f"{elapsed:.0f} s: " + "; ".join(f"{gate} (is {state})" for gate, state in late),
                hint="see the vehicle's logs; readiness.gates of its manifest name what is awaited",
            )
        session.check_alive()
        time.sleep(_POLL_S)  # services and states have no event to wait for across processes
        open_gates = [(gate, limit_s) for gate, limit_s, _ in waiting]


def _state(session: Session, gate: Gate) -> str:
    if gate.kind == "action":
        reply = session.observer.request("has_action", bound_s=_REQUEST_S, action=gate.name)
        return "offered" if reply["value"] else "not offered by any node"
    reply = session.observer.request(
        "lifecycle", bound_s=_REQUEST_S, timeout_s=_OWN_S, node=gate.name
    )
    return str(reply["state"])


def _met(gate: Gate, state: str) -> bool:
    return state == (gate.state if gate.kind == "lifecycle" else "offered")


def wait_for_topics(
    session: Session,
    gates: list[tuple[Gate, float]],
    *,
    advance: Callable[[], int],
) -> None:
    """Let time pass until each topic gate has seen a message.

    Args:
        session: the run.
        gates: every gate with its limit.
        advance: lets a little time pass and returns the simulation time in nanoseconds; the limit
            counts in it, and a world that does not move is its own error.

    Raises:
        InfrastructureError: names the topics that stayed silent.
    """
    awaited = {gate.name: limit_s for gate, limit_s in gates if gate.kind == "topic"}
    while True:
        now_ns = advance()
        seen = session.observer.request("seen", bound_s=_REQUEST_S)["topics"]
        silent = sorted(set(awaited) - set(seen))
        if not silent:
            return
        late = [topic for topic in silent if now_ns > awaited[topic] * _NS]
        if late:
            raise InfrastructureError(
                f"no message on {', '.join(late)} in {now_ns / _NS:g} s of simulation time",
                hint="is the topic's name in the manifest the one that the node publishes on?",
            )
