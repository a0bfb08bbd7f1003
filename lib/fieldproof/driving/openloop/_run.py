"""An open-loop run from its first sample to the seal."""

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import yaml

import fieldproof
from fieldproof.backends import end_run, engine_mark
from fieldproof.driving.agents import AgentReference, Limits, working_folder
from fieldproof.driving.artefacts import SCHEMA_VERSION
from fieldproof.driving.history import (
    BaselineFolder,
    check_comparable,
    compare,
    mismatch_of,
    regression,
)
from fieldproof.driving.loop import check_unsealed, line_of, seal_and_enter, write_file
from fieldproof.driving.openloop._dataset import Dataset
from fieldproof.driving.openloop._predict import Predictor
from fieldproof.driving.openloop._record import write_record
from fieldproof.driving.openloop._score import Score, Scored, definitions
from fieldproof.driving.provenance import (
    HERMETIC,
    Surroundings,
    dataset_provenance,
    new_folder,
    placeless_agent,
)
from fieldproof.driving.report import render_openloop
from fieldproof.model import legible, printable
from fieldproof.runs import Envelope, RunDirectory, RunsFolder, Verdict, make_run_id

_MOST_LACKING = 20
_MOST_REASONS = 3
_MOST_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class OpenLoopOptions:
    """How a dataset is run.

    Attributes:
        agent: who predicts.
        limits: what the agent may take.
        host: the environment of whoever started it.
        baseline: what the run is compared with; None for nothing.
        max_regression_percent: how much worse than the baseline a figure may be.
        asked: whether somebody asks for the end; asked a few times a second.
    """

    agent: AgentReference
    limits: Limits = field(default_factory=Limits)
    host: Mapping[str, str] = field(default_factory=dict)
    baseline: BaselineFolder | None = None
    max_regression_percent: float = 0.0
    asked: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True)
class FinishedOpenLoop:
    """An open-loop run that is over.

    Attributes:
        folder: where it lies.
        summary, metrics, regression: the content of those files.
        verdict: in the terms of every run.
    """

    folder: Path
    summary: dict[str, Any]
    metrics: dict[str, Any]
    regression: dict[str, Any]
    verdict: Verdict

    @property
    def passed(self) -> bool:
        """Whether every sample was predicted and nothing regressed."""
        return bool(self.summary["status"] == "pass")


def run_openloop(
    dataset: Dataset,
    options: OpenLoopOptions,
    *,
    runs: RunsFolder,
    surroundings: Surroundings,
    now: datetime,
    unique: UUID,
    command: Sequence[str] = (),
) -> FinishedOpenLoop:
    """Run a dataset live: a sealed folder among the runs.

    Args:
        dataset: which.
        options: how.
        runs: where its folder is made.
        surroundings: where and when, for the provenance.
        now: when it starts, with its time zone.
        unique: tells apart runs that start in one second.
        command: the command line, program first.

    Raises:
        ScenarioError: A sample cannot be read.
        ArtefactError: The baseline cannot be used; nothing was run.
        RunError: The folder cannot be made.
        OSError: A file cannot be written.
    """
    if options.baseline is not None:
        check_comparable({"task": dataset.metadata.task}, options.baseline)
    digest = str(dataset.hashes["dataset_hash"])
    directory = runs.create(make_run_id(digest, now=now, unique=unique))
    envelope = Envelope(
        run_id=directory.run_id,
        started_at=now.astimezone(UTC).isoformat(timespec="milliseconds"),
        host=surroundings.hostname or "",
        pid=os.getpid(),
        engine_version=fieldproof.__version__,
        command=tuple(command),
        scenario_path=dataset.path,
        scenario_sha256=digest,
    )
    with directory.claim():
        try:
            finished = _run(
                dataset,
                options,
                directory,
                surroundings,
                envelope=envelope,
                mark=engine_mark(directory.run_id),
            )
        finally:
            end_run(directory.run_id)
        seal_and_enter(runs, directory)
    return finished


