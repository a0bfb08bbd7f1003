"""From nothing to a run whose first tick can begin: processes, contracts, readiness."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from fieldproof.engine._errors import InfrastructureError
from fieldproof.engine._log import EngineLog
from fieldproof.engine._phases import Phases
from fieldproof.engine._readiness import gates_of, wait_for_graph, wait_for_topics
from fieldproof.engine._session import Session

_REQUEST_S = 15.0
_OWN_S = 10.0  # what a process may take for itself before it gives its own account
_HELLO_S = 30.0
_MATCH_S = 20.0


def bring_up(session: Session, phases: Phases, log: EngineLog) -> None:
    """Start every process of a run, in the phases of the architecture.

    Raises:
        InfrastructureError: one of them did not come up, or a contract does not hold.
    """
    lockstep = session.lockstep
    if lockstep:
        # nothing moves before the first tick, so that all may start at once
        session.spawn_simulator()
        session.spawn_observer()
        session.spawn_bridges()
        session.spawn_vehicles()
    with phases.enter("start simulator"):
        if not lockstep:
            session.spawn_simulator()
        for warning in session.load_world():
            log.write("simulator.warning", warning, evidence=False)  # names paths
    with phases.enter("start bridges"):
        if not lockstep:
            session.spawn_bridges()
        check_contracts(session)
    with phases.enter("start recorder"):
        if not lockstep:
            session.spawn_observer()
        session.observer.request("hello", bound_s=_HELLO_S)
        session.observer.request("sync", bound_s=_REQUEST_S, timeout_s=_OWN_S)
    with phases.enter("start vehicles"):
        if not lockstep:
            session.spawn_vehicles()
        else:
            _arm(session)


def check_contracts(session: Session) -> None:
    """Ask every bridge whether it publishes what its manifest promises, and nobody else does.

    Raises:
        InfrastructureError: with what does not hold.
    """
    for bridge in session.bridges:
        bridge.request("hello", bound_s=_HELLO_S)
    for bridge in session.bridges:
        problems = bridge.request("contract", bound_s=_REQUEST_S)["problems"]
        if problems:
            raise InfrastructureError(
                f"{bridge.role} does not publish what the manifest promises: "
                + "; ".join(map(str, problems)),
                role=bridge.role,
            )


def become_ready(
    session: Session,
    log: EngineLog,
    *,
    start: Callable[[], None],
    advance: Callable[[], int],
) -> None:
    """Wait until every gate of the manifests holds and the observer hears everybody.

    Args:
        session: the run's processes.
        log: engine.log.
        start: lets time begin.
        advance: lets a little time pass; returns the simulation time, nanoseconds.

    Raises:
        InfrastructureError: names what was waited for in vain.
    """
    gates = gates_of(session)
    wait_for_graph(session, gates)
    gated = sorted(gate.name for gate, _ in gates if gate.kind == "topic")
    limit_s = max([limit_s for _, limit_s in gates], default=_MATCH_S)
    matched = _connect_observer(session, gated, limit_s)
    if unmatched := sorted({*matched["unmatched"], *matched["behind"]}):
        raise InfrastructureError(
            f"the observer could not connect to every publisher of {', '.join(unmatched)}",
            role="observer",
        )
    if missing := sorted(set(matched["missing"]) & set(gated)):
        raise InfrastructureError(
            f"no node publishes {', '.join(missing)}, which readiness waits for"
        )
    silent = ", ".join(matched["missing"])
    log.write(
        "recorder.ready",
        f"nobody publishes {silent}" if silent else "every watched topic has a publisher",
        missing=matched["missing"],
    )
    check_contracts(session)  # now that everybody is there: no second source of a topic
    if session.lockstep:
        for bridge in session.bridges:
            bridge.request("still", bound_s=_REQUEST_S, timeout_s=_OWN_S)
    session.observer.request("release", bound_s=_REQUEST_S)
    start()
    wait_for_topics(session, gates, advance=advance)


def _connect_observer(session: Session, gated: list[str], limit_s: float) -> dict[str, Any]:
    """Let the observer connect to all that it wants, until it knows all that the bridges know.

    What publishes only now and then is on no list; the bridges have heard from every node.
    """
    deadline = time.monotonic() + limit_s
    while True:
        known: dict[str, int] = {}
        for bridge in session.bridges:
            publishers = bridge.request("graph", bound_s=_REQUEST_S)["publishers"]
            known |= {topic: max(n, known.get(topic, 0)) for topic, n in publishers.items()}
        matched = session.observer.request(
            "match",
            bound_s=limit_s + _REQUEST_S,
            timeout_s=limit_s,
            topics=sorted({*_watched(session), *gated}),
            required=gated,
            heard=["/clock"] if session.lockstep else [],
            known=known,
        )
        if not matched["behind"] or time.monotonic() > deadline:
            return matched


def _arm(session: Session) -> None:
    limits = [vehicle["manifest"]["readiness"]["timeout_s"] for vehicle in session.vehicles]
    for bridge, limit_s in zip(session.bridges, limits, strict=True):
        bridge.send("arm", timeout_s=limit_s)
    try:
        for bridge, limit_s in zip(session.bridges, limits, strict=True):
            bridge.receive("arm", bound_s=limit_s + _REQUEST_S)
    except InfrastructureError:
        # a second source of /clock or of a sensor shows first as nodes that are out of step
        check_contracts(session)
        raise


def _watched(session: Session) -> set[str]:
    observe = session.execution["observe"]
    kinds = ("rates", "values", "latencies")
    return {item["topic"] for kind in kinds for item in observe.get(kind, ())}
