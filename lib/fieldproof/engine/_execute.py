"""Carries out an execution plan and leaves the evidence: the run itself, without any verdict."""

from __future__ import annotations

import shutil
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fieldproof.assertions import Evaluator
from fieldproof.backends import DomainError, handing_over
from fieldproof.engine._errors import InfrastructureError, InterruptedRunError
from fieldproof.engine._log import EngineLog
from fieldproof.engine._phases import Phases
from fieldproof.engine._readiness import gates_of, wait_for_graph, wait_for_topics
from fieldproof.engine._session import Session
from fieldproof.engine._stream import SampleStream, Sink
from fieldproof.engine._timeline import TimelineDriver
from fieldproof.engine._worlds import LockstepWorld, PacedWorld, World
from fieldproof.recording import RecordingError, rewrite_canonical
from fieldproof.runs import write_json

_NS = 1_000_000_000
_REQUEST_S = 15.0
_OWN_S = 10.0  # what a process may take for itself before it gives its own account
_MATCH_S = 20.0


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a run takes from the world around it, and whom it tells.

    Attributes:
        run_id: marks the run's processes and addresses.
        host: the engine's environment variables.
        interrupted: whether somebody asked the run to end.
        sinks: take every sample as it is written.
        wall_ns: the wall clock.
        listener: told of every line of engine.log.
        room: frees disk space that was set aside for what must be written at the end.
    """

    run_id: str
    host: Mapping[str, str]
    interrupted: Callable[[], bool] = _never
    sinks: Sequence[Sink] = ()
    wall_ns: Callable[[], int] = time.time_ns
    listener: Callable[[str, str, dict[str, Any]], None] = lambda *_: None
    room: Callable[[], None] = lambda: None


@dataclass(slots=True)
class Execution:
    """What became of a run.

    Attributes:
        outcome: the content of outcome.json.
        durations: seconds of wall clock of each phase.
        started: wall-clock start of each occurrence by its label, seconds of the epoch.
    """

    outcome: dict[str, Any]
    durations: dict[str, float]
    started: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class _State:
    status: str = "error"
    reason: str = "the run did not come to its timeline"
    origin_ns: int | None = None
    gaps: list[dict[str, Any]] = field(default_factory=list)
    topics: dict[str, dict[str, int]] = field(default_factory=dict)
    observed: bool = False


def execute(
    execution: Mapping[str, Any],
    *,
    plan: Path,
    evidence: Path,
    logs: Path,
    around: Surroundings,
    log: EngineLog,
) -> Execution:
    """Run a scenario and write its evidence.

    An infrastructure error or an interrupt is an outcome like any other: everything that was
    observed until then is kept, and nothing of the run is left running.

    Args:
        execution: the execution plan.
        plan: folder that the plan's files lie in.
        evidence: existing folder for the evidence.
        logs: folder for the processes' output.
        around: what the run takes from outside.
        log: engine.log.
    """
    run = _Run(execution, plan=plan, evidence=evidence, logs=logs, around=around, log=log)
    if execution["time"]["mode"] != "lockstep":
        return run.run()
    with handing_over() as policy:
        log.write("engine.scheduling", policy, evidence=False)
        return run.run()


class _Run:
    def __init__(
        self,
        execution: Mapping[str, Any],
        *,
        plan: Path,
        evidence: Path,
        logs: Path,
        around: Surroundings,
        log: EngineLog,
    ) -> None:
        self._execution = execution
        self._plan = plan
        self._evidence = evidence
        self._logs = logs
        self._around = around
        self._log = log
        self._phases = Phases(log, time.monotonic_ns)
        self._mode: str = execution["time"]["mode"]
        self._state = _State()
        self._session: Session | None = None
        self._world: World | None = None
        self._driver: TimelineDriver | None = None
        self._stream = SampleStream(
            evidence / "samples.jsonl",
            self._mode,
            [*around.sinks, self._to_timeline, self._to_aborting],
        )
        self._aborting = Evaluator(
            {
                "schema_version": execution["schema_version"],
                "scenario": execution["scenario"],
                "assertions": execution["abort_assertions"],
                "kpis": [],
            },
            self._mode,
        )
        self._tearing_down = False

    def run(self) -> Execution:
        try:
            self._live()
        except InterruptedRunError:
            self._end("interrupted", "interrupted")
        except (InfrastructureError, DomainError) as error:
            self._end("error", f"{self._phases.current}: {error}")
        except OSError as error:
            self._around.room()
            where = error.filename or self._evidence
            what = error.strerror or str(error)
            self._end("error", f"{self._phases.current}: {where}: {what}")
        except Exception as error:  # noqa: BLE001 - the top of a run: it is reported, too
            self._internal(error)
        try:
            self._teardown()
        except (InfrastructureError, OSError) as error:
            self._end("error", f"teardown: {error}")
        except Exception as error:  # noqa: BLE001
            self._internal(error)
        self._complete_files()
        return self._write()

    def _complete_files(self) -> None:
        """Close the samples and bring a lockstep recording into its canonical form."""
        recording = self._evidence / "recording"
        self._around.room()
        try:
            self._stream.close()
            if self._mode == "lockstep" and recording.is_dir():
                rewrite_canonical(recording, recording)
        except (OSError, RecordingError) as error:
            self._end("error", f"teardown: the evidence could not be completed: {error}")
            self._state.gaps.append({"what": str(error)})

    def _internal(self, error: Exception) -> None:
        """A fault of our own: it ends as an error that is reported, with its trace in the log."""
        trace = "".join(traceback.format_exception(error))
        self._log.write("engine.fault", str(error), evidence=False, traceback=trace)
        self._end(
            "error",
            f"{self._phases.current}: a fault in Fieldproof itself "
            f"({type(error).__name__}: {error}); its trace is in logs/engine.log, please report it",
        )

    def _end(self, status: str, reason: str) -> None:
        self._state.status, self._state.reason = status, reason

    def _check(self) -> None:
        if self._tearing_down:
            return
        if self._around.interrupted():
            raise InterruptedRunError
        if self._session is not None:
            self._session.check_alive()

    def _live(self) -> None:
        session = self._session = Session(
            self._execution,
            plan=self._plan,
            logs=self._logs,
            recording=self._evidence / "recording",
            run_id=self._around.run_id,
            host=self._around.host,
            check=self._check,
        )
        if self._mode == "lockstep":
            # nothing moves before the first tick, so that all may start at once
            session.spawn_simulator()
            session.spawn_observer()
            session.spawn_bridges()
            session.spawn_vehicles()
        with self._phases.enter("start simulator"):
            if self._mode != "lockstep":
                session.spawn_simulator()
            for warning in session.load_world():
                self._log.write("simulator.warning", warning, evidence=False)  # names paths
        with self._phases.enter("start bridges"):
            if self._mode != "lockstep":
                session.spawn_bridges()
            self._check_contracts(session)
        with self._phases.enter("start recorder"):
            if self._mode != "lockstep":
                session.spawn_observer()
            session.observer.request("hello", bound_s=30.0)
            session.observer.request("sync", bound_s=_REQUEST_S, timeout_s=_OWN_S)
        with self._phases.enter("start vehicles"):
            if self._mode != "lockstep":
                session.spawn_vehicles()
            else:
                self._arm(session)
        world = self._world = (
            LockstepWorld(session, self._log)
            if self._mode == "lockstep"
            else PacedWorld(session, self._log, wall_ns=self._around.wall_ns)
        )
        with self._phases.enter("readiness gates"):
            self._become_ready(session, world)
        with self._phases.enter("timeline"):
            self._timeline(session, world)
        with self._phases.enter("settle"):
            self._settle(session, world)

    def _check_contracts(self, session: Session) -> None:
        for bridge in session.bridges:
            bridge.request("hello", bound_s=30.0)
        for bridge in session.bridges:
            problems = bridge.request("contract", bound_s=_REQUEST_S)["problems"]
            if problems:
                raise InfrastructureError(
                    f"{bridge.role} does not publish what the manifest promises: "
                    + "; ".join(map(str, problems)),
                    role=bridge.role,
                )

    def _arm(self, session: Session) -> None:
        limits = [vehicle["manifest"]["readiness"]["timeout_s"] for vehicle in session.vehicles]
        for bridge, limit_s in zip(session.bridges, limits, strict=True):
            bridge.send("arm", timeout_s=limit_s)
        try:
            for bridge, limit_s in zip(session.bridges, limits, strict=True):
                bridge.receive("arm", bound_s=limit_s + _REQUEST_S)
        except InfrastructureError:
            # a second source of /clock or of a sensor shows first as nodes that are out of step
            self._check_contracts(session)
            raise

    def _become_ready(self, session: Session, world: World) -> None:
        gates = gates_of(session)
        wait_for_graph(session, gates)
        gated = [gate.name for gate, _ in gates if gate.kind == "topic"]
        limit_s = max([limit_s for _, limit_s in gates], default=_MATCH_S)
        matched = session.observer.request(
            "match",
            bound_s=limit_s + _REQUEST_S,
            timeout_s=limit_s,
            topics=sorted({*self._watched(), *gated}),
            required=sorted(gated),
            heard=["/clock"] if self._mode == "lockstep" else [],
        )
        if matched["unmatched"]:
            raise InfrastructureError(
                "the observer could not connect to every publisher of "
                + ", ".join(matched["unmatched"]),
                role="observer",
            )
        missing_gates = sorted(set(matched["missing"]) & set(gated))
        if missing_gates:
            raise InfrastructureError(
                f"no node publishes {', '.join(missing_gates)}, which readiness waits for"
            )
        silent = ", ".join(matched["missing"])
        self._log.write(
            "recorder.ready",
            f"nobody publishes {silent}" if silent else "every watched topic has a publisher",
            missing=matched["missing"],
        )
        self._check_contracts(session)  # now that everybody is there: no second source of a topic
        if self._mode == "lockstep":
            for bridge in session.bridges:
                bridge.request("still", bound_s=_REQUEST_S, timeout_s=_OWN_S)
        session.observer.request("release", bound_s=_REQUEST_S)
        world.start()

        def advance() -> int:
            self._check()
            for sample in world.advance():
                self._stream.emit(sample)
            return world.sim_ns

        wait_for_topics(session, gates, advance=advance)

    def _watched(self) -> set[str]:
        observe = self._execution["observe"]
        kinds = ("rates", "values", "latencies")
        return {item["topic"] for kind in kinds for item in observe.get(kind, ())}

    def _timeline(self, session: Session, world: World) -> None:
        origin = world.set_origin()
        self._state.origin_ns = world.sim_ns
        self._log.sim_s = world.sim_ns / _NS
        driver = self._driver = TimelineDriver(
            self._execution,
            session,
            self._log,
            emit=self._emit_now,
            sim_ns=lambda: world.sim_ns,
            wall_ns=self._around.wall_ns,
        )
        self._stream.emit({"kind": "timeline", "event": "start", **origin})
        budget_ns: int = self._execution["budget"]["timeout_ns"]
        while True:
            t_ns = world.timeline_ns()
            driver.advance(t_ns)
            if driver.finished:
                break
            if t_ns >= budget_ns:
                driver.settle(t_ns, running="timeout", detail="the scenario's budget ran out")
                self._end("timeout", f"the timeline has not ended after {budget_ns / _NS:g} s")
                return
            self._check()
            abort = self._aborting.abort
            if abort is not None:
                driver.settle(t_ns, detail=f"{abort.name} failed (on_fail: abort)")
                why = f"assertion {abort.name} failed: {abort.reason}"
                self._end("failed", f"{why} (on_fail: abort, the timeline was cancelled)")
                return
            samples = world.advance(ahead=driver.idle)
            self._log.sim_s = world.sim_ns / _NS
            for sample in samples:
                self._stream.emit(sample)
        failure = driver.failure
        driver.settle(world.timeline_ns())
        if failure:
            self._end("failed", failure)
        else:
            self._end("completed", "")

    def _settle(self, session: Session, world: World) -> None:
        """Mark the timeline's end, and make sure that what was observed came from where it should.

        A node may have begun to publish what the bridge publishes only after the first tick.
        """
        now = {"wall": None, "sim": world.sim_ns / _NS}
        if self._mode != "lockstep":
            now["wall"] = self._around.wall_ns() / _NS
        self._stream.emit({"kind": "timeline", "event": "end", "status": self._state.status, **now})
        self._check_contracts(session)
        for bridge in session.bridges:
            refused = bridge.request("stats", bound_s=_REQUEST_S)["commands_refused"]
            if refused:
                self._log.write(
                    "bridge.commands_refused",
                    f"{bridge.role}: {refused} commands were not finite numbers and did not reach "
                    "the drive, which went on with the last one that was",
                )

    def _emit_now(self, data: dict[str, Any]) -> None:
        world = self._world
        assert world is not None
        wall = None if self._mode == "lockstep" else self._around.wall_ns() / _NS
        self._stream.emit({**data, "wall": wall, "sim": world.sim_ns / _NS})

    def _to_timeline(self, sample: Any, t_ns: int | None) -> None:
        if self._driver is not None and t_ns is not None:
            self._driver.on_sample(sample, t_ns)

    def _to_aborting(self, sample: Any, _t_ns: int | None) -> None:
        self._aborting.feed(sample)

    def _teardown(self) -> None:
        self._tearing_down = True
        with self._phases.enter("teardown"):
            if self._driver is not None and self._world is not None:
                # where an error or an interrupt ended the run: what ran did not end by itself
                self._driver.settle(
                    self._world.timeline_ns(),
                    detail=f"the run ended: {self._state.status}",
                    ask=False,
                )
            session = self._session
            if session is None:
                return
            try:
                if self._state.origin_ns is not None:
                    self._account_for(session)
            except InfrastructureError as error:
                self._state.gaps.append({"what": f"the recorder gave no account: {error.what}"})
            finally:
                session.close()

    def _account_for(self, session: Session) -> None:
        session.collect(bound_s=_REQUEST_S, **self._last_collection())
        account = session.observer.request("finish", bound_s=_REQUEST_S)
        self._state.topics = account["topics"]
        self._state.observed = True
        gaps = self._state.gaps
        gaps += [
            {"topic": topic, "lost": counts["lost"]}
            for topic, counts in account["topics"].items()
            if counts["lost"]
        ]
        gaps += [{"frames": topic, "lost": lost} for topic, lost in account["frame_gaps"].items()]
        gaps += [
            {"topic": topic, "what": "appeared only after the first tick, its beginning is missing"}
            for topic in account["late"]
        ]

    def _last_collection(self) -> dict[str, Any]:
        assert self._world is not None
        request: dict[str, Any] = {"side": self._log.take(), "timeout_s": _OWN_S}
        if self._mode == "lockstep":
            request |= {"time_ns": self._world.sim_ns, "frames": {}}
        return request

    def _write(self) -> Execution:
        state = self._state
        outcome = {
            "status": state.status,
            "reason": state.reason,
            "phases": self._phases.outcome(),
            "sim_ns": self._world.sim_ns if self._world else 0,
            "origin_ns": state.origin_ns,
            "determinism": self._determinism(),
            "complete": state.observed and not state.gaps,
            "gaps": state.gaps,
            "topics": state.topics,
        }
        timeline = self._driver.record() if self._driver else []
        write_json(self._evidence / "outcome.json", outcome)
        write_json(self._evidence / "timeline.json", timeline)
        write_json(self._evidence / "observe.json", self._execution["observe"])
        target = self._evidence / "execution.json"
        if not target.exists():
            shutil.copyfile(self._plan / "execution.json", target)
        started = self._driver.started_at if self._driver else {}
        return Execution(outcome, self._phases.durations(), started)

    def _determinism(self) -> str:
        if self._mode != "lockstep":
            return "wall"
        exact = all(map(_acknowledges_wholly, self._execution["vehicles"]))
        return "exact" if exact else "stepped"


def _acknowledges_wholly(vehicle: Mapping[str, Any]) -> bool:
    """Whether every process of the stack says when it is done with a tick."""
    lockstep = vehicle["manifest"]["lockstep"]
    nodes = {process["node"] for process in vehicle["manifest"]["stack"]["processes"]}
    return bool(lockstep.get("ack")) and nodes <= set(lockstep.get("nodes") or ())
