"""Serves the engine's requests to the observer process over one ZeroMQ socket."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgpack
import rclpy
import zmq
from rclpy.signals import SignalHandlerOptions

from fieldproof.observe._config import ObserverConfig
from fieldproof.observe._lifecycle import LifecycleWatch
from fieldproof.observe._observer import Observer
from fieldproof.observe._operator import Operator, OperatorError
from fieldproof.observe._talker import Talker, TalkError
from fieldproof.observe._topics import TopicError, TopicObserver
from fieldproof.recording import MessageTypes, RecordingError, RecordingWriter, share_folders
from fieldproof_sim import Frame, FrameSubscriber, FrameTimeoutError, SimulatorClient

_NS = 1_000_000_000
_IDLE_MS = 5  # between looks at the topics while nothing is asked (modes that run free)
_PARENT_MS = 500
_DISCOVERY_NS = _NS // 2
_MATCH_POLL_S = 0.005
_LATCHED_S = 1.0
_OPTIONAL_S = 3.0
_AGREE_S = 1.0
_STATE_S = 5.0  # a node that answers takes a millisecond; this is for the most loaded of hosts


class UnknownRequestError(Exception):
    """There is no such request."""


_CODES: dict[type[Exception], str] = {
    UnknownRequestError: "unknown_op",
    OperatorError: "no_answer",
    TopicError: "topic",
    FrameTimeoutError: "frames",
    TalkError: "bad_request",
    ValueError: "bad_request",
    RecordingError: "recording",
    OSError: "os",
}
_FAULTS = (OSError, RecordingError, TopicError, RuntimeError)
"""What may go wrong while nobody asks; the next request is answered with it."""


class Service:
    """One observer process: subscriptions, frames, recording and the operator behind requests."""

    def __init__(self, config: ObserverConfig) -> None:
        self._config = config
        self._ending = False
        rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node(
            "observer", namespace="/fieldproof", enable_rosout=False, start_parameter_services=False
        )
        self._operator_node = rclpy.create_node(
            "operator", namespace="/fieldproof", enable_rosout=False, start_parameter_services=False
        )
        self._operator = Operator(self._operator_node)
        self._talker = Talker(self._operator_node, self._hears)
        self._simulator = SimulatorClient(config.sim_control, 10.0)
        self._frames = FrameSubscriber(config.sim_publish, ["clock", "pose", "contact/"])
        types = MessageTypes(share_folders(os.environ, Path(sys.prefix)))
        self._recorder = RecordingWriter(config.recording, types) if config.recording else None
        self._topics = TopicObserver(self._node, config.wants)
        self._observer = Observer(config, self._topics, types, self._recorder, wall_ns=time.time_ns)
        self._states = LifecycleWatch(self._operator.clients, config.managed)
        self._next_discovery_ns = 0
        self._ahead: list[Frame] = []
        self._fault: Exception | None = None
        self._operations: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "hello": lambda _: {},
            "sync": self._sync,
            "match": self._match,
            "release": self._release,
            "collect": self._collect,
            "seen": lambda _: {"topics": sorted(self._observer.seen)},
            "navigate": self._navigate,
            "navigate_cancel": self._navigate_cancel,
            "param_set": self._param_set,
            "publish": self._publish,
            "lifecycle": self._lifecycle,
            "has_action": lambda r: {"value": self._operator.has_action(r["action"])},
            "finish": self._finish,
            "shutdown": self._shutdown,
        }

    def run(self) -> None:
        """Serve until told to shut down, signalled, or left alone by a dead parent."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        parent = os.getppid()
        socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.REP)
        socket.setsockopt(zmq.LINGER, 500)
        socket.bind(self._config.control)
        idle_ms = _PARENT_MS if self._config.lockstep else _IDLE_MS
        try:
            while not self._ending and os.getppid() == parent:
                if socket.poll(idle_ms, zmq.POLLIN):
                    socket.send(self._answer(socket.recv()))
                    self._write_out()
                if not self._config.lockstep:
                    self._look()
                    self._write_out()
        finally:
            if self._recorder is not None:
                self._write_out()
                self._recorder.close()
            self._frames.close()
            self._simulator.close()
            socket.close()
            self._node.destroy_node()
            self._operator_node.destroy_node()
            rclpy.shutdown()

    def _write_out(self) -> None:
        """Write the recording on; a fault (a full disk) is the answer to the next request."""
        if self._fault is None:
            try:
                self._observer.write_out()
            except _FAULTS as error:
                self._fault = error

    def _look(self) -> None:
        """Look at everything while nobody asks."""
        if self._fault is None:
            try:
                self._take_what_is_there()
            except _FAULTS as error:
                self._fault = error

    def _on_signal(self, _number: int, _frame: object) -> None:
        self._ending = True

    def _answer(self, payload: bytes) -> bytes:
        """Answer a request, whatever it is: one that fails must not end the observation."""
        try:
            return msgpack.packb({"ok": True, **self._carried_out(msgpack.unpackb(payload))})
        except tuple(_CODES) as error:
            code = next(code for kind, code in _CODES.items() if isinstance(error, kind))
            return _refusal(code, str(error) or type(error).__name__)
        except Exception as error:  # noqa: BLE001 - ROS refuses with errors of many kinds
            traceback.print_exc()  # into the observer's log
            return _refusal("internal", f"{type(error).__name__}: {error}")

    def _carried_out(self, request: object) -> dict[str, Any]:
        operation = isinstance(request, dict) and self._operations.get(request.get("op", ""))
        if not isinstance(request, dict) or not operation:
            raise UnknownRequestError(f"no such request: {request!r:.200}")
        return operation(request)

    def _sync(self, request: dict[str, Any]) -> dict[str, Any]:
        self._frames.sync(self._simulator, request["timeout_s"])
        return {}

    def _match(self, request: dict[str, Any]) -> dict[str, Any]:
        """Wait until every wanted topic is subscribed to and connected with its publishers.

        On the topics of `heard`, which are published all through bring-up, a message must have come
        from each publisher: from there on a missing one shows in the numbers. What is latched
        already must come before the first tick, too; a latched topic that stays silent is taken
        to have nothing to say yet. Topics that are not `required` are waited for only so long: what
        needs them will say that they are missing. `known` gives how many publishers others know of:
        the news of one reaches some sooner than others, and what it publishes first must not be
        missed. It may also have gone since, so that the wait for it is short: ask again with what
        is known then.
        """
        started = time.monotonic()
        deadline = started + request["timeout_s"]
        wanted, required = set(request["topics"]), set(request["required"])
        while True:
            self._topics.discover()
            self._observer.take_messages(self._observer.now_ns)
            here = set(self._topics.topics())
            patient = time.monotonic() < started + _OPTIONAL_S
            missing = sorted((wanted if patient else required) - here)
            unmatched = sorted({*self._topics.unmatched(), *self._topics.unheard(request["heard"])})
            behind = self._topics.behind(request["known"])
            settled = not behind or time.monotonic() > started + _AGREE_S
            if settled and not missing and not unmatched:
                silent = self._topics.unheard(self._topics.latched_topics())
                settled = not silent or time.monotonic() > started + _LATCHED_S
            if (settled and not missing and not unmatched) or time.monotonic() > deadline:
                return {"missing": sorted(wanted - here), "unmatched": unmatched, "behind": behind}
            time.sleep(_MATCH_POLL_S)  # the graph has no event that rclpy can wait for here

    def _release(self, _request: dict[str, Any]) -> dict[str, Any]:
        self._observer.take_frames(self._frames.drain())
        self._observer.take_messages(self._observer.now_ns)
        self._topics.forgive()
        self._observer.release()
        return {}

    def _take_what_is_there(self) -> None:
        if time.monotonic_ns() >= self._next_discovery_ns:
            self._next_discovery_ns = time.monotonic_ns() + _DISCOVERY_NS
            self._topics.discover()
        self._observer.take_frames(self._frames.drain())
        if not self._observer.full:
            self._observer.take_messages(self._observer.now_ns)
        self._observer.take_states(self._states.look())
        self._observer.pass_time()

    def _collect(self, request: dict[str, Any]) -> dict[str, Any]:
        """The samples since the last time; in lockstep those of a tick, when all of it is there.

        `silent` may give the states of managed nodes that cannot be asked: of a stack that is
        frozen or gone. With `pending` nothing is looked at: the samples are those of what was taken
        since the last time, such as a message that we published ourselves.
        """
        if self._fault is not None:
            raise self._fault
        if request.get("pending"):
            return {"samples": self._observer.collect([])}
        goals, silent = request["goals"], request.get("silent", {})
        timeout_s = request["timeout_s"]
        asked: list[Any] = []
        if self._config.lockstep:
            # answered while we take what has arrived
            asked = self._operator.ask(goals)
            self._states.ask(silent)
            self._frames.wait_for(request["frames"], timeout_s)
            self._observer.take_frames(self._frames_until(request["time_ns"]))
            if arrivals := request.get("arrivals"):
                self._topics.await_arrivals(arrivals, timeout_s)
            self._observer.take_messages(request["time_ns"])
            states = self._states.states(silent, timeout_s=min(timeout_s, _STATE_S))
            self._observer.take_states(states)
            self._observer.pass_time(acks=request.get("acks", 0))
        else:
            self._take_what_is_there()
        samples = self._observer.collect(request["side"])
        ended = self._operator.results(goals, asked, timeout_s=timeout_s)
        return {
            "samples": samples,
            "time_ns": self._observer.now_ns,
            "goals": ended,
            "calls": self._operator.parameters.answers(request["calls"]),
        }

    def _frames_until(self, time_ns: int) -> list[Frame]:
        """Frames up to a time; the simulator may already be a tick ahead."""
        self._ahead += self._frames.drain()
        due = [frame for frame in self._ahead if frame.time_ns <= time_ns]
        self._ahead = [frame for frame in self._ahead if frame.time_ns > time_ns]
        return due

    def _navigate(self, request: dict[str, Any]) -> dict[str, Any]:
        return self._operator.navigate(
            action=request["action"], goal=request["goal"], timeout_s=request["timeout_s"]
        )

    def _navigate_cancel(self, request: dict[str, Any]) -> dict[str, Any]:
        self._operator.cancel(request["id"], timeout_s=request["timeout_s"])
        return {}

    def _param_set(self, request: dict[str, Any]) -> dict[str, Any]:
        return self._operator.parameters.set(
            request["node"], request["parameter"], request["value"], wait_s=request["wait_s"]
        )

    def _publish(self, request: dict[str, Any]) -> dict[str, Any]:
        """Publish a message; where it is watched or recorded it counts as of now."""
        self._talker.publish(
            request["topic"],
            request["message_type"],
            request["fields"],
            timeout_s=request["timeout_s"],
        )
        self._observer.take_messages(self._observer.now_ns)
        return {}

    def _hears(self, topic: str) -> bool:
        """Whether we are connected to a topic of our own, if we want it at all."""
        if not self._config.wants(topic):
            return True
        self._topics.discover()
        return topic in self._topics.topics() and self._topics.connected(topic)

    def _lifecycle(self, request: dict[str, Any]) -> dict[str, Any]:
        state = self._operator.lifecycle_state(request["node"], timeout_s=request["timeout_s"])
        return {"state": state}

    def _finish(self, _request: dict[str, Any]) -> dict[str, Any]:
        """Close the recording and give the account of what was lost."""
        late = self._topics.discover() if self._config.lockstep else []
        counts = {
            topic: {"messages": self._observer.taken[topic], "lost": lost}
            for topic, lost in self._topics.lost().items()
        }
        self._observer.write_out()
        if self._fault is not None:
            raise self._fault
        if self._recorder is not None:
            self._recorder.close()
            self._recorder = None
        return {"topics": counts, "late": late, "frame_gaps": dict(self._frames.gaps)}

    def _shutdown(self, _request: dict[str, Any]) -> dict[str, Any]:
        self._ending = True
        return {}


def _refusal(code: str, message: str) -> bytes:
    text = message.encode("utf-8", "backslashreplace").decode()
    return msgpack.packb({"ok": False, "code": code, "message": text})