def run_openloop_into(dataset: Dataset, options: OpenLoopOptions, folder: Path) -> FinishedOpenLoop:
    """Run a dataset into a folder that does not exist, with nothing of time and place in it.

    The dataset goes by the path that it was loaded by.

    Raises:
        ArtefactError: The folder exists, or cannot be made; nothing was run.
        ScenarioError: A sample cannot be read.
        OSError: A file cannot be written.
    """
    options = replace(options, agent=placeless_agent(options.agent))
    with new_folder(folder):
        directory = RunDirectory(folder)
        return _run(dataset, options, directory, HERMETIC, envelope=None, mark={})


@dataclass(slots=True)
class _Lines:
    """The lines of the two files with a line a sample."""

    predictions: list[str] = field(default_factory=list)
    scored: list[tuple[str, str, str | None, Scored]] = field(default_factory=list)
    missing: list[dict[str, Any]] = field(default_factory=list)
    interrupted: bool = False

    def lack(self) -> list[str]:
        """Return in a sentence what is missing and why, none if nothing is."""
        count = len(self.missing)
        said = f"{count} sample{'s have' if count > 1 else ' has'} no whole prediction"
        said = f"{said} ({self._why()})"
        return [f"interrupted: {said}" if self.interrupted else said] if count else []

    def _why(self) -> str:
        """Return the reasons, each once with the first sample that it is of."""
        names: dict[str, list[str]] = {}
        for one in self.missing:
            names.setdefault(legible(printable(one["fault"]), most=_MOST_CHARACTERS), []).append(
                one["sample_id"]
            )
        told = [
            f"{found[0]}{f' and {len(found) - 1} more' if found[1:] else ''}: {fault}"
            for fault, found in names.items()
        ]
        rest = len(told) - _MOST_REASONS
        return "; ".join([*told[:_MOST_REASONS], *([f"{rest} more reasons"] if rest > 0 else [])])

    def take(
        self, sample_id: str, prediction: dict[str, Any] | None, fault: str | None, scored: Scored
    ) -> None:
        why = fault
        if why is None and scored.lacking:
            why = f"lacks {', '.join(scored.lacking)}"
        entry = {"sample_id": sample_id, "prediction": prediction, "fault": why}
        self.predictions.append(line_of(entry))
        self.scored.append((sample_id, "ok" if why is None else "missing", why, scored))
        if why is not None:
            self.missing.append({"sample_id": sample_id, "fault": why})

    def per_sample(self) -> list[str]:
        return [
            line_of({"sample_id": name, "status": status, "fault": why, "metrics": one.metrics})
            for name, status, why, one in self.scored
        ]


def _run(
    dataset: Dataset,
    options: OpenLoopOptions,
    directory: RunDirectory,
    surroundings: Surroundings,
    *,
    envelope: Envelope | None,
    mark: Mapping[str, str],
) -> FinishedOpenLoop:
    score, lines = Score(dataset.metadata), _Lines()
    with working_folder() as work:
        predictor = Predictor(
            options.agent,
            options.limits,
            folder=work,
            host=dict(options.host),
            mark=mark,
            asked=options.asked,
        )
        for sample, prediction, fault in predictor.answers(dataset.samples()):
            lines.take(sample.id, prediction, fault, score.add(sample.truth, prediction))
    lines.interrupted = predictor.interrupted
    latency = None
    if envelope is not None and predictor.count:
        latency = 1000.0 * predictor.seconds / predictor.count
    figures = {**score.finish(), "prediction_latency_ms": latency}
    metrics = {
        "schema_version": SCHEMA_VERSION,
        "openloop": figures,
        "definitions": definitions(dataset.metadata),
        "complete": not lines.missing,
    }
    return _write(
        dataset, options, directory, surroundings, metrics, lines, predictor.version, envelope
    )


