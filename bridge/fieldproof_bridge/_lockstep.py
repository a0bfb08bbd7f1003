from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from fieldproof_bridge._errors import BridgeError
from fieldproof_sim import FrameTimeoutError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fieldproof_bridge._manifest import Lockstep
    from fieldproof_bridge._node import Inlet, VehicleNode
    from fieldproof_bridge._pipeline import CommandPipeline, SensorPipeline
    from fieldproof_sim import FrameSubscriber

PARTS: Final = ("sensors", "clock", "acks")
_REPEAT_S: Final = 0.05
_ROUNDS: Final = 2


class AckLedger:
    """Who has acknowledged which time.

    Args:
        nodes: the node names that must acknowledge each tick.
    """

    def __init__(self, nodes: Sequence[str]) -> None:
        self._nodes = tuple(nodes)
        self._newest: dict[str, int] = {}

    def note(self, node: str, time_ns: int) -> None:
        """Take down one acknowledgement; those of nodes that nobody waits for do not count."""
        if node in self._nodes:
            self._newest[node] = max(time_ns, self._newest.get(node, -1))

    def missing(self, time_ns: int) -> list[str]:
        """The nodes that have not acknowledged ``time_ns``, in the manifest's order."""
        return [node for node in self._nodes if self._newest.get(node, -1) < time_ns]

    def ahead(self, time_ns: int) -> list[str]:
        """The nodes that acknowledged a time after ``time_ns``: they follow another clock."""
        return [node for node in self._nodes if self._newest.get(node, -1) > time_ns]


