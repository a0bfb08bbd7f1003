"""A live run, from a scenario file to a sealed run directory."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import fieldproof
from fieldproof.assertions import Evaluator, Result
from fieldproof.backends import sweep
from fieldproof.engine._errors import InfrastructureError
from fieldproof.engine._execute import execute
from fieldproof.engine._interrupt import Interrupt
from fieldproof.engine._log import EngineLog
from fieldproof.engine._surroundings import STATUS_EVENT, Surroundings
from fieldproof.engine.descriptions import check_descriptions
from fieldproof.engine.judge import judge
from fieldproof.engine.resolve import Resolved, resolve
from fieldproof.engine.stages.report import record_of
from fieldproof.model import Overlay, digest_of
from fieldproof.plan import write_bundle
from fieldproof.runs import (
    Envelope,
    RunDirectory,
    RunsFolder,
    make_run_id,
    mark_recovered,
    read_json,
    seal,
)
from fieldproof.samples import Sample
from fieldproof_reports import render_all

ASSERTIONS_TOPIC = "/fieldproof/assertions"
KPIS_TOPIC = "/fieldproof/kpis"
_INPUTS = "inputs"
_RECOVERED = "its engine ended without ending the run"

Listener = Callable[[str, str, dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where a project keeps what runs are made of, and where runs go.

    Attributes:
        worlds: folder of worlds.
        robots: folder of robots.
        runs: folder of runs.
    """

    worlds: Path
    robots: Path
    runs: Path


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A run that has ended, whatever its outcome.

    Attributes:
        directory: its sealed folder.
        record: the content of run.json.
    """

    directory: RunDirectory
    record: Mapping[str, Any]


def run_live(
    scenario: Path,
    workspace: Workspace,
    *,
    host: Mapping[str, str],
    listener: Listener,
    overlay: Overlay | None = None,
) -> LiveRun:
    """Run a scenario and leave a sealed run directory, also when the run cannot be carried out.

    What an engine that was killed left behind is ended and sealed first.

    Args:
        scenario: the scenario file.
        workspace: the project's folders.
        host: the engine's environment variables.
        listener: told of every line of engine.log.
        overlay: values for what the scenario leaves open.

    Raises:
        ScenarioError: the scenario does not validate; nothing was started and nothing written.
        RunsFolderError: the folder of runs cannot be written to; nothing was started.
    """
    resolved = resolve(scenario, workspace.worlds, workspace.robots, overlay=overlay)
    check_descriptions(resolved)
    folder = RunsFolder(workspace.runs.resolve())
    recover(folder, listener)
    identity = digest_of([resolved.execution, resolved.evaluation])
    run = folder.create(make_run_id(identity, now=datetime.now(UTC), unique=uuid.uuid4()))
    try:
        return _run_in(folder, run, resolved, scenario, host=host, listener=listener)
    except OSError as error:
        where = error.filename or run.path
        raise InfrastructureError(
            f"the run could not be kept: {where}: {error.strerror or error}",
            hint=f"make room or choose another folder (--runs); {run.path} holds what was written",
        ) from error


def _run_in(
    folder: RunsFolder,
    run: RunDirectory,
    resolved: Resolved,
    scenario: Path,
    *,
    host: Mapping[str, str],
    listener: Listener,
) -> LiveRun:
    with run.claim(), _Reserve(run.path) as reserve:
        envelope = _envelope(run.run_id, scenario)
        run.write_json("envelope.json", envelope.to_data())
        write_bundle(resolved.plan, run.path / _INPUTS)
        for plan in ("execution", "evaluation"):
            shutil.move(run.path / _INPUTS / plan / f"{plan}.json", run.path / f"{plan}.json")
        record = _carry_out(run, resolved, envelope, reserve, host=host, listener=listener)
        seal(run)
    folder.enter(run)
    return LiveRun(run, record)


def _carry_out(
    run: RunDirectory,
    resolved: Resolved,
    envelope: Envelope,
    reserve: _Reserve,
    *,
    host: Mapping[str, str],
    listener: Listener,
) -> Mapping[str, Any]:
    with (
        Interrupt() as interrupt,
        EngineLog(run.logs / "engine.log", wall_ns=time.time_ns, listener=listener) as log,
    ):
        live = _LiveVerdicts(resolved, log)
        result = execute(
            resolved.execution,
            plan=run.path / _INPUTS / "execution",
            evidence=run.path,
            logs=run.logs,
            around=Surroundings(
                run_id=run.run_id,
                host=host,
                interrupted=interrupt,
                sinks=[live.take],
                measure=True,
                listener=live.counting(listener),
                room=reserve.release,
            ),
            log=log,
        )
        reserve.release()
        done = replace(
            envelope,
            ended_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
            phases=result.durations,
            timeline=result.started,
        )
        run.write_json("envelope.json", done.to_data())
        return conclude(run)


def conclude(run: RunDirectory) -> dict[str, Any]:
    """Evaluate a run's evidence, write verdict, record and reports, and return the record."""
    judge(run.path, read_json(run.path / "evaluation.json")).write(run.path)
    envelope = read_json(run.path / "envelope.json")
    record = record_of(run.path, run.path, run.path, envelope=envelope)
    run.write_json("run.json", record)
    for name, text in render_all(record).items():
        run.write_text(name, text)
    return record