def _write(  # noqa: PLR0917 - what a run came to
    dataset: Dataset,
    options: OpenLoopOptions,
    directory: RunDirectory,
    surroundings: Surroundings,
    metrics: dict[str, Any],
    lines: _Lines,
    version: str | None,
    envelope: Envelope | None,
) -> FinishedOpenLoop:
    check_unsealed(directory)
    missing = lines.lack()
    compared = regression(
        missing,
        {},
        [],
        gates=missing,
        baseline=None,
        max_regression_percent=options.max_regression_percent,
    )
    if options.baseline is not None:
        earlier = options.baseline.metrics()
        compared = compare(
            metrics,
            earlier,
            name=options.baseline.name,
            max_regression_percent=options.max_regression_percent,
            gates=tuple(missing),
            mismatch=mismatch_of(
                {"provenance": dataset.hashes}, metrics, options.baseline.summary(), earlier
            ),
        )
    unknown = [] if version is not None else ["the agent says no version"]
    provenance = dataset_provenance(
        surroundings, options.agent, dataset.hashes, agent_version=version, errors=unknown
    )
    status = "incomplete" if lines.missing else compared["status"]
    figures = metrics["openloop"]
    reason = "; ".join(compared["failures"]) or f"{figures['sample_count']} samples predicted"
    summary = {
        "schema_version": SCHEMA_VERSION,
        "run_id": None if envelope is None else envelope.run_id,
        "status": status,
        "reason": reason,
        "task": dataset.metadata.task,
        "sample_count": figures["sample_count"],
        "openloop": figures,
        "provenance": provenance,
    }
    documents: dict[str, dict[str, Any]] = {
        "summary.json": summary,
        "provenance.json": provenance,
        "metrics.json": metrics,
        "regression.json": compared,
        "openloop/aggregate_metrics.json": metrics,
    }
    config = _config(dataset, options)
    directory.write_text("config.yaml", yaml.safe_dump(config, sort_keys=False, allow_unicode=True))
    for name, value in documents.items():
        directory.write_json(name, value)
    hashes = {}
    for name, each in (
        ("predictions", lines.predictions),
        ("per_sample_metrics", lines.per_sample()),
    ):
        data = "".join(f"{line}\n" for line in each).encode()
        path = f"openloop/{name}.jsonl"
        write_file(directory.path, path, data)
        hashes[path] = hashlib.sha256(data).hexdigest()
    for name, text in render_openloop(summary, metrics, lines.missing).items():
        directory.write_text(name, text)
    if envelope is not None:
        ended = datetime.now(UTC).isoformat(timespec="milliseconds")
        envelope = Envelope(**{**_fields(envelope), "ended_at": ended})
    verdict = write_record(
        directory,
        summary,
        agent=config["agent"],
        agent_sha256=options.agent.file_sha256,
        dataset_hash=str(dataset.hashes["dataset_hash"]),
        files=hashes,
        interrupted=lines.interrupted,
        gaps=[f"{one['sample_id']}: {one['fault']}" for one in lines.missing[:_MOST_LACKING]],
        envelope=envelope,
    )
    return FinishedOpenLoop(directory.path, summary, metrics, compared, verdict)


def _fields(envelope: Envelope) -> dict[str, Any]:
    return {name: getattr(envelope, name) for name in envelope.__dataclass_fields__}


def _config(dataset: Dataset, options: OpenLoopOptions) -> dict[str, Any]:
    agent = options.agent
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "open_loop",
        "dataset": dataset.path,
        "task": dataset.metadata.task,
        "agent": agent.name if agent.path is None else agent.name.rpartition("/")[2],
        "baseline": None if options.baseline is None else options.baseline.name,
        "limits": {
            "load_seconds": options.limits.load_s,
            "act_seconds": options.limits.act_s,
            "episode_seconds": options.limits.episode_s,
            "memory_mb": options.limits.memory_mb,
        },
    }
