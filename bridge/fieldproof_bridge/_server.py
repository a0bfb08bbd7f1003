from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import msgpack
import zmq

from fieldproof_bridge._errors import BridgeError

if TYPE_CHECKING:
    from fieldproof_bridge._bridge import Bridge

_PARENT_CHECK_S: Final = 0.5


class ControlServer:
    """Answers the engine, one request at a time, until it says ``shutdown`` or is gone.

    Requests and replies are msgpack maps: ``{op, ...}`` in, ``{ok: true, ...}`` or
    ``{ok: false, code, message, ...}`` out. Whatever a request says, it gets a reply.

    Args:
        address: ZeroMQ address to bind.
        parent: process id whose end ends the server.

    Raises:
        zmq.ZMQError: the address cannot be bound.
    """

    def __init__(self, address: str, *, parent: int) -> None:
        self._parent = parent
        self._socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.REP)
        self._socket.setsockopt(zmq.LINGER, 1000)
        try:
            self._socket.bind(address)
        except zmq.ZMQError:
            self._socket.close(linger=0)
            raise

    def serve(self, bridge: Bridge) -> None:
        """Run until shutdown or until the parent is gone.

        Raises:
            BridgeError: a free-running bridge can no longer forward.
        """
        poller = zmq.Poller()
        poller.register(self._socket, zmq.POLLIN)
        if bridge.frames_fd is not None:
            poller.register(bridge.frames_fd, zmq.POLLIN)
        while os.getppid() == self._parent:
            bridge.pump()
            wait_s = _PARENT_CHECK_S if bridge.idle_s is None else bridge.idle_s
            ready = dict(poller.poll(round(wait_s * 1000)))
            if self._socket not in ready:
                bridge.idle()
            elif not self._answer(bridge):
                return

    def close(self) -> None:
        """Release the socket once the last reply has left."""
        self._socket.close()

    def _answer(self, bridge: Bridge) -> bool:
        """Serve one request; False after ``shutdown``."""
        op = ""
        try:
            op, request = _parse(self._socket.recv())
            reply = {} if op == "shutdown" else bridge.handle(op, request)
            reply = {"ok": True, **reply}
        except BridgeError as error:
            reply = {"ok": False, "code": error.code, "message": error.message, **error.details}
        self._socket.send(msgpack.packb(reply, use_bin_type=True))
        return op != "shutdown"


def _parse(payload: bytes) -> tuple[str, dict[str, Any]]:
    try:
        request = msgpack.unpackb(payload, raw=False)
    except (ValueError, msgpack.UnpackException) as error:
        raise BridgeError("bad_request", f"not msgpack: {error}") from error
    if not isinstance(request, dict) or not isinstance(request.get("op"), str):
        raise BridgeError("bad_request", "a request is a map with a text op")
    return request["op"], request
