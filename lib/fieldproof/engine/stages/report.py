from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fieldproof.engine._stream import RESOURCES
from fieldproof.runs import compose_run_record, list_artefacts, read_json
from fieldproof_reports import render_all


def stage_report(evidence: Path, verdict: Path, evaluation: Path, out: Path) -> None:
    """Write run.json and every report from a run's evidence and verdict."""
    out.mkdir(parents=True, exist_ok=True)
    record = record_of(evidence, verdict, evaluation, envelope=None)
    (out / "run.json").write_text(json.dumps(record, indent=2, sort_keys=True) + "\n", "utf-8")
    for name, text in render_all(record).items():
        (out / name).write_text(text, "utf-8")


def record_of(
    evidence: Path, verdict: Path, evaluation: Path, *, envelope: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The record of a run, put together from its files.

    Args:
        evidence: folder of the evidence.
        verdict: folder of assertions.jsonl and kpis.jsonl.
        evaluation: folder of evaluation.json.
        envelope: time and place, None in the build.
    """
    folders = list(dict.fromkeys((evidence, verdict)))
    return compose_run_record(
        read_json(evidence / "execution.json"),
        read_json(evaluation / "evaluation.json"),
        read_json(evidence / "outcome.json"),
        json.loads((evidence / "timeline.json").read_text("utf-8")),
        _read_lines(verdict / "assertions.jsonl"),
        _read_lines(verdict / "kpis.jsonl"),
        envelope,
        verdict=read_json(verdict / "verdict.json"),
        artefacts=list_artefacts(*folders),
        resources=_read_lines(evidence / RESOURCES) if (evidence / RESOURCES).is_file() else (),
    )


def _read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects in a file of JSON lines; one that was cut at the end is left out."""
    lines = path.read_text("utf-8").splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]
