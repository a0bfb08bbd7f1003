"""Evaluates what was recorded, without simulating: a changed plan, or a real robot's recording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from fieldproof.assertions import EvaluationError, Evaluator
from fieldproof.engine._answers import (
    UnanswerableError,
    lacking,
    otherwise,
    unknown_entries,
    unobserved,
    without_timeline,
)
from fieldproof.engine._recorded import RecordedStream, recorded_of, watched_again
from fieldproof.engine._stream import RESOURCES
from fieldproof.engine._whole import EVIDENCE, not_as_sealed
from fieldproof.engine.judge import CUT, Judgement, concluded, judge
from fieldproof.engine.resolve import Resolved
from fieldproof.model import RecordingMap, read_yaml_file, validate_document
from fieldproof.recording import DamagedRecordingError, RecordingError, RecordingReader
from fieldproof.runs import RECORDING, UnreadableRunError, read_json
from fieldproof.samples import Sample

__all__ = ["UnanswerableError", "evaluate_recording", "evaluate_run", "read_recording_map"]

_PLAN, _OUTCOME, _RECORDING = "evaluation.json", "outcome.json", Path(RECORDING)
_RESTORE = "nothing was judged: restore the files, or run the scenario again"
_MISFITS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""What reading a document raises that was changed: anything may stand anywhere in it."""


def evaluate_run(run: Path, resolved: Resolved | None = None) -> Judgement:
    """Evaluate a run's evidence again.

    What is not as it was sealed, and a run without a seal, is judged and never passes: its evidence
    counts as incomplete, for the reasons in the judgement's gaps.

    Args:
        run: a run directory, or the evidence of a build.
        resolved: the scenario to judge by; the run's own evaluation plan when None. For an equal
            plan the verdicts are those of the run, to the byte.

    Raises:
        UnanswerableError: the evidence does not hold what the scenario's assertions ask for.
        UnreadableRunError: a document of the run is missing or damaged.
        NewerVersionError: the run was sealed by a newer Fieldproof.
        EvaluationError: the run's own plan cannot be evaluated.
        OSError: a file cannot be read.
    """
    found = not_as_sealed(run, EVIDENCE if resolved else (*EVIDENCE, _PLAN))
    try:
        if resolved is None:
            return judge(run, read_json(run / _PLAN), outcome=_outcome(run, found))
        return _by_another_plan(run, resolved, found)
    except UnanswerableError as error:
        raise UnanswerableError([*error.lacking, *found]) from None
    except UnreadableRunError as error:
        how = _RESTORE
        if error.path.name == _PLAN and not error.path.exists():
            how = f"{_RESTORE}, or name a scenario to judge by (--scenario), as for a build"
        raise UnreadableRunError(error.path, f"{error.reason}; {how}") from None
    except EvaluationError:
        raise
    except _MISFITS as error:
        if not found:
            raise
        why = f"{found[0]}; what is there now is no run's ({type(error).__name__}: {error})"
        raise UnreadableRunError(run, f"{why}; {_RESTORE}") from error


def _by_another_plan(run: Path, resolved: Resolved, found: Sequence[str]) -> Judgement:
    execution = read_json(run / "execution.json")
    others = otherwise(resolved.execution, execution)
    if others:
        raise UnanswerableError(others)
    needs, has = resolved.execution["observe"], read_json(run / "observe.json")
    labels = [entry["label"] for entry in execution["timeline"]]
    gaps = list(found)
    with ExitStack() as stack:
        more: Iterator[Sample] = iter(())
        wanted = unobserved(needs, has)
        recorded = execution["time"]["mode"] == "lockstep" and (run / _RECORDING.parent).is_dir()
        if any(wanted.values()) and recorded:
            # what was only recorded can be looked at now
            reader = stack.enter_context(_opened(run / _RECORDING, wanted))
            again, beyond = recorded_of(reader, wanted)
            has = {**has, **{kind: [*has.get(kind, ()), *items] for kind, items in again.items()}}
            gaps += [f"{topic} is not in the part of {_RECORDING} that is left" for topic in beyond]
            more = watched_again(reader, again)
        lack = lacking(needs, has)
        if needs["resources"] and not (run / RESOURCES).is_file():
            lack.append("the run did not measure what its processes took")
        lack += unknown_entries(_asked(resolved), labels)
        if lack:
            raise UnanswerableError(lack)
        return judge(run, resolved.evaluation, more=more, outcome=_outcome(run, gaps))


def _opened(path: Path, wanted: Mapping[str, Sequence[Mapping[str, Any]]]) -> RecordingReader:
    try:
        return RecordingReader(path)
    except (RecordingError, OSError) as error:
        topics = ", ".join(dict.fromkeys(one["topic"] for kind in wanted.values() for one in kind))
        why = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        said = f"{topics} was only recorded, and {path} cannot be read: {why}"
        how = "restore the recording, or run a scenario that asks for it"
        raise UnanswerableError([f"{said}; {how}"]) from error


def _outcome(run: Path, gaps: Iterable[str]) -> dict[str, Any]:
    """How the run ended, with what is missing since or was never there."""
    try:
        outcome = read_json(run / _OUTCOME)
    except UnreadableRunError as error:
        gone = f"{_OUTCOME} cannot be read ({error.reason}): nothing says how the run ended"
        outcome = {"status": "completed", "reason": "", "complete": False, "gaps": [{"what": gone}]}
    more = [{"what": gap} for gap in gaps]
    if not more:
        return outcome
    return {**outcome, "complete": False, "gaps": [*more, *outcome["gaps"]]}


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
        if reader.unclosed and not reader.topics:
            size = reader.path.stat().st_size
            what = f"this is no MCAP file, or one cut within its first messages: {size} bytes"
            raise DamagedRecordingError(reader.path, reader.readable_bytes or 0, what)
        found = [*stream.lacking(), *without_timeline(_asked(resolved))]
        unmatched = stream.unmatched()
        if found:
            raise UnanswerableError([*found, *unmatched])
        evaluator = Evaluator(resolved.evaluation, "lockstep")
        gaps: list[dict[str, Any]] = []
        try:
            for sample in stream.samples():
                evaluator.feed(sample)
        except RecordingError as error:
            gaps.append({"what": str(error)})
        if reader.unclosed:
            gaps.append(
                {
                    "what": f"{path.name} was never closed: it is judged up to byte"
                    f" {reader.readable_bytes}, what came last is missing"
                }
            )
            gaps += [{"what": what} for what in stream.beyond_the_cut()]
    outcome = {"status": "completed", "reason": "", "complete": not gaps, "gaps": gaps}
    evaluator.finish(None, completed=False, status=CUT)
    return replace(concluded(evaluator, outcome, resolved.evaluation), notes=tuple(unmatched))


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
