"""A suite from its first scenario to the seal."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import yaml

import fieldproof
from fieldproof.backends import end_run, engine_mark
from fieldproof.driving.agents import AgentReference, Limits
from fieldproof.driving.history import (
    BaselineFolder,
    Comparison,
    check_comparable,
    compare_runs,
    failures_of,
    regression,
)
from fieldproof.driving.judge import gate_failures
from fieldproof.driving.loading import LoadedSuite
from fieldproof.driving.loop import (
    Ran,
    ScenarioResult,
    Task,
    added_files,
    changed_files,
    check_unsealed,
    names_of,
    run_scenarios,
    seal_and_enter,
)
from fieldproof.driving.provenance import (
    HERMETIC,
    Surroundings,
    new_folder,
    placeless_agent,
    placeless_suite,
    suite_provenance,
)
from fieldproof.driving.report import render_suite
from fieldproof.driving.simulators import check_simulators
from fieldproof.driving.suite._compose import config_of, metrics_of, reason_of, summary_of
from fieldproof.driving.suite._record import (
    Trouble,
    evaluation_of,
    execution_of,
    gate_results,
    kpis_of,
    outcome_of,
    timeline_of,
    verdict_of_suite,
)
from fieldproof.model import canonical_document, digest_of
from fieldproof.runs import (
    ENVELOPE,
    Envelope,
    RunDirectory,
    RunsFolder,
    Status,
    Verdict,
    compose_run_record,
    list_artefacts,
    make_run_id,
)

Listener = Callable[[ScenarioResult], None]


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """How a suite is run.

    Attributes:
        agent: who drives.
        limits: what the agent may take.
        jobs: scenarios at once; 0 for as many as make sense here.
        host: the environment of whoever started it.
        baseline: what the run is compared with; None for nothing.
        listener: told of each scenario's result as it comes.
        asked: whether somebody asks for the end; asked a few times a second.
    """

    agent: AgentReference
    limits: Limits = field(default_factory=Limits)
    jobs: int = 0
    host: Mapping[str, str] = field(default_factory=dict)
    baseline: BaselineFolder | None = None
    listener: Listener = lambda _result: None
    asked: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True)
class FinishedSuite:
    """A suite's run that is over.

    Attributes:
        folder: where it lies.
        summary, metrics, regression, failures: the content of those files.
        verdict: in the terms of every run.
    """

    folder: Path
    summary: dict[str, Any]
    metrics: dict[str, Any]
    regression: dict[str, Any]
    failures: dict[str, Any]
    verdict: Verdict

    @property
    def passed(self) -> bool:
        """Whether every scenario was run and every gate passed."""
        return self.verdict.status is Status.PASSED


def run_suite(
    suite: LoadedSuite,
    options: SuiteOptions,
    *,
    runs: RunsFolder,
    surroundings: Surroundings,
    now: datetime,
    unique: UUID,
    command: Sequence[str] = (),
) -> FinishedSuite:
    """Run a suite live: a sealed folder among the runs.

    Args:
        suite: which.
        options: how.
        runs: where its folder is made.
        surroundings: where and when, for the provenance.
        now: when it starts, with its time zone.
        unique: tells apart runs that start in one second.
        command: the command line, program first.

    Raises:
        ScenarioError: A simulator is not there, or cannot do what is asked; nothing was run.
        ArtefactError: The baseline cannot be used; nothing was run.
        RunError: The folder cannot be made.
        OSError: A file cannot be written.
    """
    check_simulators(suite.scenarios)
    if options.baseline is not None:
        check_comparable({"suite_id": suite.id}, options.baseline)
        # as it is before anybody drives: what is compared with must not change with the run
        options = replace(options, baseline=options.baseline.remembered())
    identity = digest_of([suite.sha256, *(one.sha256 for one in suite.scenarios)])
    directory = runs.create(make_run_id(identity, now=now, unique=unique))
    started = time.monotonic()
    with directory.claim():
        mark = engine_mark(directory.run_id)
        try:
            ran = _ran(suite, options, directory.path, mark)
        finally:
            end_run(directory.run_id)
        took = time.monotonic() - started
        ended = datetime.now(UTC)
        envelope = Envelope(
            run_id=directory.run_id,
            started_at=now.astimezone(UTC).isoformat(timespec="milliseconds"),
            ended_at=ended.isoformat(timespec="milliseconds"),
            host=surroundings.hostname or "",
            pid=os.getpid(),
            engine_version=fieldproof.__version__,
            command=tuple(command),
            scenario_path=suite.path,
            scenario_sha256=suite.sha256,
        )
        finished = _write(
            suite, options, directory, ran, surroundings, envelope=envelope, took_s=took
        )
        seal_and_enter(runs, directory)
    return finished


def run_suite_into(suite: LoadedSuite, options: SuiteOptions, folder: Path) -> FinishedSuite:
    """Run a suite into a folder that does not exist, with nothing of time and place in it.

    Raises:
        ScenarioError: A simulator is not there, or cannot do what is asked; nothing was run.
        ArtefactError: The folder exists, or cannot be made; nothing was run.
        OSError: A file cannot be written.
    """
    check_simulators(suite.scenarios)
    suite, agent = placeless_suite(suite), placeless_agent(options.agent)
    options = replace(options, agent=agent)
    with new_folder(folder):
        directory = RunDirectory(folder)
        ran = _ran(suite, options, folder, {})
        return _write(suite, options, directory, ran, HERMETIC, envelope=None, took_s=None)


def _ran(suite: LoadedSuite, options: SuiteOptions, folder: Path, mark: Mapping[str, str]) -> Ran:
    host = dict(options.host)
    tasks = [
        Task(one, options.agent, options.limits, folder, host, mark) for one in suite.scenarios
    ]
    return run_scenarios(tasks, jobs=options.jobs, done=options.listener, asked=options.asked)


def _write(
    suite: LoadedSuite,
    options: SuiteOptions,
    directory: RunDirectory,
    ran: Ran,
    surroundings: Surroundings,
    *,
    envelope: Envelope | None,
    took_s: float | None,
) -> FinishedSuite:
    """Write everything but the episodes."""
    run_id = None if envelope is None else envelope.run_id
    ended_at = None if envelope is None else envelope.ended_at
    results = ran.results
    metrics = metrics_of(results)
    check_unsealed(directory)
    trouble = _trouble(directory.path, ran, options.agent)
    version, errors = _agent_version(ran)
    provenance = suite_provenance(
        surroundings, options.agent, suite, agent_version=version, errors=errors
    )
    failures = failures_of(results, run_id=run_id, created_at=ended_at)
    broken = [] if trouble is None else [trouble.reason]
    gates = [*broken, *gate_failures(suite.gates, metrics["aggregate"])]
    most = suite.gates.max_regression_percent or 0.0
    comparison = Comparison(
        regression(gates, {}, [], gates=gates, baseline=None, max_regression_percent=most),
        failures,
        None,
    )
    if options.baseline is not None and run_id is not None and ended_at is not None:
        comparison = compare_runs(
            {"suite_id": suite.id, "provenance": provenance},
            metrics,
            failures,
            options.baseline,
            run_id=run_id,
            changed_at=ended_at,
            max_regression_percent=most,
            gates=tuple(gates),
        )
        if comparison.baseline_failures is not None and trouble is None:
            options.baseline.write_failures(comparison.baseline_failures)
    failures = comparison.failures or failures
    reason = reason_of(metrics, gates, comparison.regression)
    summary = summary_of(
        suite,
        metrics,
        comparison.regression,
        provenance,
        run_id=run_id,
        reason=reason,
        duration_s=took_s,
    )
    baseline = None if options.baseline is None else options.baseline.name
    config = config_of(suite, options.agent, options.limits, baseline)
    directory.write_text("config.yaml", yaml.safe_dump(config, sort_keys=False, allow_unicode=True))
    documents = {
        "summary.json": summary,
        "provenance.json": provenance,
        "metrics.json": metrics,
        "regression.json": comparison.regression,
        "failures.json": failures,
    }
    for name, value in documents.items():
        directory.write_json(name, value)
    ways = {one.entry["scenario_id"]: one.ways for one in results}
    texts = render_suite(summary, metrics, comparison.regression, failures, ways)
    for name, text in texts.items():
        directory.write_text(name, text)
    verdict = _write_record(
        suite,
        options,
        directory,
        results,
        documents,
        gates=gates,
        trouble=trouble,
        envelope=envelope,
    )
    return FinishedSuite(directory.path, summary, metrics, comparison.regression, failures, verdict)


def _write_record(
    suite: LoadedSuite,
    options: SuiteOptions,
    directory: RunDirectory,
    results: Sequence[ScenarioResult],
    documents: Mapping[str, Any],
    *,
    gates: list[str],
    trouble: Trouble | None,
    envelope: Envelope | None,
) -> Verdict:
    """Write the run in the terms of every run, so that it is listed, verified and digested so."""
    regressions = documents["regression.json"]
    verdict = verdict_of_suite(regressions["status"], documents["summary.json"]["reason"], trouble)
    execution = execution_of(suite, options.agent, options.limits)
    evaluation = evaluation_of(suite)
    outcome = outcome_of(suite, results, trouble)
    timeline = timeline_of(results)
    judged = gate_results(suite, gates, regressions)
    kpis = kpis_of(documents["metrics.json"]["aggregate"])
    directory.write_json("execution.json", execution)
    directory.write_json("evaluation.json", evaluation)
    directory.write_json("outcome.json", outcome)
    directory.write_json("timeline.json", timeline)
    directory.write_json("verdict.json", verdict.to_data())
    directory.write_text("assertions.jsonl", "".join(map(canonical_document, judged)))
    directory.write_text("kpis.jsonl", "".join(map(canonical_document, kpis)))
    if envelope is not None:
        directory.write_json(ENVELOPE, envelope.to_data())
    record = compose_run_record(
        execution,
        evaluation,
        outcome,
        timeline,
        judged,
        kpis,
        None if envelope is None else envelope.to_data(),
        verdict=verdict.to_data(),
        artefacts=list_artefacts(directory.path),
    )
    directory.write_json("run.json", record)
    return verdict


def _trouble(folder: Path, ran: Ran, agent: AgentReference) -> Trouble | None:
    """Return what keeps a run from being judged.

    Files that somebody changed under it or added to it, an agent that is another now, a scenario
    that could not be carried out or whose simulator failed, or somebody who asked for the end.
    """
    hashes = {name: digest for one in ran.results for name, digest in one.files.items()}
    mine = {name for one in ran.results for name in names_of(one.entry["scenario_id"])}
    changed = [*changed_files(folder, hashes), *added_files(folder, mine)]
    if not agent.is_as_found():
        changed.append("the agent's file is another now, so that who drove is not known")
    gaps = (*changed, *(f"the scenario {name} was not run to its end" for name in ran.missing))
    if changed:
        reason = f"somebody changed the run while it went on: {changed[0]}"
        return Trouble(Status.ERROR, reason, gaps)
    if ran.broken:
        return Trouble(Status.ERROR, ran.broken, gaps)
    failed = [one.entry for one in ran.results if one.entry["simulator_fault"] is not None]
    if failed:
        names = [one["scenario_id"] for one in failed]
        text = failed[0]["simulator_fault"]["text"].removesuffix(".")
        gaps += tuple(f"the simulator broke the scenario {name} off" for name in names)
        return Trouble(Status.ERROR, f"scenario {names[0]}: {text}", gaps)
    if ran.missing:
        first, count = ran.missing[0], len(ran.missing)
        more = f" and {count - 1} more were" if count > 1 else " was"
        reason = f"interrupted: the scenario {first}{more} not run to the end"
        return Trouble(Status.INTERRUPTED, reason, gaps)
    return None


def _agent_version(ran: Ran) -> tuple[str | None, list[str]]:
    """Return what the agent says its version is, and why it is not known otherwise."""
    for one in ran.results:
        if one.about:
            return one.about["version"], []
    if ran.missing:
        return None, ["the run broke off: the agent's version is not known"]
    return None, ["the agent cannot be loaded: its version is not known"]
