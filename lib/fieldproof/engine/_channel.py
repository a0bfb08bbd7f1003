"""Requests from the engine to the processes of a run, each bounded and watched."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgpack
import zmq

from fieldproof.backends import Process
from fieldproof.engine._errors import InfrastructureError

_SLICE_MS = 50


class Channel:
    """A request/reply connection to one process.

    Args:
        address: ZeroMQ address that the process serves.
        process: the process itself, so that its end is noticed at once and not at a time-out.
        check: called while waiting; raises to give up (an interrupt, another process's end).
    """

    def __init__(self, address: str, process: Process, check: Callable[[], None]) -> None:
        self._process = process
        self._check = check
        self._socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.REQ)
        self._socket.setsockopt(zmq.LINGER, 0)
        # a request may be given up; the next one can be sent, and a late reply is not taken for its
        self._socket.setsockopt(zmq.REQ_RELAXED, 1)
        self._socket.setsockopt(zmq.REQ_CORRELATE, 1)
        self._socket.setsockopt(zmq.RECONNECT_IVL, 5)
        self._socket.connect(address)

    @property
    def role(self) -> str:
        """The role of the process at the other end."""
        return self._process.role

    def request(self, op: str, *, bound_s: float, **fields: Any) -> dict[str, Any]:
        """Send a request with its fields and wait for the reply.

        Args:
            op: the request.
            bound_s: how long the reply may take; a field `timeout_s`, where the request has one,
                bounds what the process does and should be shorter.
            fields: the request's fields.

        Raises:
            InfrastructureError: the process ended, did not answer in time or answered with an
                error; the text names the process and the request.
        """
        self.send(op, **fields)
        return self.receive(op, bound_s=bound_s)

    def send(self, op: str, **fields: Any) -> None:
        """Send a request whose reply `receive` takes; lets several processes work at once."""
        self._socket.send(msgpack.packb({"op": op, **fields}))

    def receive(self, op: str, *, bound_s: float) -> dict[str, Any]:
        """Wait for the reply to the request sent last; raises as `request` does."""
        deadline = time.monotonic() + bound_s
        while not self._socket.poll(_SLICE_MS, zmq.POLLIN):
            code = self._process.exit_code()
            if code is not None and not self._socket.poll(0, zmq.POLLIN):
                raise InfrastructureError(
                    f"{self.role} ended with exit code {code} while '{op}' was awaited",
                    role=self.role,
                    log_tail=self._process.log_tail(),
                )
            self._check()
            if time.monotonic() > deadline:
                raise InfrastructureError(
                    f"{self.role} did not answer '{op}' within {bound_s:g} s",
                    role=self.role,
                    log_tail=self._process.log_tail(),
                )
        reply: dict[str, Any] = msgpack.unpackb(self._socket.recv())
        if not reply.pop("ok", False):
            answer = str(reply.get("message", "refused"))
            raise InfrastructureError(
                f"{self.role}: {answer}",
                role=self.role,
                log_tail=self._process.log_tail(),
                code=str(reply.get("code", "refused")),
                answer=answer,
            )
        return reply

    def close(self) -> None:
        """Drop the connection."""
        self._socket.close(linger=0)
