"""Blocking events beside the engine: threads whose wishes the engine carries out between ticks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from fieldproof.engine._errors import InfrastructureError, InterruptedRunError

_NS = 1_000_000_000
_SLICE_S = 0.05
_PATIENCE_S = 60.0
_Result = TypeVar("_Result")


class RunEndedError(Exception):
    """An event asked something of a run that is over."""


class HungError(Exception):
    """A blocking event gave no sign of life while the world waited for it."""


class Workers:
    """The blocking events of one run.

    A worker runs on a thread of its own until it parks: it holds, or it has asked something of the
    run. What is asked is done by the engine's thread alone, in `serve`. With `wait` set, `serve`
    returns only once every worker is parked or done, and serves them in the order in which they
    started: what they do then falls on ticks, and repeats.

    Args:
        wait: whether the world waits for workers (lockstep).
        check: called while waiting; raises to give up.
        patience_s: wall time after which a worker that neither parks nor ends is given up.
        monotonic: a clock in seconds.
    """

    def __init__(
        self,
        *,
        wait: bool,
        check: Callable[[], None],
        patience_s: float = _PATIENCE_S,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._wait = wait
        self._check = check
        self._patience_s = patience_s
        self._monotonic = monotonic
        self._changed = threading.Condition()
        self._workers: list[_Worker] = []
        self._now_ns = 0
        self._ended = False
        self.given_up = False

    @property
    def ended(self) -> bool:
        """Whether the timeline is over."""
        return self._ended

    def start(self, call: Callable[[], None], *, name: str) -> _Worker:
        """Run a call on a thread of its own; what it raises comes out of the worker's `poll`."""
        worker = _Worker(call, name, self._changed)
        with self._changed:
            self._workers.append(worker)
        worker.thread.start()
        return worker

    def ask(self, action: Callable[[], _Result]) -> _Result:
        """Have the engine do something; from the engine's own thread it is done at once.

        Raises:
            RunEndedError: the run is over.
            Exception: what the action raised.
        """
        worker = self._current()
        if worker is None:
            return action()
        request = _Request(action)
        with self._changed:
            if self._ended or worker.given_up:
                raise RunEndedError("the run is over")
            worker.request = request
            self._changed.notify_all()
            self._changed.wait_for(lambda: request.done or self._ended)
            worker.request = None
            if not request.done:
                raise RunEndedError("the run is over")
        if request.error is not None:
            raise request.error
        result: _Result = request.result
        return result

    def hold(self, seconds: float) -> bool:
        """Wait until the timeline's clock has moved on; return False at once when it ends.

        Raises:
            RuntimeError: called from the engine's thread, which moves the clock.
        """
        worker = self._current()
        if worker is None:
            raise RuntimeError("hold is for apply; a started event polls the clock instead")
        with self._changed:
            worker.held_until_ns = self._now_ns + max(round(seconds * _NS), 0)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._ended or worker.held_until_ns is None)
            worker.held_until_ns = None
            return not self._ended

    def advance(self, t_ns: int) -> None:
        """Move the clock, which lets those go on that have held long enough."""
        with self._changed:
            self._now_ns = t_ns
            for worker in self._workers:
                if worker.held_until_ns is not None and worker.held_until_ns <= t_ns:
                    worker.held_until_ns = None
            self._changed.notify_all()

    def serve(self) -> None:
        """Do what the workers have asked for; see the class about waiting for them.

        Raises:
            InfrastructureError: an action could not be carried out at all.
            InterruptedRunError: somebody asked the run to end.
        """
        while True:
            if self._wait:
                self._wait_until_parked()
            with self._changed:
                self._workers = [one for one in self._workers if one.thread.is_alive()]
                asking = next((one for one in self._workers if one.is_asking), None)
            if asking is None:
                return
            self._do(asking)

    def end(self) -> None:
        """Let every worker go: what holds or asks is told that the run is over."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _current(self) -> _Worker | None:
        thread = threading.current_thread()
        with self._changed:
            return next((one for one in self._workers if one.thread is thread), None)

    def _do(self, worker: _Worker) -> None:
        request = worker.request
        assert request is not None
        try:
            request.result = request.action()
        except (InfrastructureError, InterruptedRunError) as error:
            request.error = RunEndedError(str(error))
            raise
        except BaseException as error:  # noqa: BLE001 - it is the event's own, and raised there
            request.error = error
        finally:
            with self._changed:
                request.done = True
                self._changed.notify_all()

    def _wait_until_parked(self) -> None:
        patient_until = self._monotonic() + self._patience_s
        with self._changed:
            while True:
                busy = [one for one in self._workers if one.is_busy]
                if not busy:
                    return
                if self._monotonic() >= patient_until:
                    for worker in busy:
                        worker.give_up(self._patience_s)
                    self.given_up = True
                    return
                self._changed.wait(_SLICE_S)
                self._changed.release()
                try:
                    self._check()
                finally:
                    self._changed.acquire()


class _Request:
    def __init__(self, action: Callable[[], Any]) -> None:
        self.action = action
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = False


class _Worker:
    """A call on a thread. The condition guards every field."""

    def __init__(self, call: Callable[[], None], name: str, changed: threading.Condition) -> None:
        self._call = call
        self._changed = changed
        self._error: BaseException | None = None
        self._returned = False
        self.request: _Request | None = None
        self.held_until_ns: int | None = None
        self.given_up = False
        self.thread = threading.Thread(target=self._work, name=name, daemon=True)

    @property
    def is_asking(self) -> bool:
        return self.request is not None and not self.request.done

    @property
    def is_busy(self) -> bool:
        """Whether it does something that nobody can see the end of."""
        parked = self.held_until_ns is not None or self.is_asking
        return not (self._returned or self.given_up or parked)

    def give_up(self, patience_s: float) -> None:
        self.given_up = True
        self._error = HungError(f"gave no sign of life for {patience_s:g} s while the world waited")

    def poll(self) -> bool:
        """Return whether it is over, for the world; raises what the call raised."""
        with self._changed:
            if not (self._returned or self.given_up):
                return False
            error = self._error
        if error is not None:
            raise error
        return True

    def cancel(self) -> None:
        """Leave it to the call, which is told that the run is over by what it asks next."""

    def _work(self) -> None:
        error: BaseException | None = None
        try:
            self._call()
        except BaseException as raised:  # noqa: BLE001 - a plugin may raise anything; poll raises it
            error = raised
        with self._changed:
            self._returned = True
            self._error = self._error or error
            self._changed.notify_all()
