from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from fieldproof.engine.judge import judge
from fieldproof.runs import read_json


def stage_verdict(evidence: Path, evaluation: Path, out: Path) -> None:
    """Evaluate evidence and write assertions.jsonl, kpis.jsonl and verdict.json."""
    out.mkdir(parents=True, exist_ok=True)
    judge(evidence, read_json(evaluation / "evaluation.json")).write(out)


def stage_gate(verdict: Path, report: Path, out: Path) -> dict[str, Any]:
    """Put verdict and reports side by side; returns the content of verdict.json."""
    out.mkdir(parents=True, exist_ok=True)
    for folder in (verdict, report):
        for source in sorted(folder.iterdir()):
            shutil.copyfile(source, out / source.name)
    return read_json(verdict / "verdict.json")
