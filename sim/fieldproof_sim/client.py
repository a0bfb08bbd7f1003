import os
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from types import TracebackType
from typing import Any, Final, Self

import zmq

from fieldproof_sim._wire import SYNC_TOPIC, decode, encode

_RECONNECT_MS: Final = 10
_SYNC_RETRY_S: Final = 0.05
_TOKENS = count(1)


class SimulatorError(RuntimeError):
    """The simulator refused a request.

    `code` is one of `fieldproof_sim.Code` (or `timeout`), `message` its sentence, `op` the request.
    """

    def __init__(self, code: str, message: str, *, op: str = "") -> None:
        super().__init__(f"{op}: {code}: {message}" if op else f"{code}: {message}")
        self.code = code
        self.message = message
        self.op = op


class SimulatorTimeoutError(SimulatorError):
    """No answer came within the bound: the simulator is absent, stuck or dead."""


class FrameTimeoutError(TimeoutError):
    """Awaited frames did not arrive; `missing` maps each topic to (awaited seq, last seen seq)."""

    def __init__(self, what: str, missing: Mapping[str, tuple[int, int]]) -> None:
        rows = ", ".join(f"{t} (seq {want}, have {have})" for t, (want, have) in missing.items())
        super().__init__(f"{what}: {rows}" if rows else what)
        self.missing = dict(missing)


class SimulatorClient:
    """Sends requests to a simulator, one at a time; threads may share it.

    Args:
        control_addr: ZeroMQ address of the simulator's control socket.
        timeout_s: how long a request may take unless it says otherwise.
        context: ZeroMQ context, the process's own by default.
    """

    def __init__(
        self, control_addr: str, timeout_s: float, *, context: zmq.Context[Any] | None = None
    ) -> None:
        self._addr = control_addr
        self._timeout_s = timeout_s
        self._context: zmq.Context[Any] = context or zmq.Context.instance()
        self._lock = threading.Lock()
        self._socket: zmq.Socket[bytes] | None = None

    def request(self, op: str, *, timeout_s: float | None = None, **fields: Any) -> dict[str, Any]:
        """Send one request and return its answer without the `ok` flag.

        Raises:
            SimulatorError: the simulator answered with a code.
            SimulatorTimeoutError: it did not answer within the bound.
            WireError: the answer is not a msgpack map.
        """
        bound_s = self._timeout_s if timeout_s is None else timeout_s
        with self._lock:
            socket = self._connected()
            socket.send(encode({"op": op, **fields}))
            if not socket.poll(round(bound_s * 1000), zmq.POLLIN):
                self._drop()  # a late answer must not be taken for that of the next request
                raise SimulatorTimeoutError(
                    "timeout",
                    f"the simulator at {self._addr} did not answer within {bound_s:g} s",
                    op=op,
                )
            reply = decode(socket.recv())
        if reply.pop("ok", False) is not True:
            code, message = str(reply.get("code", "")), str(reply.get("message", ""))
            raise SimulatorError(code, message, op=op)
        return reply

    def close(self) -> None:
        """Release the socket; a later request opens a new one."""
        with self._lock:
            self._drop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _connected(self) -> "zmq.Socket[bytes]":
        if self._socket is None:
            self._socket = self._context.socket(zmq.REQ)
            self._socket.setsockopt(zmq.LINGER, 0)
            self._socket.setsockopt(zmq.RECONNECT_IVL, _RECONNECT_MS)
            self._socket.connect(self._addr)
        return self._socket

    def _drop(self) -> None:
        if self._socket is not None:
            self._socket.close(linger=0)
            self._socket = None


@dataclass(frozen=True, slots=True)
class Frame:
    """One published message: `data` is the whole map, `seq` counts from 1 within `topic`."""

    topic: str
    seq: int
    time_ns: int
    data: dict[str, Any]


