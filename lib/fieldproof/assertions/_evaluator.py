import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from fieldproof.assertions._checker import Checker
from fieldproof.assertions._order import settled_last
from fieldproof.assertions._registry import assertion_types
from fieldproof.assertions._result import FAILED, PENDING, SKIPPED, Result
from fieldproof.assertions._type import AssertionType
from fieldproof.kpis import Measured, kpi_map
from fieldproof.model import ScenarioError, nearest, printable, validated
from fieldproof.plan import PlannedAssertion
from fieldproof.samples import NS_PER_S, Sample, Subject, TimelineOrigin, subject_of, to_ns

SCHEMA_VERSION = 1
_COMPLETED = "completed"


class EvaluationError(ValueError):
    """An evaluation plan cannot be carried out; the text says why."""


class Evaluator:
    """Gives a run's verdicts from its samples, live or recorded, with the same result to the byte.

    It is driven by the stream alone. Each sample first moves time on, which ends deadlines, and
    is then handed to the checkers that want its subject. The `timeline` sample with event `start`
    sets the origin of time; the one with event `end` finishes: if its status is `completed` the
    checkers give their last verdicts, else what is pending is skipped.

    Of the time before the start, the last sample of each subject is kept and handed over at the
    start, with its negative time, so that a value that is published only once is known.
    A sample that lacks the mode's clock comes at the present time. One from the past (they may
    arrive out of order) is handed over with its own time, and time does not move back.

    A checker that raises fails its assertion with the exception as the reason.
    """

    def __init__(
        self,
        evaluation: Mapping[str, Any],
        mode: str,
        *,
        types: Mapping[str, AssertionType] | None = None,
    ) -> None:
        """Prepare the checkers of an evaluation plan.

        Args:
            evaluation: The content of evaluation.json.
            mode: The run's time mode: `lockstep`, `sim` or `realtime`.
            types: The assertion types by name; those that are installed when None.

        Raises:
            EvaluationError: The plan is of a newer version, names an unknown type, has two
                assertions of one name, or assertions that wait for each other.
        """
        self._mode = mode
        self._checkers = _checkers(evaluation, assertion_types() if types is None else types)
        names = {one.planned.spec.name: one.depends_on() for one in self._checkers}
        try:
            order = settled_last(names)
        except ValueError as error:
            raise EvaluationError(str(error)) from error
        by_name = {one.planned.spec.name: one for one in self._checkers}
        self._settling = [by_name[name] for name in order]
        self._place = {id(one): place for place, one in enumerate(self._checkers)}
        self._by_subject: dict[Subject, list[Checker]] = {}
        self._everything: list[Checker] = []
        self._interested = self._subscribe()
        self._origin: TimelineOrigin | None = None
        self._before: dict[Subject, Sample] = {}
        self._now = -math.inf
        self._due = -math.inf
        self._sample: tuple[float, float | None] | None = None
        self._fresh: list[Checker] = []
        self._resolved: list[Result] = []
        self._broken: set[int] = set()
        self._finished = False

    @property
    def finished(self) -> bool:
        """Whether the timeline has ended; further samples change nothing."""
        return self._finished

    @property
    def abort(self) -> Result | None:
        """The first failure that ends the timeline (`on_fail: abort`)."""
        return next((one for one in self._resolved if one.aborts), None)

    def feed(self, sample: Sample) -> list[Result]:
        """Take the next sample of the stream and return the verdicts that it brings."""
        if self._finished:
            return []
        origin = self._origin
        if origin is None or sample.kind == "timeline":
            return self._edge(sample)
        t_ns = origin.t_ns(sample)
        t = self._now if t_ns is None else t_ns / NS_PER_S
        news = self._advance(t) if t > self._now else []
        self._deliver(sample, t)
        return news + self._take() if self._fresh else news

    def finish(self, t: float | None, *, completed: bool, status: str = "") -> list[Result]:
        """End the evaluation and return the last verdicts; does nothing the second time.

        Args:
            t: Seconds after the timeline's start; None for the time of the last sample.
            completed: Whether the timeline ran to its end; if not, what is pending is skipped.
            status: How the run ended otherwise, for the reason.
        """
        if self._finished:
            return []
        started = self._origin is not None
        news: list[Result] = []
        if started and t is not None and t > self._now:
            news += self._advance(t)
        self._finished = True
        end = max(self._now, 0.0) if started else None
        for checker in self._settling:
            if checker.done:
                continue
            if completed and end is not None:
                self._call(checker, checker.on_finish, end)
                if not checker.done:
                    checker.resolve(FAILED, "its checker gave no verdict", end)
                news += self._take()
            else:
                how = f" ({status})" if status else ""
                why = (
                    "the run ended before it was decided"
                    if started
                    else "the timeline never started"
                )
                self._call(checker, checker.resolve, SKIPPED, f"{why}{how}", end)
                news += self._take(tell=False)
        return news

    def results(self) -> list[Result]:
        """Return the state of every assertion, in the scenario's order; `pending` ones included."""
        return [
            one.result or Result(one.planned.spec.name, one.planned.spec.type, PENDING)
            for one in self._checkers
        ]

    def resolved(self) -> list[Result]:
        """Return the verdicts in the order in which they were given."""
        return list(self._resolved)

    def kpis(self) -> dict[str, dict[str, Any]]:
        """Return what the checkers have measured until now, as the run's flat map of figures.

        A checker goes on measuring after its verdict, so this may differ from the verdict's own
        metrics, which are of that moment.
        """
        measured = []
        for checker in self._checkers:
            spec = checker.planned.spec
            metrics = self._call(checker, checker.metrics) or {}
            measured.append(Measured(spec.name, f"assertion:{spec.type}", metrics))
        return kpi_map(measured)

    def _subscribe(self) -> Callable[[Subject], Iterable[Checker]]:
        for checker in self._checkers:
            checker.when_resolved = self._note_verdict
            subjects = checker.subjects()
            if subjects is None:
                self._everything.append(checker)
                continue
            for subject in dict.fromkeys(subjects):
                self._by_subject.setdefault(subject, []).append(checker)
        if not self._everything:
            return lambda subject: tuple(self._by_subject.get(subject, ()))
        return lambda subject: (*self._by_subject.get(subject, ()), *self._everything)

    def _note_verdict(self, checker: Checker) -> None:
        self._fresh.append(checker)

    def _edge(self, sample: Sample) -> list[Result]:
        """Take a sample from before the start, or one that marks the timeline's start or end."""
        if sample.kind != "timeline":
            subject = subject_of(sample)
            if self._interested(subject):
                self._before.pop(subject, None)
                self._before[subject] = sample
            return []
        if sample.data["event"] == "start":
            return [] if self._origin else self._start(sample)
        t_ns = self._origin.t_ns(sample) if self._origin else None
        t = None if t_ns is None else t_ns / NS_PER_S
        news = []
        if self._origin is not None:
            news += self._advance(self._now if t is None else t)
            self._deliver(sample, self._now if t is None else t)
        status = str(sample.data.get("status", ""))
        return news + self.finish(t, completed=status == _COMPLETED, status=status)

    def _start(self, sample: Sample) -> list[Result]:
        origin = self._origin = TimelineOrigin.of(sample, self._mode)
        for earlier in self._before.values():
            t_ns = origin.t_ns(earlier)
            if t_ns is not None:
                self._deliver(earlier, t_ns / NS_PER_S)
        self._before.clear()
        news = self._take()
        news += self._advance(0.0)
        self._deliver(sample, 0.0)
        return news + self._take()

    def _advance(self, t: float) -> list[Result]:
        if t <= self._now:
            return []
        self._now = t
        if t < self._due:
            return []
        self._sample = None
        for checker in self._checkers:
            if not checker.done and (checker.due_s is None or t >= checker.due_s):
                self._call(checker, checker.on_tick, t)
        self._due = min(map(_due_of, self._checkers), default=math.inf)
        return self._take()

    def _deliver(self, sample: Sample, t: float) -> None:
        self._sample = (t, sample.sim)
        for checker in self._interested(subject_of(sample)):
            try:
                checker.on_sample(sample, t)
            except Exception as error:  # noqa: BLE001 - a plugin's checker may raise anything
                self._break(checker, error)
            if checker.result is None:
                self._due = min(self._due, _due_of(checker))
        if sample.kind == "action":
            label, event = sample.data["label"], sample.data["event"]
            status = str(sample.data.get("status", ""))
            for checker in self._checkers:
                self._call(checker, checker.on_action, label, event, t, status)
                self._due = min(self._due, _due_of(checker))

    def _take(self, *, tell: bool = True) -> list[Result]:
        """Close the verdicts given since the last call and tell the other checkers of them."""
        news: list[Result] = []
        while self._fresh:
            fresh, self._fresh = self._fresh, []
            fresh.sort(key=self._when)
            for checker in fresh:
                result = checker.result = self._with_sim_time(checker.result)
                news.append(result)
                self._resolved.append(result)
                for other in self._checkers if tell else ():
                    if not other.done:
                        self._call(other, other.on_verdict, result, result.t_s)
                        self._due = min(self._due, _due_of(other))
        return news

    def _when(self, checker: Checker) -> tuple[float, int]:
        t_s = checker.result.t_s if checker.result else None
        return (math.inf if t_s is None else t_s, self._place[id(checker)])

    def _with_sim_time(self, result: Result | None) -> Result:
        assert result is not None
        if result.sim_s is not None or result.t_s is None:
            return result
        if self._mode == "lockstep" and self._origin and self._origin.sim is not None:
            sim_s = (to_ns(self._origin.sim) + to_ns(result.t_s)) / NS_PER_S
            return replace(result, sim_s=sim_s)
        if self._sample is not None and self._sample[0] == result.t_s:
            return replace(result, sim_s=self._sample[1])
        return result

    def _call(self, checker: Checker, hook: Callable[..., Any], *args: Any) -> Any:
        if id(checker) in self._broken:
            return None
        try:
            return hook(*args)
        except Exception as error:  # noqa: BLE001 - a plugin's checker may raise anything
            self._break(checker, error)
            return None

    def _break(self, checker: Checker, error: Exception) -> None:
        """Fail the assertion of a checker that raised, and leave the checker alone from now on."""
        self._broken.add(id(checker))
        for listening in (*self._by_subject.values(), self._everything):
            listening[:] = [one for one in listening if one is not checker]
        if checker.result is None:
            what = printable(f"{type(error).__name__}: {error}")
            spec = checker.planned.spec
            checker.result = Result(
                spec.name,
                spec.type,
                FAILED,
                f"its checker raised {what}",
                None if self._origin is None else max(self._now, 0.0),
                evidence={"error": what},
                on_fail=getattr(spec, "on_fail", "continue"),
            )
            self._fresh.append(checker)


def _due_of(checker: Checker) -> float:
    """Return when the checker wants its next tick."""
    if checker.result is not None:
        return math.inf
    return -math.inf if checker.due_s is None else checker.due_s


def _checkers(evaluation: Mapping[str, Any], types: Mapping[str, AssertionType]) -> list[Checker]:
    version = evaluation.get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        raise EvaluationError(f"the plan is of version {version}, this is {SCHEMA_VERSION}")
    if evaluation.get("kpis"):
        raise EvaluationError(f"unknown collector type {evaluation['kpis'][0].get('type')}")
    checkers: dict[str, Checker] = {}
    for data in evaluation["assertions"]:
        name, kind = data["name"], types.get(data["type"])
        if kind is None:
            hint = nearest(data["type"], types)
            raise EvaluationError(f"assertion {name}: unknown type {data['type']} ({hint})")
        if name in checkers:
            raise EvaluationError(f"two assertions are called {name}")
        try:
            spec = validated(kind.Spec, data["spec"])
        except ScenarioError as error:
            raise EvaluationError(f"assertion {name}: {error}") from error
        checkers[name] = kind.checker(PlannedAssertion.from_data(data, spec))
    return list(checkers.values())
