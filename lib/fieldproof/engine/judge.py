"""From evidence to a verdict: the same function for a live run and for the build."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldproof.assertions import Evaluator, Result
from fieldproof.model import canonical_json
from fieldproof.runs import Verdict, verdict_of
from fieldproof.samples import SampleParser


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the evidence of a run was found to say.

    Attributes:
        results: the assertions' verdicts in the order in which they resolved.
        kpis: the flat map of figures.
        verdict: the run's.
    """

    results: tuple[Result, ...]
    kpis: Mapping[str, Any]
    verdict: Verdict

    def write(self, folder: Path) -> None:
        """Write assertions.jsonl, kpis.jsonl and verdict.json."""
        lines = "".join(result.to_line() for result in self.results)
        (folder / "assertions.jsonl").write_text(lines, "utf-8")
        kpis = canonical_json({"kind": "kpis", "kpis": self.kpis}) + "\n"
        (folder / "kpis.jsonl").write_text(kpis, "utf-8")
        (folder / "verdict.json").write_text(canonical_json(self.verdict.to_data()) + "\n", "utf-8")


def judge(evidence: Path, evaluation: Mapping[str, Any]) -> Judgement:
    """Evaluate recorded evidence.

    Args:
        evidence: folder with execution.json, outcome.json and samples.jsonl. A sample stream that
            is cut in its last line is evaluated up to the cut, and the evidence is incomplete.
        evaluation: the evaluation plan.

    Raises:
        SampleError: a line before the last is no sample; it names the line.
        EvaluationError: the plan cannot be evaluated.
        OSError: a file is missing.
    """
    outcome = json.loads((evidence / "outcome.json").read_text("utf-8"))
    execution = json.loads((evidence / "execution.json").read_text("utf-8"))
    evaluator = Evaluator(evaluation, execution["time"]["mode"])
    parser = SampleParser()
    with (evidence / "samples.jsonl").open("rb") as stream:
        while chunk := stream.read(1 << 20):
            for sample in parser.feed(chunk):
                evaluator.feed(sample)
    last, cut = parser.close()
    for sample in last:
        evaluator.feed(sample)
    evaluator.finish(None, completed=False, status=outcome["status"])
    if cut is not None:
        what = f"samples.jsonl is cut within line {cut.line}"
        outcome = {**outcome, "complete": False, "gaps": [*outcome["gaps"], {"what": what}]}
    results = tuple(evaluator.resolved())
    planned = [assertion["name"] for assertion in evaluation["assertions"]]
    verdict = verdict_of(outcome, [result.to_data() for result in results], planned=planned)
    return Judgement(results, evaluator.kpis(), verdict)