class FrameSubscriber:
    """Receives published frames in order and counts the ones that never came.

    A prefix that is empty or ends in `/` selects every topic under it; any other selects the one
    topic of that name (`contact/ugv1` is not `contact/ugv10`). Handshake frames stay
    inside.

    Attributes:
        gaps: lost frames by topic; empty when nothing was lost.
        last_seq: newest sequence number by topic, received or known from a handshake.
    """

    def __init__(
        self,
        publish_addr: str,
        prefixes: Iterable[str],
        *,
        context: zmq.Context[Any] | None = None,
    ) -> None:
        self._addr = publish_addr
        self._prefixes = tuple(prefixes)
        self.gaps: dict[str, int] = {}
        self.last_seq: dict[str, int] = {}
        self._queue: deque[Frame] = deque()
        self._token: str | None = None
        self._synced = False
        self._wanted_cache: dict[str, bool] = {}
        owner: zmq.Context[Any] = context or zmq.Context.instance()
        self._socket: zmq.Socket[bytes] = owner.socket(zmq.SUB)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.setsockopt(zmq.RCVHWM, 0)
        self._socket.setsockopt(zmq.RECONNECT_IVL, _RECONNECT_MS)
        for prefix in (*self._prefixes, SYNC_TOPIC):
            self._socket.setsockopt(zmq.SUBSCRIBE, prefix.encode())
        self._socket.connect(publish_addr)

    def fileno(self) -> int:
        """Descriptor of the socket, for a selector (edge-triggered: drain after each event)."""
        return int(self._socket.getsockopt(zmq.FD))

    def sync(self, client: SimulatorClient, timeout_s: float = 10.0) -> None:
        """Return once this subscriber is known to receive whatever is published from now on.

        Frames missed before that do not count as gaps; asked again later, it proves that
        everything published until then has arrived, or counts what has not.

        Raises:
            FrameTimeoutError: the simulator answers but its frames do not come through.
            SimulatorError: the simulator refused, or did not answer.
        """
        token = f"{os.getpid()}.{next(_TOKENS)}"
        self._token = token
        deadline = time.monotonic() + timeout_s
        while self._token is not None:
            if time.monotonic() >= deadline:
                self._token = None
                raise FrameTimeoutError(
                    f"no frame came through {self._addr} within {timeout_s:g} s", {}
                )
            client.request("sync", token=token)
            retry_at = min(deadline, time.monotonic() + _SYNC_RETRY_S)
            while self._token is not None and (left := retry_at - time.monotonic()) > 0:
                self._read(left)

    def receive(self, timeout_s: float = 0.0) -> Frame | None:
        """Return the next frame, waiting at most `timeout_s` for it."""
        deadline = time.monotonic() + timeout_s
        while not self._queue:
            left = deadline - time.monotonic()
            if not self._read(max(left, 0.0)) and left <= 0:
                return None
        return self._queue.popleft()

    def drain(self) -> list[Frame]:
        """Return every frame that is here now, without waiting."""
        while self._read(0.0):
            pass
        frames = list(self._queue)
        self._queue.clear()
        return frames

    def wait_for(self, frames: Mapping[str, int], timeout_s: float) -> None:
        """Return once each selected topic of `frames` has reached its sequence number.

        The frames stay for `receive` and `drain`; topics outside the prefixes are passed over, so
        the answer to a `step` can be handed in as it is.

        Raises:
            FrameTimeoutError: names the topics that fell short.
        """
        awaited = {topic: seq for topic, seq in frames.items() if self._selects(topic)}
        deadline = time.monotonic() + timeout_s
        while missing := {
            topic: (seq, have)
            for topic, seq in awaited.items()
            if (have := self.last_seq.get(topic, 0)) < seq
        }:
            left = deadline - time.monotonic()
            if not self._read(max(left, 0.0)) and left <= 0:
                raise FrameTimeoutError(f"frames missing after {timeout_s:g} s", missing)

    def close(self) -> None:
        """Release the socket."""
        self._socket.close(linger=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _selects(self, topic: str) -> bool:
        known = self._wanted_cache.get(topic)
        if known is None:
            known = any(
                topic.startswith(prefix)
                if prefix == "" or prefix.endswith("/")
                else topic == prefix
                for prefix in self._prefixes
            )
            self._wanted_cache[topic] = known
        return known

    def _read(self, timeout_s: float) -> bool:
        """Take one message off the socket; False when none came in time."""
        try:
            parts = self._socket.recv_multipart(zmq.NOBLOCK)
        except zmq.Again:
            # Rounded up: a remainder below a millisecond would otherwise spin.
            if timeout_s <= 0 or not self._socket.poll(int(timeout_s * 1000) + 1, zmq.POLLIN):
                return False
            parts = self._socket.recv_multipart()
        topic, data = parts[0].decode(), decode(parts[1])
        if topic == SYNC_TOPIC:
            self._handshake(data)
        elif self._selects(topic):
            seq = int(data["seq"])
            self._note(topic, seq - 1)
            self.last_seq[topic] = seq
            self._queue.append(Frame(topic, seq, int(data["time_ns"]), data))
        return True

    def _handshake(self, data: Mapping[str, Any]) -> None:
        if data.get("token") != self._token:
            return
        self._token = None
        for topic, seq in data["frames"].items():
            if self._selects(topic):
                self._note(topic, seq)
                self.last_seq[topic] = seq
        self._synced = True

    def _note(self, topic: str, published: int) -> None:
        """Count what is missing between the last frame seen and `published`."""
        unknown = 0 if self._synced else published
        lost = published - self.last_seq.get(topic, unknown)
        if lost > 0:
            self.gaps[topic] = self.gaps.get(topic, 0) + lost