def recover(folder: RunsFolder, listener: Listener) -> None:
    """End the processes of dead engines, and seal the runs that they did not."""
    for orphan in sweep():
        what = f"ended {orphan.command} of run {orphan.run_id}"
        listener("recovery.process", what, {"pid": orphan.pid})
    for run in folder.abandoned():
        if not (run.path / "execution.json").is_file():
            shutil.rmtree(run.path)  # its engine died before there was anything to keep
            continue
        try:
            (run.path / "samples.jsonl").touch()
            (run.path / ".reserve").unlink(missing_ok=True)
            mark_recovered(run, _RECOVERED)
            conclude(run)
            seal(run)
            folder.enter(run)
        except OSError as error:
            why = error.strerror or str(error)
            listener("recovery.failed", f"cannot recover {run.run_id}: {why}", {})
        else:
            listener("recovery.run", f"recovered {run.run_id}: {_RECOVERED}", {})
    with suppress(OSError):  # on a full disk links stay as they are
        folder.repair_links()


class _Reserve:
    """Disk space that a run takes at its start and frees for its reports when the disk is full."""

    _BYTES = 512 * 1024

    def __init__(self, folder: Path) -> None:
        self._path = folder / ".reserve"

    def release(self) -> None:
        """Free the space."""
        self._path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        self._path.write_bytes(bytes(self._BYTES))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


class _LiveVerdicts:
    """Evaluates while the run goes on, for the person who watches and for the recording.

    The verdict that counts is given afterwards, from the recorded samples.
    """

    def __init__(self, resolved: Resolved, log: EngineLog) -> None:
        self._evaluator = Evaluator(resolved.evaluation, resolved.execution["time"]["mode"])
        self._log = log

    def take(self, sample: Sample, _t_ns: int | None) -> None:
        for result in self._evaluator.feed(sample):
            self._tell(result)
        if self._evaluator.finished and sample.kind == "timeline":
            for measured in self._evaluator.collectors():
                self._log.side(KPIS_TOPIC, measured.to_data())
            self._log.side(KPIS_TOPIC, {"kind": "kpis", "kpis": self._evaluator.kpis()})

    def counting(self, listener: Listener) -> Listener:
        """Return a listener that adds how the assertions stand to what it is told of progress."""

        def told(event: str, message: str, fields: dict[str, Any]) -> None:
            if event == STATUS_EVENT:
                standing = Counter(result.status for result in self._evaluator.results())
                fields = {**fields, "assertions": dict(standing)}
            listener(event, message, fields)

        return told

    def _tell(self, result: Result) -> None:
        self._log.side(ASSERTIONS_TOPIC, result.to_data())
        self._log.write(
            f"assertion.{result.status}",
            f"{result.name} {result.status}: {result.reason}",
            evidence=False,
            status=result.status,
        )


def _envelope(run_id: str, scenario: Path) -> Envelope:
    return Envelope(
        run_id=run_id,
        started_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        host=socket.gethostname(),
        pid=os.getpid(),
        engine_version=fieldproof.__version__,
        command=tuple(sys.argv),
        scenario_path=str(scenario),
        scenario_sha256=hashlib.sha256(scenario.read_bytes()).hexdigest(),
    )
