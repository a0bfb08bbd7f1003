"""Evaluates what was recorded, without simulating: a changed plan, or a real robot's recording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from fieldproof.assertions import Evaluator
from fieldproof.engine._answers import (
    UnanswerableError,
    lacking,
    unknown_entries,
    unobserved,
)
from fieldproof.engine._recorded import RecordedStream, watched_again
from fieldproof.engine._stream import RESOURCES
from fieldproof.engine.judge import Judgement, concluded, judge
from fieldproof.engine.resolve import Resolved
from fieldproof.model import RecordingMap, read_yaml_file, validate_document
from fieldproof.recording import DamagedRecordingError, RecordingReader
from fieldproof.runs import read_json
from fieldproof.samples import Sample

__all__ = ["UnanswerableError", "evaluate_recording", "evaluate_run", "read_recording_map"]


def evaluate_run(run: Path, resolved: Resolved | None = None) -> Judgement:
    """Evaluate a run's evidence again.

    Args:
        run: a run directory, or the evidence of a build.
        resolved: the scenario to judge by; the run's own evaluation plan when None. For an equal
            plan the verdicts are those of the run, to the byte.

    Raises:
        UnanswerableError: the evidence does not hold what the scenario's assertions ask for.
        UnreadableRunError: a document of the run is missing or damaged.
        EvaluationError: the run's own plan cannot be evaluated.
        OSError: a file cannot be read.
    """
    if resolved is None:
        return judge(run, read_json(run / "evaluation.json"))
    execution = read_json(run / "execution.json")
    needs, has = resolved.execution["observe"], read_json(run / "observe.json")
    with ExitStack() as stack:
        more: Iterator[Sample] = iter(())
        if execution["time"]["mode"] == "lockstep" and (run / "recording").is_dir():
            # what was only recorded can be looked at now
            reader = stack.enter_context(RecordingReader(run / "recording"))
            again = unobserved(needs, has, (topic.topic for topic in reader.topics))
            has = {**has, **{kind: [*has.get(kind, ()), *items] for kind, items in again.items()}}
            if any(again.values()):
                more = watched_again(reader, again)
        found = lacking(needs, has)
        if needs["resources"] and not (run / RESOURCES).is_file():
            found.append("the run did not measure what its processes took")
        labels = [entry["label"] for entry in execution["timeline"]]
        found += unknown_entries(_asked(resolved), labels)
        if found:
            raise UnanswerableError(found)
        return judge(run, resolved.evaluation, more=more)


def evaluate_recording(path: Path, names: RecordingMap, resolved: Resolved) -> Judgement:
    """Evaluate a scenario's assertions on a recording that no run made.

    The whole recording is the timeline: it has no entries, and its time counts from the first
    message. A file that was cut is evaluated up to there, and the evidence is incomplete.

    Args:
        path: an MCAP file of ROS 2 messages, or the folder of one.
        names: where the scenario's topics and models are found in it.
        resolved: the scenario.

    Raises:
        UnanswerableError: the recording does not hold what the assertions ask for.
        RecordingError: the file is no recording.
        OSError: it cannot be read.
    """
    with RecordingReader(path) as reader:
        stream = RecordedStream(reader, resolved.execution["observe"], names)
        found = [*stream.lacking(), *unknown_entries(_asked(resolved), ())]
        if found:
            raise UnanswerableError(found)
        evaluator = Evaluator(resolved.evaluation, "lockstep")
        gaps: list[dict[str, Any]] = []
        try:
            for sample in stream.samples():
                evaluator.feed(sample)
        except DamagedRecordingError as error:
            gaps.append({"what": str(error)})
        if reader.unclosed:
            gaps.append({"what": f"{path.name} was never closed: what came last is missing"})
    outcome = {"status": "completed", "reason": "", "complete": not gaps, "gaps": gaps}
    evaluator.finish(None, completed=not gaps, status="completed")
    return concluded(evaluator, outcome, resolved.evaluation)


def read_recording_map(path: Path | None) -> RecordingMap:
    """Return the map in a file; without one, every name is what it is.

    Raises:
        ScenarioError: with everything that is wrong with the file.
        OSError: it cannot be read.
    """
    if path is None:
        return RecordingMap(apiVersion="fieldproof.dev/v0alpha1", kind="RecordingMap")
    return validate_document(RecordingMap, read_yaml_file(path))


def _asked(resolved: Resolved) -> Mapping[str, tuple[str, ...]]:
    """The timeline entries that each assertion and collector names."""
    scenario = resolved.scenario
    asked = {one.name: one.action_names() for one in scenario.assertions}
    return asked | {one.name: one.action_names() for one in scenario.kpis}