class LockstepBridge:
    """Performs the bridge's share of each tick, every step bounded and nothing in between.

    Args:
        node: the ROS end.
        sensors: the vehicle's sensor routes.
        commands: the vehicle's command route.
        subscriber: the vehicle's frames, already synchronised.
        lockstep: how the vehicle acknowledges.
        namespace: the vehicle's absolute ROS namespace.

    Attributes:
        time_ns: simulation time of the last tick.
        timings: wall time of the parts.
    """

    def __init__(
        self,
        *,
        node: VehicleNode,
        sensors: SensorPipeline,
        commands: CommandPipeline,
        subscriber: FrameSubscriber,
        lockstep: Lockstep,
        namespace: str,
    ) -> None:
        self._node = node
        self._sensors = sensors
        self._commands = commands
        self._subscriber = subscriber
        self._lockstep = lockstep
        self._namespace = namespace
        self._ledger = AckLedger(lockstep.nodes)
        self.time_ns = 0
        self._repeating = False
        self._answers = True
        self._all_answer = True
        self._unsure: frozenset[str] = frozenset()  # topics that a silent vehicle may read
        self._reported: dict[str, int] | None = None  # messages published, as last told
        self.timings = Timings()

    @property
    def idle_s(self) -> float | None:
        """How soon ``idle`` wants to be called when no request comes; None for never."""
        return _REPEAT_S if self._repeating else None

    def idle(self) -> None:
        """Repeat time 0 until the first tick: a node of another vehicle may still be starting."""
        if self._repeating:
            self._node.publish_clock(0)

    def arm(self, timeout_s: float) -> dict[str, Any]:
        """Bring the vehicle to time 0: every node has seen it and said so.

        Returns:
            ``acks``: the nodes that acknowledged.

        Raises:
            BridgeError: ``not_armed`` names what is missing; ``bad_request`` after the first tick.
        """
        if self.time_ns > 0:
            raise BridgeError("bad_request", f"arm: the run is already at {seconds(self.time_ns)}")
        deadline = time.monotonic() + timeout_s
        self._repeating = self._node.clock is not None
        # The second round is for what the first set off: a node is heard as soon as one pair of
        # ends is connected, and by then the news of its other ends is on the way.
        for _ in range(_ROUNDS):
            self._ledger = AckLedger(self._lockstep.nodes)
            self._reach_zero(deadline, timeout_s)
        self._node.confirm(deadline, what="time 0")
        self._node.confirm_clock(deadline, what="time 0")
        return {"acks": list(self._lockstep.nodes)}

    def still(self, timeout_s: float) -> dict[str, Any]:
        """Stop repeating time 0, with every repetition delivered: what comes next is a tick.

        Raises:
            BridgeError: ``delivery_timeout``.
        """
        self._repeating = False
        self._node.confirm_clock(time.monotonic() + timeout_s, what="time 0")
        self._reported = self._counts()
        return {}

    def set_stack(self, *, answers: bool, all_answer: bool) -> None:
        """Learn whether vehicles can answer: nothing is awaited from software that cannot.

        When it answers again, it is also awaited for what it missed. Readers of software that is
        gone stay in the graph for a while and confirm nothing.

        Args:
            answers: whether this vehicle's software runs; without it nobody acknowledges, nobody
                confirms delivery, and the last command stands.
            all_answer: whether that of every vehicle does. All of them read the clock, and some
                may read topics of this vehicle.
        """
        if answers and not self._answers:
            self._ledger = AckLedger(self._lockstep.nodes)
        self._answers, self._all_answer = answers, all_answer
        self._unsure = frozenset() if all_answer else self._node.read_by_others()

    def tick(
        self, time_ns: int, frames: Mapping[str, int], parts: Iterable[str], timeout_s: float
    ) -> dict[str, Any]:
        """Perform the named parts of the tick that ends at ``time_ns``.

        Args:
            time_ns: simulation time; never before that of the last call.
            frames: newest sequence number by frame topic, from the simulator's answer to ``step``.
            parts: of ``PARTS``; they are done in that order.
            timeout_s: bound for all of them together, wall time.

        Returns:
            ``published`` (messages by topic since the last answer), ``acks`` (nodes) and
            ``commands`` (for the simulator's next step, at most one).

        Raises:
            BridgeError: ``frames_missing``, ``frames_lost``, ``bad_frame``, ``delivery_timeout``,
                ``ack_timeout``, ``ack_ahead`` or ``bad_request``.
        """
        if time_ns < self.time_ns or time_ns <= 0:
            at = seconds(self.time_ns)
            raise BridgeError("bad_request", f"tick: {seconds(time_ns)} does not follow {at}")
        self.time_ns = time_ns
        self._repeating = False
        wanted = set(parts)
        what = f"tick at {seconds(time_ns)}"
        deadline = time.monotonic() + timeout_s
        before = self._counts() if self._reported is None else self._reported
        reply: dict[str, Any] = {"published": {}, "acks": [], "commands": []}
        if "sensors" in wanted:
            self._publish_sensors(time_ns, frames, deadline, what)
        if "clock" in wanted:
            self._node.publish_clock(time_ns)
        if "acks" in wanted:
            if self._answers:
                reply["acks"] = self._await_acks(time_ns, timeout_s, deadline, what)
            reply["commands"] = self._last_command(time_ns)
            self._confirm(deadline, what)
        if "clock" in wanted and self._all_answer:
            with self.timings.measure("clock_delivery"):
                self._node.confirm_clock(deadline, what=what)
        self._reported = self._counts()
        reply["published"] = {
            topic: count - before[topic]
            for topic, count in self._reported.items()
            if count > before[topic]
        }
        return reply

    def _confirm(self, deadline: float, what: str) -> None:
        if self._answers:
            self._node.confirm(deadline, what=what, but=self._unsure)

    def _reach_zero(self, deadline: float, timeout_s: float) -> None:
        """Publish time 0 until every node has acknowledged it and every end is connected."""
        while True:
            self._node.publish_clock(0)
            slice_end = min(deadline, time.monotonic() + _REPEAT_S)
            missing = self._collect(0, slice_end)
            unmatched = self._node.unmatched()
            if not missing and not unmatched:
                return
            if time.monotonic() >= deadline:
                raise self._not_armed(missing, unmatched, timeout_s)
            if not missing and self._node.acks is not None:
                self._node.acks.wait(slice_end)

    def _publish_sensors(
        self, time_ns: int, frames: Mapping[str, int], deadline: float, what: str
    ) -> None:
        try:
            self._subscriber.wait_for(frames, max(deadline - time.monotonic(), 0.0))
        except FrameTimeoutError as error:
            raise BridgeError(
                "frames_missing", f"{what}: {error}", topics=sorted(error.missing)
            ) from error
        with self.timings.measure("sensors"):
            for frame in self._subscriber.drain():
                if frame.time_ns > time_ns:
                    raise BridgeError(
                        "bad_frame",
                        f"{what}: frame {frame.seq} of {frame.topic} is from the future"
                        f" ({seconds(frame.time_ns)})",
                    )
                self._sensors.publish(frame)
            self._sensors.advance(time_ns)
        if self._subscriber.gaps:
            rows = ", ".join(f"{topic} ({n})" for topic, n in self._subscriber.gaps.items())
            raise BridgeError("frames_lost", f"{what}: frames of the simulator are lost: {rows}")
        with self.timings.measure("sensor_delivery"):
            self._confirm(deadline, what)

    def _await_acks(self, time_ns: int, timeout_s: float, deadline: float, what: str) -> list[str]:
        with self.timings.measure("acks"):
            if self._node.acks is None:
                time.sleep(self._lockstep.hold_ms / 1e3)  # the vehicle gives nothing to wait for
                return []
            missing = self._collect(time_ns, deadline)
        if missing:
            raise BridgeError(
                "ack_timeout",
                f"{what}: no acknowledgement from {self._described(missing)}"
                f" within {timeout_s:g} s",
                nodes=missing,
            )
        if ahead := self._ledger.ahead(time_ns):
            raise BridgeError(
                "ack_ahead", f"{what}: {', '.join(ahead)} acknowledged a later time", nodes=ahead
            )
        return list(self._lockstep.nodes)

    def _collect(self, time_ns: int, deadline: float) -> list[str]:
        """Take acknowledgements until none is missing or the deadline; the missing ones."""
        inlet = self._node.acks
        if inlet is None:
            return []
        while True:
            for message in _drain(inlet):
                stamp = message.stamp
                self._ledger.note(message.frame_id, stamp.sec * 1_000_000_000 + stamp.nanosec)
            missing = self._ledger.missing(time_ns)
            if not missing or time.monotonic() >= deadline:
                return missing
            inlet.wait(deadline)

    def _last_command(self, time_ns: int) -> list[dict[str, Any]]:
        """What the drive is to do; whoever releases the ticks gives it to the simulator."""
        inlet = self._node.commands
        if inlet is None:
            return []
        command = self._commands.last_of(_drain(inlet), time_ns)
        if command is None:
            return []
        self._node.publish_drive(command)
        return [self._commands.as_fields(command)]

    def _not_armed(
        self, missing: Sequence[str], unmatched: Sequence[str], timeout_s: float
    ) -> BridgeError:
        reasons = []
        if missing:
            reasons.append(f"no acknowledgement of time 0 from {self._described(missing)}")
        if unmatched:
            reasons.append(f"subscribers not connected on {', '.join(unmatched)}")
        return BridgeError(
            "not_armed",
            f"{'; '.join(reasons)} within {timeout_s:g} s",
            nodes=list(missing),
            topics=list(unmatched),
        )

    def _described(self, nodes: Sequence[str]) -> str:
        present = self._node.present(nodes, self._namespace)
        return ", ".join(
            f"{node} ({'silent' if node in present else 'not in the graph'})" for node in nodes
        )

    def _counts(self) -> dict[str, int]:
        return self._node.counts()


class Timings:
    """Wall time spent in each part of the ticks, for the bench."""

    def __init__(self) -> None:
        self._parts: dict[str, list[float]] = {}

    def measure(self, part: str) -> _Measure:
        """A context that adds its duration to ``part``."""
        return _Measure(self._parts.setdefault(part, [0, 0.0, 0.0]))

    def as_fields(self) -> dict[str, dict[str, float]]:
        """Count, mean and longest duration (ms) by part."""
        return {
            part: {"count": count, "mean_ms": total / count * 1e3, "max_ms": longest * 1e3}
            for part, (count, total, longest) in self._parts.items()
            if count
        }


class _Measure:
    def __init__(self, row: list[float]) -> None:
        self._row = row
        self._start = 0.0

    def __enter__(self) -> None:
        self._start = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        took = time.perf_counter() - self._start
        self._row[0] += 1
        self._row[1] += took
        self._row[2] = max(self._row[2], took)


def seconds(time_ns: int) -> str:
    """Simulation time for people: ``1.05 s``."""
    return f"{time_ns / 1e9:.9f}".rstrip("0").rstrip(".") + " s"


def _drain(inlet: Inlet) -> list[Any]:
    messages = []
    while (message := inlet.take()) is not None:
        messages.append(message)
    return messages
