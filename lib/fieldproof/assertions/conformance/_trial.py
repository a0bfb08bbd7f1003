"""The rules, and the trial of a type by them."""

import copy
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fieldproof.assertions._checker import Checker
from fieldproof.assertions._evaluator import Evaluator
from fieldproof.assertions._registry import assertion_registry, checked_type
from fieldproof.assertions._result import FAILED, PASSED, SKIPPED, Result
from fieldproof.assertions._type import AssertionType
from fieldproof.assertions.conformance._variants import (
    damaged,
    shifted,
    with_foreign,
    with_nan,
    without_data,
)
from fieldproof.model import canonical_json, validated
from fieldproof.plan import PlannedAssertion
from fieldproof.plan.registry import PluginError
from fieldproof.samples import Sample, SampleParser, format_sample

_EXCERPT = 6
_NO_NUMBER = re.compile(r"(?<![\w.])[-+]?(nan|inf|infinity)(?![\w.])", re.IGNORECASE)
_SHIFTS_S = (0.0, 17.25, 86_400.5)


class ConformanceError(AssertionError):
    """A type breaks rules.

    Attributes:
        problems: The rules that it breaks, a sentence each.
    """

    def __init__(self, name: str, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n  ".join([f"{name} does not conform:", *problems]))


@dataclass(frozen=True, slots=True)
class Case:
    """A stream and the verdict that it must bring.

    Attributes:
        name: What problems call it.
        assertion: As `planned` returns it.
        samples: From the timeline's start, or before it, to its end.
        status: `passed` or `failed`.
        others: Assertions whose verdicts it waits for, as `planned` returns them.
    """

    name: str
    assertion: Mapping[str, Any]
    samples: Sequence[Sample]
    status: str
    others: Sequence[Mapping[str, Any]] = ()


def check_conformance(
    kind: type[AssertionType], cases: Sequence[Case], *, mode: str = "lockstep"
) -> None:
    """Put a type to the test.

    The rules: the type is well-formed; its plan is JSON data and comes back as it was; each case
    brings its verdict, once, with JSON evidence and the declared metrics; the same stream brings
    the same again, beside another evaluation, read from bytes cut anywhere, with its times
    shifted, and among samples of other subjects; samples and plan are left as they were; a stream
    that is cut, repeated, out of order, or holds numbers that are none brings some verdict without
    an exception. It never passes with NaN or an infinity in its reason or its metrics, a sample
    more whose numbers are NaN makes no failed case pass, and without data it does not pass unless
    the type says so (`passes_without_data`). One case at least must pass and one must fail.

    Args:
        kind: The type.
        cases: What it is tried on.
        mode: The time mode of the streams.

    Raises:
        ConformanceError: With every rule that is broken.
    """
    name = str(getattr(kind, "type", kind))
    try:
        checked_type(kind)
    except PluginError as error:
        raise ConformanceError(name, [str(error)]) from error
    types = {**assertion_registry([]).kinds, kind.type: kind()}
    problems = list(_coverage(cases))
    for case in cases:
        trial = _Trial(kind, types, case, mode)
        problems += [f"{case.name}: {problem}" for problem in trial.problems()]
    if problems:
        raise ConformanceError(name, problems)


def _coverage(cases: Sequence[Case]) -> Iterator[str]:
    for status in (PASSED, FAILED):
        if status not in {case.status for case in cases}:
            yield f"no case in which it must be {status}"


@dataclass(frozen=True, slots=True)
class _Trial:
    """One case and all that is done with it."""

    kind: type[AssertionType]
    types: Mapping[str, AssertionType]
    case: Case
    mode: str

    def problems(self) -> Iterator[str]:
        samples = copy.deepcopy(list(self.case.samples))
        plan = copy.deepcopy(self.case.assertion)
        self._run(samples)
        if samples != list(self.case.samples):
            yield "changes samples"
            return
        if self.case.assertion != plan:
            yield "changes its plan"
            return
        yield from self._plan_problems()
        yield from self._verdict_problems()
        yield from self._same_problems(self._told(self.case.samples))
        yield from self._damage_problems()
        yield from self._blind_problems()

    def _plan_problems(self) -> Iterator[str]:
        data = self.case.assertion
        spec = validated(self.kind.Spec, data["spec"])
        again = PlannedAssertion.from_data(data, spec).to_data()
        if again != data:
            yield "its plan does not come back from evaluation.json as it was"
        checker = self.kind().checker(PlannedAssertion.from_data(data, spec))
        if set(checker.metrics()) != set(self.kind.metrics):
            yield "its checker measures others than the metrics that the type declares"

    def _verdict_problems(self) -> Iterator[str]:
        evaluator, news = self._run(self.case.samples)
        own = [one for one in news if one.name == self.case.assertion["name"]]
        if len(own) != 1:
            yield f"gives {len(own)} verdicts"
            return
        if own[0].status != self.case.status:
            yield f"is {own[0].status}, not {self.case.status}: {own[0].reason}"
        if not own[0].reason:
            yield "gives no reason"
        if len(own[0].evidence.get("excerpt", ())) > _EXCERPT:
            yield f"its excerpt is longer than {_EXCERPT}"
        yield from _broken(news)
        for one in (own[0].to_data(), evaluator.kpis()):
            if json.loads(canonical_json(one)) != one:
                yield "its evidence or its figures do not come back from JSON as they were"

    def _same_problems(self, told: str) -> Iterator[str]:
        if self._told(self.case.samples) != told:
            yield "the same stream brings something else the second time"
        beside = Evaluator(self._plan(), self.mode, types=self.types)
        other = Evaluator(self._plan(), self.mode, types=self.types)
        lines: list[Result] = []
        for sample in self.case.samples:
            lines += beside.feed(sample)
            other.feed(sample)
        if _text(beside, lines) != told:
            yield "two checkers of the type are not independent of each other"
        recorded = "".join(map(format_sample, self.case.samples)).encode()
        for size in (1, 7, len(recorded)):
            parser = SampleParser()
            chunks = (recorded[at : at + size] for at in range(0, len(recorded), size))
            if self._told([one for chunk in chunks for one in parser.feed(chunk)]) != told:
                yield f"a stream read in chunks of {size} bytes brings something else"
        for seconds in _SHIFTS_S:
            later = [shifted(sample, seconds) for sample in self.case.samples]
            if not _alike(self._told(later), told):
                yield f"a timeline that starts {seconds} s later brings something else"
        if any(self._told(mixed) != told for mixed in with_foreign(self.case.samples)):
            yield "samples of other vehicles, topics and nodes change what it brings"

    def _damage_problems(self) -> Iterator[str]:
        seen: set[str] = set()
        for what, stream in damaged(self.case.samples):
            for completed in (True, False):
                evaluator, news = self._run(stream, completed=completed)
                own = [one for one in news if one.name == self.case.assertion["name"]]
                problems = list(_broken(news))
                if len(own) != 1 or own[0].status not in {PASSED, FAILED, SKIPPED}:
                    problems.append(f"gives {len(own)} verdicts")
                canonical_json(evaluator.kpis())
                seen.update(f"{what}: {problem}" for problem in problems)
        yield from sorted(seen)

    def _blind_problems(self) -> Iterator[str]:
        status, reason, _ = self._seen(without_data(self.case.samples))
        if status == PASSED and not self.kind.passes_without_data:
            how = "a type that is meant to says passes_without_data = True"
            yield f"passes without any data: {reason} ({how})"
        seen: set[str] = set()
        for stream in with_nan(self.case.samples):
            status, reason, _ = self._seen(stream)
            if status == PASSED and self.case.status == FAILED:
                seen.add(f"a sample more whose numbers are NaN makes it pass: {reason}")
        streams = [list(self.case.samples), *with_nan(self.case.samples)]
        for stream in [*streams, *(stream for _, stream in damaged(self.case.samples))]:
            status, reason, metrics = self._seen(stream)
            if status != PASSED:
                continue
            if _NO_NUMBER.search(reason):
                seen.add(f"passes with a number that is none: {reason}")
            for name, value in metrics.items():
                if isinstance(value, float) and not math.isfinite(value):
                    seen.add(f"passes although its metric {name} is {value}")
        yield from sorted(seen)

    def _seen(self, samples: Iterable[Sample]) -> tuple[str, str, dict[str, Any]]:
        """Return the verdict on a stream, its reason, and what its checker has measured."""
        made: list[Checker] = []

        def checker(kind: AssertionType, planned: PlannedAssertion) -> Checker:
            made.append(self.kind.checker(kind, planned))
            return made[-1]

        spied = type(self.kind.__name__, (self.kind,), {"checker": checker})
        evaluator = Evaluator(
            self._plan(), self.mode, types={**self.types, self.kind.type: spied()}
        )
        news = [result for sample in samples for result in evaluator.feed(sample)]
        news += evaluator.finish(None, completed=True)
        for one in news:
            if one.name == self.case.assertion["name"]:
                own = next(each for each in made if each.planned.spec.name == one.name)
                measured = {name: value for name, (value, _) in own.metrics().items()}
                return one.status, one.reason, measured
        return "", "", {}

    def _plan(self) -> dict[str, Any]:
        return {"assertions": [*self.case.others, self.case.assertion]}

    def _run(
        self, samples: Iterable[Sample], *, completed: bool = False
    ) -> tuple[Evaluator, list[Result]]:
        evaluator = Evaluator(self._plan(), self.mode, types=self.types)
        news = [result for sample in samples for result in evaluator.feed(sample)]
        return evaluator, news + evaluator.finish(None, completed=completed)

    def _told(self, samples: Iterable[Sample]) -> str:
        """Return all that a stream brings: the verdicts in order, and the figures."""
        return _text(*self._run(samples))


def _text(evaluator: Evaluator, news: Iterable[Result]) -> str:
    return "".join(one.to_line() for one in news) + canonical_json(evaluator.kpis())


def _broken(news: Iterable[Result]) -> Iterator[str]:
    for one in news:
        if one.reason.startswith("its checker raised"):
            yield one.reason
        elif one.reason == "its checker gave no verdict":
            yield "gives no verdict at the end of the timeline"


def _alike(told: str, other: str) -> bool:
    """Return whether two texts say the same but for simulation times and the last bits of floats.

    Only one of a shifted stream's times may differ: the simulation's.
    """
    lines = zip(told.splitlines(), other.splitlines(), strict=False)
    same_length = len(told.splitlines()) == len(other.splitlines())
    return same_length and all(
        _timeless(json.loads(one)) == _timeless(json.loads(two)) for one, two in lines
    )


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _timeless(item) for key, item in value.items() if key != "sim_s"}
    if isinstance(value, list):
        return [_timeless(item) for item in value]
    return round(value, 6) if isinstance(value, float) else value
