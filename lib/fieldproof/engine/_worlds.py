"""How a run's time moves: released tick by tick, or running free at a pace."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol

from fieldproof.engine._errors import InfrastructureError
from fieldproof.engine._log import EngineLog
from fieldproof.engine._session import Session
from fieldproof.engine._stacks import Stacks
from fieldproof.engine._topology import managed_nodes
from fieldproof.events import TimeState

_NS = 1_000_000_000
_REQUEST_S = 15.0
_OWN_S = 10.0  # what a process may take for itself before it gives its own account
_LOOK_NS = 50_000_000  # how often a free-running world is looked at
_STALL_S = 10.0
# what the observer would say of a managed node that it cannot ask
_SILENT = {"paused": "unresponsive", "gone": "unavailable"}

_TIME_AFTER: dict[str, TimeState] = {"pause": "paused", "resume": "running", "step": "stepped"}
_REFUSALS: dict[tuple[str, TimeState], str] = {
    ("pause", "paused"): "simulation time is paused already",
    ("pause", "stepped"): "simulation time is being stepped and stands once that is over",
    ("step", "running"): "time runs freely; pause it first",
    ("step", "stepped"): "simulation time is being stepped already",
    ("resume", "running"): "simulation time is not paused",
}


class World(Protocol):
    """The world of a run, seen from the engine: time that moves, and what is observed meanwhile."""

    @property
    def sim_ns(self) -> int:
        """Simulation time."""
        ...

    @property
    def time_state(self) -> TimeState:
        """Whether simulation time runs, stands, or runs to where it will stand."""
        ...

    def start(self) -> None:
        """Let time begin."""
        ...

    def set_origin(self) -> dict[str, float | None]:
        """Make now the origin of the timeline; returns it as `wall` and `sim` seconds."""
        ...

    def timeline_ns(self) -> int:
        """Time since the origin, by the clock that the mode counts in."""
        ...

    def advance(self, *, ahead: bool = False) -> list[dict[str, Any]]:
        """Let a little time pass and return the samples of it.

        Args:
            ahead: nothing will be asked of the simulator before the next call.
        """
        ...

    def simulate(self, op: str, **fields: Any) -> str:
        """Ask the simulator for something besides time; returns its report.

        Raises:
            InfrastructureError: with a code when the simulator refuses.
        """
        ...


class LockstepWorld:
    """Releases fixed ticks; a tick ends when everybody has had everything of it."""

    def __init__(self, session: Session, log: EngineLog, stacks: Stacks) -> None:
        self._session = session
        self._log = log
        self._stacks = stacks
        self._tick_ns: int = session.execution["time"]["tick_ns"]
        self._managed = managed_nodes(session.execution)
        self._origin_ns = 0
        self._stepping = False
        self._stepped: dict[str, int] | None = None  # frames of a step that was waited for early
        self._arrivals: Counter[str] = Counter()  # what the bridges published in this tick
        self._acks = 0  # nodes that said they are done with this tick
        self._commands: list[dict[str, Any]] = []  # of the last tick, for the next step
        self.time_state: TimeState = "running"
        self.sim_ns = 0
        self.ticks = 0

    def start(self) -> None:
        """Nothing to do: the first tick is released by `advance`."""

    def set_origin(self) -> dict[str, float | None]:
        """Make the present tick the origin."""
        self._origin_ns = self.sim_ns
        return {"wall": None, "sim": self.sim_ns / _NS}

    def timeline_ns(self) -> int:
        """Simulation time since the origin."""
        return self.sim_ns - self._origin_ns

    def advance(self, *, ahead: bool = False) -> list[dict[str, Any]]:
        """Release one tick and wait for it to end everywhere.

        With `ahead` the simulator computes the next tick while this one is observed: the vehicles
        have given their commands, and nobody else wants to change the world in between.
        """
        until_ns = self.sim_ns + self._tick_ns
        session = self._session
        if self._stepped is None and not self._stepping:
            self._send_step(until_ns)
        frames, self._stepped = self._finish_step(), None
        self._arrivals.clear()
        self._acks = 0
        if len(session.bridges) == 1:
            self._bridge_round(["sensors", "clock", "acks"], until_ns, frames)
        else:
            # /clock may go out only once every vehicle's sensors are with their readers
            for part in ("sensors", "clock", "acks"):
                self._bridge_round([part], until_ns, frames)
        if ahead:
            self._send_step(until_ns + self._tick_ns)
        reply = session.collect(
            bound_s=_REQUEST_S,
            timeout_s=_OWN_S,
            time_ns=until_ns,
            frames=frames,
            side=self._log.take(),
            acks=self._acks,
            # a stack that cannot answer leaves the bridges unsure of what has been delivered
            arrivals={} if self._stacks.all_running else dict(self._arrivals),
            silent={
                node: _SILENT[state]
                for node, vehicle in self._managed.items()
                if (state := self._stacks.state(vehicle)) != "running"
            },
        )
        self.sim_ns = until_ns
        self.ticks += 1
        samples: list[dict[str, Any]] = reply["samples"]
        return samples

    def simulate(self, op: str, **fields: Any) -> str:
        """Ask the simulator between two steps; a step that is under way is waited for."""
        if self._stepping:
            self._stepped = self._finish_step()
        reply = self._session.simulator.request(op, bound_s=_REQUEST_S, **fields)
        return str(reply.get("report", ""))

    def _finish_step(self) -> dict[str, int]:
        if self._stepped is not None:
            return self._stepped
        frames: dict[str, int] = self._session.simulator.receive("step", bound_s=_REQUEST_S)[
            "frames"
        ]
        self._stepping = False
        return frames

    def _send_step(self, until_ns: int) -> None:
        self._session.simulator.send("step", until_ns=until_ns, commands=self._commands)
        self._commands = []
        self._stepping = True

    def _bridge_round(self, parts: list[str], time_ns: int, frames: dict[str, int]) -> None:
        for bridge in self._session.bridges:
            bridge.send("tick", time_ns=time_ns, frames=frames, do=parts, timeout_s=_OWN_S)
        for bridge in self._session.bridges:
            reply = bridge.receive("tick", bound_s=_REQUEST_S)
            self._commands += reply["commands"]
            self._arrivals.update(reply["published"])
            self._acks += len(reply["acks"])


class PacedWorld:
    """A world that runs free at its pace; the engine looks at it twenty times a second."""

    def __init__(
        self, session: Session, log: EngineLog, *, wall_ns: Callable[[], int] = time.time_ns
    ) -> None:
        self._session = session
        self._log = log
        self._wall_ns = wall_ns
        self._origin_wall_ns = 0
        self._next_look_ns = 0
        self._moved_at = time.monotonic()
        self._until_ns = 0  # where time that is stepped will stand
        self.time_state: TimeState = "paused"
        self.sim_ns = 0
        mode = session.execution["time"]
        self._pace: float = 1.0 if mode["mode"] == "realtime" else mode["rtf"]

    def start(self) -> None:
        """Let the simulator run at the scenario's pace."""
        self.simulate("resume")

    def simulate(self, op: str, **fields: Any) -> str:
        """Ask the simulator; time that was paused goes on, or is stepped, at the scenario's pace.

        A pause of time that stands is refused: the end of the first would end the second. Time that
        is stepped stands at the step's end by itself, unless it is resumed meanwhile.
        """
        if why := _REFUSALS.get((op, self.time_state)):
            raise InfrastructureError(why, role="simulator", code="refused", answer=why)
        if op in {"resume", "step"}:
            fields = {"rtf": self._pace, **fields}
        reply = self._session.simulator.request(op, bound_s=_REQUEST_S, **fields)
        if op in _TIME_AFTER:
            self.time_state = _TIME_AFTER[op]
            self._until_ns = reply.get("until_ns", 0)
            self._moved_at = time.monotonic()
        return str(reply.get("report", ""))

    def set_origin(self) -> dict[str, float | None]:
        """Make this moment the origin."""
        self._origin_wall_ns = self._wall_ns()
        return {"wall": self._origin_wall_ns / _NS, "sim": self.sim_ns / _NS}

    def timeline_ns(self) -> int:
        """Wall-clock time since the origin."""
        return self._wall_ns() - self._origin_wall_ns

    def advance(self, *, ahead: bool = False) -> list[dict[str, Any]]:  # noqa: ARG002
        """Wait for the next look and return what was observed since the last one."""
        pause_s = (self._next_look_ns - time.monotonic_ns()) / _NS
        if pause_s > 0:
            time.sleep(pause_s)  # the pace itself: nothing is awaited here but time
        self._next_look_ns = time.monotonic_ns() + _LOOK_NS
        reply = self._session.collect(bound_s=_REQUEST_S, timeout_s=_OWN_S, side=self._log.take())
        if reply["time_ns"] > self.sim_ns:
            self._moved_at = time.monotonic()
        elif self.time_state != "paused" and time.monotonic() - self._moved_at > _STALL_S:
            raise InfrastructureError(
                f"the simulator's clock stands at {self.sim_ns / _NS:g} s for {_STALL_S:g} s",
                role="simulator",
            )
        self.sim_ns = reply["time_ns"]
        if self.time_state == "stepped" and self.sim_ns >= self._until_ns:
            self.time_state = "paused"
        samples: list[dict[str, Any]] = reply["samples"]
        return samples
