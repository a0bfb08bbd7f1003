from collections.abc import Mapping, Sequence
from typing import Any

from fieldproof.model import canonical_document
from fieldproof.runs import (
    ENVELOPE,
    SCHEMA_VERSION,
    Envelope,
    RunDirectory,
    Status,
    Verdict,
    compose_run_record,
    list_artefacts,
)

_VERDICTS = {
    "pass": Status.PASSED,
    "fail": Status.FAILED,
    "incomplete": Status.INCONCLUSIVE,
}


def write_record(
    directory: RunDirectory,
    summary: Mapping[str, Any],
    *,
    agent: str,
    agent_sha256: str | None,
    dataset_hash: str,
    files: Mapping[str, str],
    interrupted: bool,
    gaps: Sequence[str],
    envelope: Envelope | None,
) -> Verdict:
    """Write the run in the terms of every run, and return its verdict in them.

    Args:
        directory: the run's folder.
        summary: its summary.json.
        agent: the agent's name.
        agent_sha256: of its file.
        dataset_hash: of all that was predicted from.
        files: SHA-256 of the files with a line a sample, by path.
        interrupted: whether somebody asked for the end.
        gaps: what is missing, for people.
        envelope: when and where it ran; None in a hermetic run.
    """
    task = summary["task"]
    execution = {
        "schema_version": SCHEMA_VERSION,
        "kind": "open_loop",
        "scenario": {"name": f"openloop_{task}"},
        "world": {"name": "dataset"},
        "vehicles": [],
        "time": {"mode": "lockstep"},
        "timeline": [],
        "dataset_sha256": dataset_hash,
        "agent": {"name": agent, "sha256": agent_sha256},
    }
    evaluation = {"schema_version": SCHEMA_VERSION, "assertions": [], "kpis": []}
    outcome = {
        "schema_version": SCHEMA_VERSION,
        "status": "interrupted" if interrupted else "completed",
        "reason": summary["reason"] if interrupted else "",
        "complete": summary["status"] != "incomplete",
        "gaps": [{"what": one} for one in gaps],
        "phases": [],
        "topics": {},
        "origin_ns": None,
        "sim_ns": None,
        "determinism": "exact",
        "files": dict(files),
    }
    status = Status.INTERRUPTED if interrupted else _VERDICTS[summary["status"]]
    verdict = Verdict(status, summary["reason"])
    figures = {
        f"openloop.{key}": {"value": value, "unit": "", "source": "openloop"}
        for key, value in summary["openloop"].items()
        if value is not None
    }
    kpis = [{"kind": "kpis", "kpis": figures}]
    for name, value in (
        ("execution.json", execution),
        ("evaluation.json", evaluation),
        ("outcome.json", outcome),
        ("timeline.json", []),
        ("verdict.json", verdict.to_data()),
    ):
        directory.write_json(name, value)
    directory.write_text("assertions.jsonl", "")
    directory.write_text("kpis.jsonl", "".join(map(canonical_document, kpis)))
    about = None if envelope is None else envelope.to_data()
    if about is not None:
        directory.write_json(ENVELOPE, about)
    record = compose_run_record(
        execution,
        evaluation,
        outcome,
        [],
        [],
        kpis,
        about,
        verdict=verdict.to_data(),
        artefacts=list_artefacts(directory.path),
    )
    directory.write_json("run.json", record)
    return verdict
