"""Carries out an execution plan and leaves the evidence: the run itself, without any verdict."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fieldproof.assertions import Evaluator
from fieldproof.backends import DomainError, handing_over
from fieldproof.engine._account import Account, determinism, write_evidence
from fieldproof.engine._bring_up import become_ready, bring_up, check_contracts
from fieldproof.engine._context import RunContext
from fieldproof.engine._errors import InfrastructureError, InterruptedRunError
from fieldproof.engine._log import EngineLog
from fieldproof.engine._phases import Phases
from fieldproof.engine._resources import ResourceWatch
from fieldproof.engine._session import Session
from fieldproof.engine._stacks import Stacks
from fieldproof.engine._stream import SampleStream
from fieldproof.engine._surroundings import STATUS_EVENT, Execution, Surroundings
from fieldproof.engine._timeline import TimelineDriver
from fieldproof.engine._workers import Workers
from fieldproof.engine._worlds import LockstepWorld, PacedWorld, World
from fieldproof.events import event_types
from fieldproof.recording import RecordingError, rewrite_canonical

_NS = 1_000_000_000
_REQUEST_S = 15.0
_OWN_S = 10.0  # what a process may take for itself before it gives its own account
_STATUS_S = 0.2
RESOURCES_TOPIC = "/fieldproof/resources"


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
        self._account = Account()
        self._session: Session | None = None
        self._world: World | None = None
        self._driver: TimelineDriver | None = None
        self._stacks: Stacks | None = None
        self._workers: Workers | None = None
        self._told_at = 0.0
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
        except (InterruptedRunError, KeyboardInterrupt):
            self._account.end("interrupted", "interrupted")
        except (InfrastructureError, DomainError) as error:
            self._account.end("error", f"{self._phases.current}: {error}")
        except OSError as error:
            self._around.room()
            where = error.filename or self._evidence
            what = error.strerror or str(error)
            self._account.end("error", f"{self._phases.current}: {where}: {what}")
        except BaseException as error:  # noqa: BLE001 - the top of a run: it is reported, too
            self._internal(error)
        try:
            self._teardown()
        except (InfrastructureError, OSError) as error:
            self._account.end("error", f"teardown: {error}")
        except BaseException as error:  # noqa: BLE001
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
            self._account.end("error", f"teardown: the evidence could not be completed: {error}")
            self._account.gaps.append({"what": str(error)})

    def _internal(self, error: BaseException) -> None:
        """A fault of our own: it ends as an error that is reported, with its trace in the log."""
        trace = "".join(traceback.format_exception(error))
        self._log.write("engine.fault", str(error), evidence=False, traceback=trace)
        self._account.end(
            "error",
            f"{self._phases.current}: a fault in Fieldproof itself "
            f"({type(error).__name__}: {error}); its trace is in logs/engine.log, please report it",
        )

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
        bring_up(session, self._phases, self._log)
        lockstep = self._mode == "lockstep"
        names = [vehicle["name"] for vehicle in session.vehicles]
        self._stacks = Stacks(session, names, lockstep=lockstep, check=self._check)
        self._workers = Workers(wait=lockstep, check=self._check)
        world: World
        if lockstep:
            world = LockstepWorld(session, self._log, self._stacks)
        else:
            world = PacedWorld(session, self._log, wall_ns=self._around.wall_ns)
        self._world = world
        with self._phases.enter("readiness gates"):
            become_ready(session, self._log, start=world.start, advance=self._advance)
        with self._phases.enter("timeline"):
            self._timeline(session, world, self._stacks, self._workers)
        with self._phases.enter("settle"):
            self._settle(session, world)

    def _advance(self, *, ahead: bool = False) -> int:
        """Let a little time pass; returns the simulation time after it."""
        world = self._world
        assert world is not None
        self._check()
        samples = world.advance(ahead=ahead)
        if self._driver is not None:
            self._log.sim_s = world.sim_ns / _NS
        for sample in samples:
            self._stream.emit(sample)
        return world.sim_ns

    def _timeline(self, session: Session, world: World, stacks: Stacks, workers: Workers) -> None:
        origin = world.set_origin()
        self._account.origin_ns = world.sim_ns
        self._log.sim_s = world.sim_ns / _NS
        driver = self._driver = TimelineDriver(
            self._execution,
            lambda now_ns: RunContext(session, world, stacks, workers, self._log, now_ns=now_ns),
            workers,
            self._log,
            emit=self._emit_now,
            wall_ns=self._around.wall_ns,
            events=event_types(),
        )
        self._told_at = time.monotonic()
        resources = self._resource_watch(session)
        self._stream.emit({"kind": "timeline", "event": "start", **origin})
        for sample in self._stream.held.values():
            driver.on_sample(sample, 0)
        budget_ns: int = self._execution["budget"]["timeout_ns"]
        while True:
            t_ns = world.timeline_ns()
            driver.advance(t_ns)
            if driver.finished:
                break
            if t_ns >= budget_ns:
                driver.settle(t_ns, running="timeout", detail="the scenario's budget ran out")
                self._account.end(
                    "timeout", f"the timeline has not ended after {budget_ns / _NS:g} s"
                )
                return
            self._tell(driver, t_ns)
            if resources is not None:
                resources.advance(t_ns)
            abort = self._aborting.abort
            if abort is not None:
                driver.settle(t_ns, detail=f"{abort.name} failed (on_fail: abort)")
                why = f"assertion {abort.name} failed: {abort.reason}"
                self._account.end("failed", f"{why} (on_fail: abort, the timeline was cancelled)")
                return
            stacks.apply()
            self._advance(ahead=driver.idle)
        failure = driver.failure
        driver.settle(world.timeline_ns())
        if failure:
            self._account.end("failed", failure)
        else:
            self._account.end("completed", "")

    def _resource_watch(self, session: Session) -> ResourceWatch | None:
        """What measures the processes: where it is asked for, since the figures never repeat."""
        if not (self._around.measure or self._execution["observe"].get("resources")):
            return None
        return ResourceWatch(session, self._emit_resource)

    def _emit_resource(self, data: dict[str, Any]) -> None:
        timed = self._timed(data)
        self._stream.emit_beside(timed)
        if self._mode != "lockstep":  # there the recording is to repeat
            self._log.side(RESOURCES_TOPIC, timed)

    def _settle(self, session: Session, world: World) -> None:
        """Mark the timeline's end, and make sure that what was observed came from where it should.

        A node may have begun to publish what the bridge publishes only after the first tick.
        """
        for sample in session.pending(bound_s=_REQUEST_S):
            self._stream.emit(sample)  # an event may have published just before the end
        now = {"wall": None, "sim": world.sim_ns / _NS}
        if self._mode != "lockstep":
            now["wall"] = self._around.wall_ns() / _NS
        self._stream.emit(
            {"kind": "timeline", "event": "end", "status": self._account.status, **now}
        )
        check_contracts(session)
        for bridge in session.bridges:
            refused = bridge.request("stats", bound_s=_REQUEST_S)["commands_refused"]
            if refused:
                self._log.write(
                    "bridge.commands_refused",
                    f"{bridge.role}: {refused} commands were not finite numbers and did not reach "
                    "the drive, which went on with the last one that was",
                )

    def _tell(self, driver: TimelineDriver, t_ns: int) -> None:
        """Tell a person who watches what runs and what waits, now and then."""
        now = time.monotonic()
        if now - self._told_at < _STATUS_S or self._world is None:
            return
        self._told_at = now
        where = {"t_s": t_ns / _NS, "sim_s": self._world.sim_ns / _NS}
        self._around.listener(STATUS_EVENT, "", {**where, **driver.status()})

    def _emit_now(self, data: dict[str, Any]) -> None:
        self._stream.emit(self._timed(data))

    def _timed(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """A sample's data with the times of now."""
        world = self._world
        assert world is not None
        wall = None if self._mode == "lockstep" else self._around.wall_ns() / _NS
        return {**data, "wall": wall, "sim": world.sim_ns / _NS}

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
                    detail=f"the run ended: {self._account.status}",
                    ask=False,
                )
            session = self._session
            if session is None:
                return
            try:
                if self._account.origin_ns is not None:
                    self._account_for(session)
            except InfrastructureError as error:
                self._account.gaps.append({"what": f"the recorder gave no account: {error.what}"})
            finally:
                session.close()

    def _account_for(self, session: Session) -> None:
        session.collect(bound_s=_REQUEST_S, **self._last_collection())
        self._account.take(session.observer.request("finish", bound_s=_REQUEST_S))

    def _last_collection(self) -> dict[str, Any]:
        assert self._world is not None
        request: dict[str, Any] = {"side": self._log.take(), "timeout_s": _OWN_S}
        if self._mode == "lockstep":
            request |= {"time_ns": self._world.sim_ns, "frames": {}}
        return request

    def _write(self) -> Execution:
        outcome = self._account.outcome(
            phases=self._phases.outcome(),
            sim_ns=self._world.sim_ns if self._world else 0,
            determinism=determinism(
                self._execution,
                thawed=self._stacks is not None and self._stacks.thawed,
                given_up=self._workers is not None and self._workers.given_up,
            ),
        )
        write_evidence(
            self._evidence,
            plan=self._plan,
            observe=self._execution["observe"],
            outcome=outcome,
            timeline=self._driver.record() if self._driver else [],
        )
        started = self._driver.started_at if self._driver else {}
        return Execution(outcome, self._phases.durations(), started)
