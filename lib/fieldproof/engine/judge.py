"""From evidence to a verdict: the same function for a live run and for the build."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldproof.assertions import Evaluator, Result
from fieldproof.kpis import CollectorResult
from fieldproof.model import canonical_json
from fieldproof.runs import Verdict, read_json, verdict_of
from fieldproof.samples import SampleError, SampleParser

_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the evidence of a run was found to say.

    Attributes:
        results: the assertions' verdicts in the order in which they resolved.
        collectors: what the collectors measured, in the scenario's order.
        kpis: the flat map of figures.
        verdict: the run's.
    """

    results: tuple[Result, ...]
    collectors: tuple[CollectorResult, ...]
    kpis: Mapping[str, Any]
    verdict: Verdict

    def write(self, folder: Path) -> None:
        """Write assertions.jsonl, kpis.jsonl and verdict.json."""
        lines = "".join(result.to_line() for result in self.results)
        (folder / "assertions.jsonl").write_text(lines, "utf-8")
        measured = "".join(result.to_line() for result in self.collectors)
        kpis = canonical_json({"kind": "kpis", "kpis": self.kpis}) + "\n"
        (folder / "kpis.jsonl").write_text(measured + kpis, "utf-8")
        (folder / "verdict.json").write_text(canonical_json(self.verdict.to_data()) + "\n", "utf-8")


def judge(evidence: Path, evaluation: Mapping[str, Any]) -> Judgement:
    """Evaluate recorded evidence.

    Args:
        evidence: folder with execution.json, outcome.json and samples.jsonl. A sample stream that
            is cut or damaged is evaluated up to there, and the evidence is incomplete.
        evaluation: the evaluation plan.

    Raises:
        EvaluationError: the plan cannot be evaluated.
        UnreadableRunError: execution.json or outcome.json is missing or damaged.
        OSError: samples.jsonl cannot be read.
    """
    outcome = read_json(evidence / "outcome.json")
    execution = read_json(evidence / "execution.json")
    evaluator = Evaluator(evaluation, execution["time"]["mode"])
    what = _feed(evaluator, evidence / "samples.jsonl")
    evaluator.finish(None, completed=False, status=outcome["status"])
    if what:
        outcome = {**outcome, "complete": False, "gaps": [*outcome["gaps"], {"what": what}]}
    return concluded(evaluator, outcome, evaluation)


def concluded(
    evaluator: Evaluator, outcome: Mapping[str, Any], evaluation: Mapping[str, Any]
) -> Judgement:
    """Return what an evaluator that has had everything has found.

    Args:
        evaluator: finished.
        outcome: how the timeline ended, as outcome.json says it.
        evaluation: the evaluation plan.
    """
    results = tuple(evaluator.resolved())
    planned = [assertion["name"] for assertion in evaluation["assertions"]]
    verdict = verdict_of(outcome, [result.to_data() for result in results], planned=planned)
    return Judgement(results, tuple(evaluator.collectors()), evaluator.kpis(), verdict)


def _feed(evaluator: Evaluator, path: Path) -> str:
    """Hand over the samples of a file up to its end or its first fault; returns the fault."""
    parser = SampleParser()
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                for sample in parser.feed(chunk):
                    evaluator.feed(sample)
    except SampleError as error:
        return f"samples.jsonl is damaged: {error}"
    last, cut = parser.close()
    for sample in last:
        evaluator.feed(sample)
    return f"samples.jsonl is cut within line {cut.line}" if cut else ""
