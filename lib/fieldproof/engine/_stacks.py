"""The vehicles' processes as events freeze and end them, and how lockstep goes on without them."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from fieldproof.backends import Process
from fieldproof.engine._channel import Channel
from fieldproof.engine._errors import InfrastructureError
from fieldproof.events import Refused, StackState

_REQUEST_S = 15.0
_FREEZE_S = 5.0
_EXIT_S = 10.0
_POLL_S = 0.001


class _Session(Protocol):
    """What is needed of a run's session."""

    can_answer: Callable[[str], bool]

    def bridge(self, vehicle: str) -> Channel: ...
    def stack(self, vehicle: str) -> Sequence[Process]: ...
    def lose_goals(self, vehicle: str) -> None: ...


class Stacks:
    """Freezes, thaws and ends the software of vehicles.

    In lockstep a change takes effect with the next tick: nothing of a vehicle runs between ticks
    anyway. A thaw is put off until then, so that a stack that is thawed and ended at one moment
    never runs in between. What a thawed stack does with the messages that queued up before it
    depends on the host's timing, so a run with a thaw does not repeat exactly.

    Args:
        session: the run's processes.
        lockstep: whether bridges wait for the vehicles' acknowledgements.
        check: called while waiting; raises to give up.
        monotonic: a clock in seconds.
    """

    def __init__(
        self,
        session: _Session,
        vehicles: Sequence[str],
        *,
        lockstep: bool,
        check: Callable[[], None],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._session = session
        self._lockstep = lockstep
        self._check = check
        self._monotonic = monotonic
        self._states: dict[str, StackState] = dict.fromkeys(vehicles, "running")
        self._told = dict(self._states)
        self._thawing: list[str] = []
        self.thawed = False
        session.can_answer = lambda vehicle: self._states[vehicle] == "running"

    @property
    def all_running(self) -> bool:
        """Whether every vehicle's software can answer, as the bridges know it."""
        return all(state == "running" for state in self._told.values())

    def state(self, vehicle: str) -> StackState:
        """The state of a vehicle's software."""
        return self._states[vehicle]

    def need_running(self, vehicle: str, what: str) -> None:
        """Refuse what needs the vehicle's software when it cannot answer."""
        state = self._states[vehicle]
        if state != "running":
            raise Refused(f"{what} needs the software of {vehicle}, which is {state}")

    def pause(self, vehicle: str) -> None:
        """Freeze every process of a vehicle.

        Raises:
            Refused: it is frozen already, or gone.
            InfrastructureError: the system did not freeze it.
        """
        if self._states[vehicle] != "running":
            raise Refused(f"the software of {vehicle} is {self._states[vehicle]} already")
        processes = self._session.stack(vehicle)
        for process in processes:
            process.pause()
        self._await(lambda: all(_is_stopped(one) for one in processes), _FREEZE_S, vehicle)
        self._states[vehicle] = "paused"
        if vehicle in self._thawing:
            self._thawing.remove(vehicle)

    def resume(self, vehicle: str) -> None:
        """Thaw a frozen vehicle.

        Raises:
            Refused: it is not frozen.
        """
        if self._states[vehicle] != "paused":
            raise Refused(f"the software of {vehicle} is not paused but {self._states[vehicle]}")
        self._states[vehicle] = "running"
        self._thawing.append(vehicle)
        if not self._lockstep:
            self._thaw()

    def kill(self, vehicle: str, name: str) -> None:
        """Send a signal to every process of a vehicle and expect it to end.

        In lockstep its end is waited for.

        Args:
            vehicle: whose processes.
            name: the signal, such as `SIGKILL`.

        Raises:
            Refused: it is gone already, frozen (but for SIGKILL), or does not end.
        """
        state, number = self._states[vehicle], signal.Signals[name]
        if state == "gone":
            raise Refused(f"the software of {vehicle} is gone already")
        if state == "paused" and number != signal.SIGKILL:
            raise Refused(f"the software of {vehicle} is paused and cannot take {name}")
        if vehicle in self._thawing and number != signal.SIGKILL:
            self._thaw()
        processes = self._session.stack(vehicle)
        for process in processes:
            process.expected_exit = True
            process.signal(number)
        self._states[vehicle] = "gone"
        if vehicle in self._thawing:
            self._thawing.remove(vehicle)
        self._session.lose_goals(vehicle)
        if self._lockstep:
            deadline = self._monotonic() + _EXIT_S
            while running := [one.role for one in processes if one.exit_code() is None]:
                if self._monotonic() > deadline:
                    text = ", ".join(running)
                    raise Refused(f"{text} still runs {_EXIT_S:g} s after {name}")
                self._check()
                time.sleep(_POLL_S)

    def apply(self) -> None:
        """Let the changes of this moment take effect, before the world moves on."""
        self._thaw()
        if not self._lockstep or self._told == self._states:
            return
        self._told = dict(self._states)
        for vehicle, state in self._told.items():
            self._session.bridge(vehicle).request(
                "stack",
                bound_s=_REQUEST_S,
                own=state,
                all_running=self.all_running,
            )

    def _thaw(self) -> None:
        for vehicle in self._thawing:
            for process in self._session.stack(vehicle):
                process.resume()
            self.thawed = True
        self._thawing.clear()

    def _await(self, condition: Callable[[], bool], bound_s: float, vehicle: str) -> None:
        deadline = self._monotonic() + bound_s
        while not condition():
            if self._monotonic() > deadline:
                raise InfrastructureError(f"{vehicle} was not frozen within {bound_s:g} s")
            self._check()
            time.sleep(_POLL_S)  # the system gives no notice of a stop to who is not its parent


def _is_stopped(process: Process) -> bool:
    """Whether every thread of a group's leader is stopped, or gone."""
    return all(map(_is_still, Path(f"/proc/{process.pid}/task").glob("*/stat")))


def _is_still(thread: Path) -> bool:
    try:
        text = thread.read_text(encoding="ascii", errors="replace")
    except OSError:
        return True
    return text.rpartition(")")[2].split()[0] in "TtZX"
