"""From evidence to a verdict: the same function for a live run and for the build."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fieldproof.assertions import Evaluator, Result
from fieldproof.engine._stream import RESOURCES
from fieldproof.kpis import CollectorResult
from fieldproof.model import canonical_json
from fieldproof.recording import RecordingError
from fieldproof.runs import Verdict, gap_text, read_json, verdict_of
from fieldproof.samples import Sample, SampleError, SampleParser, interleaved

_CHUNK_BYTES = 1 << 20
_SAMPLES = "samples.jsonl"
_NO_ACCOUNT = "the recorder gave no account of what it received"
_ENDED_IN_ORDER = ("completed", "failed", "timeout")

CUT = "its evidence is cut"
"""How a run ended for an evaluation that could not go on to its end."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the evidence of a run was found to say.

    Attributes:
        results: the assertions' verdicts in the order in which they resolved.
        collectors: what the collectors measured, in the scenario's order.
        kpis: the flat map of figures.
        verdict: the run's.
        gaps: what is missing from the evidence, or not as it was left, a sentence each.
        sources: where each assertion stands in its scenario, such as `assertions[0]`, by its name,
            in the scenario's order.
        notes: what is odd about what was asked, and changes nothing, a sentence each.
    """

    results: tuple[Result, ...]
    collectors: tuple[CollectorResult, ...]
    kpis: Mapping[str, Any]
    verdict: Verdict
    gaps: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def in_order(self) -> list[Result]:
        """Return the assertions' verdicts in the order of the scenario."""
        places = {name: place for place, name in enumerate(self.sources)}
        return sorted(self.results, key=lambda one: places.get(one.name, len(places)))

    def write(self, folder: Path) -> None:
        """Write assertions.jsonl, kpis.jsonl and verdict.json."""
        lines = "".join(result.to_line() for result in self.results)
        (folder / "assertions.jsonl").write_text(lines, "utf-8")
        measured = "".join(result.to_line() for result in self.collectors)
        kpis = canonical_json({"kind": "kpis", "kpis": self.kpis}) + "\n"
        (folder / "kpis.jsonl").write_text(measured + kpis, "utf-8")
        (folder / "verdict.json").write_text(canonical_json(self.verdict.to_data()) + "\n", "utf-8")


def judge(
    evidence: Path,
    evaluation: Mapping[str, Any],
    *,
    more: Iterable[Sample] = (),
    outcome: Mapping[str, Any] | None = None,
) -> Judgement:
    """Evaluate recorded evidence.

    Args:
        evidence: folder with execution.json, outcome.json and samples.jsonl. A sample stream that
            is cut, damaged or missing is evaluated up to there, and the evidence is incomplete.
        evaluation: the evaluation plan.
        more: further samples of the run in order of simulation time; each comes after those of the
            stream that are not later, and before the timeline's start and end of its own time.
            Where they end with a RecordingError, the evaluation ends as well.
        outcome: the content of outcome.json; read from the evidence when None.

    Raises:
        EvaluationError: the plan cannot be evaluated.
        UnreadableRunError: execution.json or outcome.json is missing or damaged.
        OSError: samples.jsonl cannot be read.
    """
    if outcome is None:
        outcome = read_json(evidence / "outcome.json")
    execution = read_json(evidence / "execution.json")
    evaluator = Evaluator(evaluation, execution["time"]["mode"])
    what, until = _feed(evaluator, evidence, more)
    if not what and not evaluator.finished and outcome["status"] in _ENDED_IN_ORDER:
        at = "" if until is None else f", after {until:g} s of simulation"
        what = f"{_SAMPLES} is cut: it ends before the timeline does{at}"
    why = CUT if what else outcome["status"]
    evaluator.finish(None, completed=False, status=why)
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
    gaps = tuple(gap_text(gap) for gap in outcome["gaps"])
    if not gaps and not outcome["complete"]:
        gaps = (_NO_ACCOUNT,)
    sources = {one["name"]: one.get("source") or "" for one in evaluation["assertions"]}
    return Judgement(
        results, tuple(evaluator.collectors()), evaluator.kpis(), verdict, gaps, sources
    )


def _feed(evaluator: Evaluator, evidence: Path, more: Iterable[Sample]) -> tuple[str, float | None]:
    """Hand over the samples of a run up to their end or their first fault.

    Returns:
        the fault, empty where there is none, and the last simulation time in seconds.
    """
    stream, beside = _Stream(evidence / _SAMPLES), _Stream(evidence / RESOURCES)
    until = None
    try:
        samples = interleaved(stream.samples(), beside.samples() if beside.exists else ())
        for sample in _among(samples, more):
            evaluator.feed(sample)
            if sample.sim is not None and sample.kind != "resource":
                until = sample.sim
    except _StreamError as error:
        return str(error), until
    except SampleError as error:
        return f"a sample is damaged: {RESOURCES}, {error}", until
    except RecordingError as error:
        return f"the evidence is judged only up to where the recording can be read: {error}", until
    return stream.cut or beside.cut, until


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


class _StreamError(Exception):
    """A file of samples cannot be read on; the text says where and why."""


class _Stream:
    """The samples of a file, read in chunks.

    Attributes:
        cut: where the file was cut, in words; empty where it was not.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.cut = ""

    @property
    def exists(self) -> bool:
        return self._path.exists()

    def samples(self) -> Iterator[Sample]:
        name = self._path.name
        if not self._path.is_file():  # to open a pipe would wait for a writer
            what = "is not a file" if self.exists else "is missing"
            raise _StreamError(f"{name} {what}: nothing of what was observed can be judged")
        parser = SampleParser()
        try:
            with self._path.open("rb") as stream:
                while chunk := stream.read(_CHUNK_BYTES):
                    yield from parser.each(chunk)
        except SampleError as error:
            raise _StreamError(f"a sample is damaged: {name}, {error}") from None
        last, cut = parser.close()
        yield from last
        if cut:
            self.cut = f"{self._path.name} is cut within line {cut.line}"
