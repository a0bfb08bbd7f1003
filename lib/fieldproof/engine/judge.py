"""From evidence to a verdict: the same function for a live run and for the build."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldproof.assertions import Evaluator, Result
from fieldproof.engine._stream import RESOURCES
from fieldproof.kpis import CollectorResult
from fieldproof.model import canonical_json
from fieldproof.runs import Verdict, read_json, verdict_of
from fieldproof.samples import Sample, SampleError, SampleParser, interleaved

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


def judge(
    evidence: Path, evaluation: Mapping[str, Any], *, more: Iterable[Sample] = ()
) -> Judgement:
    """Evaluate recorded evidence.

    Args:
        evidence: folder with execution.json, outcome.json and samples.jsonl. A sample stream that
            is cut or damaged is evaluated up to there, and the evidence is incomplete.
        evaluation: the evaluation plan.
        more: further samples of the run in order of simulation time; each comes after those of the
            stream that are not later, and before the timeline's start and end of its own time.

    Raises:
        EvaluationError: the plan cannot be evaluated.
        UnreadableRunError: execution.json or outcome.json is missing or damaged.
        OSError: samples.jsonl cannot be read.
    """
    outcome = read_json(evidence / "outcome.json")
    execution = read_json(evidence / "execution.json")
    evaluator = Evaluator(evaluation, execution["time"]["mode"])
    what = _feed(evaluator, evidence, more)
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


def _feed(evaluator: Evaluator, evidence: Path, more: Iterable[Sample]) -> str:
    """Hand over the samples of a run up to their end or their first fault; returns the fault."""
    stream = _Stream(evidence / "samples.jsonl")
    try:
        samples = interleaved(stream.samples(), _beside(evidence / RESOURCES))
        for sample in _among(samples, more):
            evaluator.feed(sample)
    except SampleError as error:
        return f"a sample is damaged: {error}"
    return stream.cut


def _among(samples: Iterable[Sample], more: Iterable[Sample]) -> Iterator[Sample]:
    """The samples with further ones in their places; see `judge`."""
    waiting = iter(more)
    next_one = next(waiting, None)
    for sample in samples:
        while next_one is not None and _comes_before(next_one, sample):
            yield next_one
            next_one = next(waiting, None)
        yield sample


def _comes_before(one: Sample, sample: Sample) -> bool:
    if one.sim is None or sample.sim is None:
        return False
    return one.sim < sample.sim or (sample.kind == "timeline" and one.sim == sample.sim)


class _Stream:
    """The samples of a file, read in chunks.

    Attributes:
        cut: where the file was cut, in words; empty where it was not.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.cut = ""

    def samples(self) -> Iterator[Sample]:
        parser = SampleParser()
        with self._path.open("rb") as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                yield from parser.feed(chunk)
        last, cut = parser.close()
        yield from last
        if cut:
            self.cut = f"{self._path.name} is cut within line {cut.line}"


def _beside(path: Path) -> Iterator[Sample]:
    """What was measured beside the samples; a line that was cut is left out."""
    if not path.is_file():
        return iter(())
    return _Stream(path).samples()
