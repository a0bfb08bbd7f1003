import os
import signal
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import zmq

from fieldproof_sim.interface import Simulator
from fieldproof_sim.pacing import Pacer, RateMeter
from fieldproof_sim.protocol import (
    CLOCK_TOPIC,
    OPS,
    POSE_TOPIC,
    PROTOCOL_VERSION,
    SYNC_TOPIC,
    Code,
    Command,
    Hello,
    Load,
    Pause,
    Remove,
    Request,
    RequestError,
    Resume,
    Shutdown,
    Spawn,
    State,
    Step,
    Sync,
    Teleport,
    Wind,
    encode,
    failure,
    parse_request,
    success,
)

_POLL_MS: Final = 200
_CLOCK_NS: Final = 10_000_000
_STEP_SLICE_NS: Final = 100_000_000


class Server:
    """Carries out requests and publishes frames until told to end.

    The only thing here that reads the wall clock; nothing of it reaches a frame while time is
    stepped, so that stepped runs repeat.

    Args:
        simulator: what is served; not loaded yet.
        control_addr: ZeroMQ address to answer requests on.
        publish_addr: ZeroMQ address to publish frames on.
        parent_pid: the process without which this one ends.

    Raises:
        zmq.ZMQError: an address cannot be bound.
    """

    def __init__(
        self, simulator: Simulator, control_addr: str, publish_addr: str, *, parent_pid: int
    ) -> None:
        self._simulator = simulator
        self._parent_pid = parent_pid
        self._context: zmq.Context[Any] = zmq.Context()
        self._control: zmq.Socket[bytes] = self._context.socket(zmq.REP)
        self._frames: zmq.Socket[bytes] = self._context.socket(zmq.PUB)
        self._frames.setsockopt(zmq.SNDHWM, 0)
        for socket, address in ((self._control, control_addr), (self._frames, publish_addr)):
            socket.setsockopt(zmq.LINGER, 0)
            try:
                socket.bind(address)
            except zmq.ZMQError as error:
                self.close()
                raise zmq.ZMQError(error.errno, f"{address}: {error.strerror}") from error
        self._seq: dict[str, int] = {}
        self._handlers: dict[type[Request], Callable[[Any], dict[str, Any]]] = {
            Hello: self._hello,
            Load: self._load,
            Sync: self._sync,
            Step: self._step,
            Pause: self._pause,
            Resume: self._resume,
            State: self._state,
            Command: self._command,
            Spawn: self._spawn,
            Remove: self._reporting(simulator.remove),
            Teleport: self._teleport,
            Wind: self._reporting(simulator.wind),
            Shutdown: self._shutdown,
        }
        self._teleported: set[str] = set()  # models since the last frame of poses
        self._loaded = False
        self._pacer: Pacer | None = None
        self._until_ns: int | None = None  # where time that runs is to stop by itself
        self._repeat_ns: int | None = None  # when to repeat the clock of a world that was stopped
        self._meter = RateMeter(sim_ns=0, wall_ns=0)
        self._ending = False

    def run(self) -> None:
        """Serve until a `shutdown` request, SIGTERM, SIGINT or the end of the parent.

        Raises:
            RequestError: physics failed while time ran freely, with nobody to answer to.
        """
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._end)
        while not self._over():
            if self._control.poll(self._idle_ms(), zmq.POLLIN):
                self._control.send(self._answer(self._control.recv()))
            elif self._pacer is not None:
                self._run_slice(self._pacer)
            if self._repeat_ns is not None and time.monotonic_ns() >= self._repeat_ns:
                self._publish_clock(None)
                self._repeat_clock()

    def close(self) -> None:
        """Give the addresses back; answers and frames already sent get a second to leave."""
        self._control.close(linger=1000)
        self._frames.close(linger=1000)
        self._context.term()

    def _end(self, *_: object) -> None:
        self._ending = True

    def _over(self) -> bool:
        return self._ending or os.getppid() != self._parent_pid

    def _idle_ms(self) -> int:
        """Return how long to wait for a request before the next slice is due."""
        if self._pacer is not None:
            now_ns = self._simulator.time_ns
            wait_ns = self._pacer.wait_ns(self._slice_end(now_ns), time.monotonic_ns())
        elif self._repeat_ns is not None:
            wait_ns = max(self._repeat_ns - time.monotonic_ns(), 0)
        else:
            return _POLL_MS
        return min(-(-wait_ns // 1_000_000), _POLL_MS)

    def _slice_end(self, now_ns: int) -> int:
        """Return when the next free-running slice ends: at the clock's next tick."""
        step_ns = self._simulator.step_ns
        tick_ns = (now_ns // _CLOCK_NS + 1) * _CLOCK_NS
        end_ns = max(-(-tick_ns // step_ns) * step_ns, now_ns + step_ns)
        return end_ns if self._until_ns is None else min(end_ns, self._until_ns)

    def _run_slice(self, pacer: Pacer) -> None:
        end_ns = self._slice_end(self._simulator.time_ns)
        if pacer.wait_ns(end_ns, time.monotonic_ns()) > 0:
            return  # woken early, by the bound on waiting
        self._simulator.advance(end_ns, self._publish)
        rtf = self._meter.update(end_ns, time.monotonic_ns())
        if end_ns == self._until_ns:
            self._stop()
        else:
            self._publish_clock(rtf)

    def _publish(self, topic: str, fields: Mapping[str, Any]) -> None:
        if topic == POSE_TOPIC:
            fields = {**fields, "teleported": sorted(self._teleported)}
            self._teleported.clear()
        seq = self._seq[topic] = self._seq.get(topic, 0) + 1
        payload = encode({"seq": seq, "time_ns": self._simulator.time_ns, **fields})
        self._frames.send_multipart((topic.encode(), payload), copy=True)

    def _publish_clock(self, rtf: float | None, *, stepped: bool = False) -> None:
        wall_ns = None if stepped else time.time_ns()
        fields = {"paused": self._pacer is None, "rtf": rtf, "wall_ns": wall_ns}
        self._publish(CLOCK_TOPIC, fields)

    def _stop(self) -> None:
        """Let time that runs stand, and say so again and again."""
        self._pacer = self._until_ns = None
        self._publish_clock(None)
        self._repeat_clock()

    def _repeat_clock(self) -> None:
        """Have the clock told once more, after which it is told again: who follows it waits."""
        self._repeat_ns = time.monotonic_ns() + _CLOCK_NS

    def _last_seq(self) -> dict[str, int]:
        return {topic: seq for topic, seq in self._seq.items() if topic != SYNC_TOPIC}

    def _answer(self, payload: bytes) -> bytes:
        try:
            request = parse_request(payload)
            return success(**self._carry_out(request))
        except RequestError as error:
            return failure(error.code, error.message)

    def _carry_out(self, request: Request) -> dict[str, Any]:
        if not self._loaded and not isinstance(request, Hello | Load | Sync | Shutdown):
            raise RequestError(Code.NOT_LOADED, f"{request.op}: no world is loaded yet")
        return self._handlers[type(request)](request)

    def _reporting(self, act: Callable[[Any], str]) -> Callable[[Any], dict[str, Any]]:
        return lambda request: {"report": act(request)}

    def _spawn(self, request: Spawn) -> dict[str, Any]:
        spawned = self._simulator.spawn(request)
        return {"report": spawned.report, "warnings": list(spawned.warnings)}

    def _teleport(self, request: Teleport) -> dict[str, Any]:
        report = self._simulator.teleport(request)
        self._teleported.add(request.model)
        return {"report": report}

    def _sync(self, request: Sync) -> dict[str, Any]:
        self._publish(SYNC_TOPIC, {"token": request.token, "frames": self._last_seq()})
        return {}

    def _shutdown(self, _request: Shutdown) -> dict[str, Any]:
        self._ending = True
        return {}

    def _command(self, request: Command) -> dict[str, Any]:
        self._simulator.command(request)
        return {}

    def _hello(self, _request: Hello) -> dict[str, Any]:
        return {
            "protocol": PROTOCOL_VERSION,
            "simulator": self._simulator.name,
            "version": self._simulator.version,
            "capabilities": list(self._simulator.capabilities),
            "ops": list(OPS),
        }

    def _load(self, request: Load) -> dict[str, Any]:
        if self._loaded:
            raise RequestError(
                Code.REFUSED, "load: a world is loaded already; start another simulator"
            )
        loaded = self._simulator.load(request)
        self._loaded = True
        return {
            "time_ns": self._simulator.time_ns,
            "models": list(loaded.models),
            "warnings": list(loaded.warnings),
        }

    def _state(self, _request: State) -> dict[str, Any]:
        return {
            "time_ns": self._simulator.time_ns,
            "paused": self._pacer is None,
            "rtf": None if self._pacer is None else self._pacer.rtf,
            "models": list(self._simulator.models()),
            "wind": dict(self._simulator.air()),
        }

    def _step(self, request: Step) -> dict[str, Any]:
        if self._pacer is not None:
            raise RequestError(Code.NOT_PAUSED, "step: time runs freely; pause it first")
        now_ns, until_ns = self._simulator.time_ns, self._end_of(request)
        for command in request.commands:
            self._simulator.command(command)
        if request.rtf is not None and until_ns > now_ns:
            self._run(request.rtf, until_ns)
            return {"time_ns": now_ns, "until_ns": until_ns, "frames": self._last_seq()}
        step_ns = self._simulator.step_ns
        slice_ns = max(_STEP_SLICE_NS // step_ns, 1) * step_ns
        while now_ns < until_ns:
            if self._over():
                raise RequestError(Code.REFUSED, "step: the simulator is ending")
            now_ns = min(now_ns + slice_ns, until_ns)
            self._simulator.advance(now_ns, self._publish)
        self._publish_clock(None, stepped=True)
        if self._repeat_ns is not None:
            self._repeat_clock()
        return {"time_ns": now_ns, "until_ns": until_ns, "frames": self._last_seq()}

    def _end_of(self, request: Step) -> int:
        """Return when a step ends."""
        now_ns, step_ns = self._simulator.time_ns, self._simulator.step_ns
        if request.steps is not None:
            return now_ns + request.steps * step_ns
        field, given = "until_ns", request.until_ns
        if request.advance_ns is not None:
            field, given = "advance_ns", request.advance_ns
        assert given is not None, "the request was checked to say one of the three"
        if given % step_ns:
            raise RequestError(
                Code.BAD_REQUEST,
                f"{field}: {given} is not a whole number of steps of {step_ns} ns",
            )
        if field == "advance_ns":
            return now_ns + given
        if given < now_ns:
            raise RequestError(Code.BAD_REQUEST, f"until_ns: {given} is before now ({now_ns})")
        return given

    def _pause(self, _request: Pause) -> dict[str, Any]:
        if self._pacer is not None:
            self._stop()
        return {"time_ns": self._simulator.time_ns, "frames": self._last_seq()}

    def _resume(self, request: Resume) -> dict[str, Any]:
        self._run(request.rtf, None)
        return {"time_ns": self._simulator.time_ns}

    def _run(self, rtf: float | None, until_ns: int | None) -> None:
        """Let time run at a pace, to a time or until it is paused."""
        now_ns, wall_ns = self._simulator.time_ns, time.monotonic_ns()
        if self._pacer is None:
            self._meter = RateMeter(sim_ns=now_ns, wall_ns=wall_ns)
        self._repeat_ns = None
        self._until_ns = until_ns
        self._pacer = Pacer(rtf, sim_ns=now_ns, wall_ns=wall_ns)
