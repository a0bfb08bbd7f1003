import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from fieldproof.assertions._checker import Checker
from fieldproof.assertions._listeners import Listeners
from fieldproof.assertions._prepared import EvaluationError, asked, checkers_of, collectors_of
from fieldproof.assertions._registry import assertion_types
from fieldproof.assertions._result import FAILED, PENDING, SKIPPED, Result
from fieldproof.assertions._type import AssertionType
from fieldproof.kpis import (
    MISSING,
    Collector,
    CollectorResult,
    CollectorType,
    Measured,
    kpi_map,
    kpi_types,
)
from fieldproof.model import legible, printable
from fieldproof.plan import settled_last
from fieldproof.samples import (
    NS_PER_S,
    Sample,
    Subject,
    TimelineOrigin,
    subject_of,
    to_ns,
)

_COMPLETED = "completed"


class Evaluator:
    """Gives a run's verdicts and figures from its samples, the same live and recorded, to the byte.

    It is driven by the stream alone. Each sample first moves time on, which ends deadlines, and
    is then handed to the checkers and collectors that want its subject. The `timeline` sample with
    event `start` sets the origin of time; the one with event `end` finishes: if its status is
    `completed` the checkers give their last verdicts, else what is pending is skipped.

    Of the time before the start, the last sample of each subject is kept and handed over at the
    start, with its negative time, so that a value that is published only once is known. A value
    of a latched topic (`latched` in its sample) holds until the next: it comes at time 0.
    A sample that lacks the mode's clock comes at the present time. One from the past (they may
    arrive out of order) is handed over with its own time, and time does not move back.

    A checker that raises fails its assertion with the exception as the reason; a collector that
    raises has measured nothing.
    """

    def __init__(
        self,
        evaluation: Mapping[str, Any],
        mode: str,
        *,
        types: Mapping[str, AssertionType] | None = None,
        collectors: Mapping[str, CollectorType] | None = None,
    ) -> None:
        """Prepare the checkers and collectors of an evaluation plan.

        Args:
            evaluation: The content of evaluation.json.
            mode: The run's time mode: `lockstep`, `sim` or `realtime`.
            types: The assertion types by name; those that are installed when None.
            collectors: The collectors by their type; all there are when None.

        Raises:
            EvaluationError: The plan is of a newer version, names an unknown type, has two
                assertions of one name, or assertions that wait for each other.
        """
        self._lockstep = mode == "lockstep"
        self._mode = mode
        self._checkers = checkers_of(evaluation, assertion_types() if types is None else types)
        known = kpi_types() if collectors is None else collectors
        self._collectors = collectors_of(evaluation, known)
        names = {one.planned.spec.name: tuple(asked(one, one.depends_on)) for one in self._checkers}
        try:
            order = settled_last(names)
        except ValueError as error:
            raise EvaluationError(str(error)) from error
        by_name = {one.planned.spec.name: one for one in self._checkers}
        self._settling = [by_name[name] for name in order]
        self._free = [one for one in self._checkers if not names[one.planned.spec.name]]
        self._waiting = [one for one in self._settling if names[one.planned.spec.name]]
        self._place = {id(one): place for place, one in enumerate(self._checkers)}
        for checker in self._checkers:
            checker.when_resolved = self._fresh_one
        self._listeners = Listeners(self._checkers, self._collectors)
        self._told, self._everybody = self._listeners.table()
        self._broken: dict[int, str] = {}
        self._origin: TimelineOrigin | None = None
        self._before: dict[Subject, Sample] = {}
        self._now = -math.inf
        self._due = -math.inf
        self._clock: float | None = None
        self._clock_t = 0.0
        self._at: float | None = None
        self._sim: float | None = None
        self._fresh: list[Checker] = []
        self._resolved: list[Result] = []
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
        if self._origin is None or sample.kind == "timeline":
            return self._edge(sample)
        clock = sample.sim if self._lockstep else sample.wall
        if clock is not None and clock == self._clock:
            t = self._clock_t
        else:
            t_ns = self._origin.t_ns(sample)
            t = self._now if t_ns is None else t_ns / NS_PER_S
            self._clock, self._clock_t = clock, t
        news: list[Result] = []
        if t > self._now:
            if t < self._due:
                self._now = t
            else:
                news = self._advance(t)
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
        if completed and end is not None:
            for collector in self._collectors:
                self._call(collector, collector.on_finish, end)
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

    def collectors(self) -> list[CollectorResult]:
        """Return what the collectors have measured until now, in the scenario's order."""
        results = []
        for collector in self._collectors:
            result = self._call(collector, CollectorResult.of, collector)
            if result is None:
                spec, why = collector.planned.spec, self._broken[id(collector)]
                reason = f"its collector raised {why}"
                result = CollectorResult(spec.name, spec.type, MISSING, reason, {"error": why})
            results.append(result)
        return results

    def kpis(self) -> dict[str, dict[str, Any]]:
        """Return what was measured until now, as the run's flat map of figures.

        A checker goes on measuring after its verdict, so this may differ from the verdict's own
        metrics, which are of that moment.
        """
        measured = []
        measuring: tuple[tuple[str, Iterable[Checker | Collector]], ...] = (
            ("assertion", self._checkers),
            ("kpi", self._collectors),
        )
        for source, ones in measuring:
            for one in ones:
                spec = one.planned.spec
                metrics = self._call(one, one.metrics) or {}
                measured.append(Measured(spec.name, f"{source}:{spec.type}", metrics))
        return kpi_map(measured)

    def _fresh_one(self, checker: Checker) -> None:
        self._fresh.append(checker)

    def _edge(self, sample: Sample) -> list[Result]:
        """Take a sample from before the start, or one that marks the timeline's start or end."""
        if sample.kind != "timeline":
            if self._everybody or self._told.of(sample) is not None:
                subject = subject_of(sample)
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
        for earlier in sorted(self._before.values(), key=_is_latched):
            t_ns = origin.t_ns(earlier)
            if t_ns is not None:
                self._deliver(earlier, 0.0 if _is_latched(earlier) else t_ns / NS_PER_S)
        self._before.clear()
        news = self._take()
        news += self._advance(0.0)
        self._deliver(sample, 0.0)
        return news + self._take()

    def _advance(self, t: float) -> list[Result]:
        """Move time on. Those that wait for others' verdicts learn of these before it."""
        if t <= self._now:
            return []
        self._now = t
        if t < self._due:
            return []
        self._at = None
        self._tick(self._free, t)
        news = self._take()
        for checker in self._waiting:
            self._tick((checker,), t)
            news += self._take()
        self._due = min(map(_due_of, self._checkers), default=math.inf)
        return news

    def _tick(self, checkers: Iterable[Checker], t: float) -> None:
        for checker in checkers:
            if checker.result is None and (checker.due_s is None or t >= checker.due_s):
                self._call(checker, checker.on_tick, t)

    def _deliver(self, sample: Sample, t: float) -> None:
        self._at, self._sim = t, sample.sim
        told = self._told.of(sample)
        checkers, collectors = (self._everybody, ()) if told is None else told
        for checker in checkers:
            try:
                checker.on_sample(sample, t)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin's checker may raise anything
                self._break(checker, error)
            due = checker.due_s
            if (due is None or due < self._due) and checker.result is None:
                self._due = -math.inf if due is None else due
        for collector in collectors:
            try:
                collector.on_sample(sample, t)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - as above
                self._break(collector, error)
        if sample.kind == "action":
            label, event = sample.data["label"], sample.data["event"]
            status = str(sample.data.get("status", ""))
            for checker in self._checkers:
                self._call(checker, checker.on_action, label, event, t, status)
                self._heed(checker)
            for collector in self._collectors:
                self._call(collector, collector.on_action, label, event, t, status)

    def _heed(self, checker: Checker) -> None:
        """Keep in mind when a checker wants its next tick."""
        if checker.result is None:
            due = checker.due_s
            if due is None:
                self._due = -math.inf
            elif due < self._due:
                self._due = due

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
                        self._heed(other)
        return news

    def _when(self, checker: Checker) -> tuple[float, int]:
        t_s = checker.result.t_s if checker.result else None
        return (math.inf if t_s is None else t_s, self._place[id(checker)])

    def _with_sim_time(self, result: Result | None) -> Result:
        assert result is not None
        if result.sim_s is not None or result.t_s is None:
            return result
        if self._lockstep and self._origin and self._origin.sim is not None:
            sim_s = (to_ns(self._origin.sim) + to_ns(result.t_s)) / NS_PER_S
            return replace(result, sim_s=sim_s)
        if self._at == result.t_s:
            return replace(result, sim_s=self._sim)
        return result

    def _call(self, one: Checker | Collector, hook: Callable[..., Any], *args: Any) -> Any:
        if id(one) in self._broken:
            return None
        try:
            return hook(*args)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin's checker may raise anything
            self._break(one, error)
            return None

    def _break(self, one: Checker | Collector, error: BaseException) -> None:
        """Leave one that raised alone from now on, and fail its assertion if it is a checker."""
        what = self._broken[id(one)] = printable(legible(f"{type(error).__name__}: {error}"))
        self._listeners.drop(one)
        self._told, self._everybody = self._listeners.table()
        if isinstance(one, Collector):
            return
        if one.result is None:
            spec = one.planned.spec
            one.result = Result(
                spec.name,
                spec.type,
                FAILED,
                f"its checker raised {what}",
                None if self._origin is None else max(self._now, 0.0),
                evidence={"error": what},
                on_fail=getattr(spec, "on_fail", "continue"),
            )
            self._fresh.append(one)


def _is_latched(sample: Sample) -> bool:
    return bool(sample.data.get("latched"))


def _due_of(checker: Checker) -> float:
    """Return when the checker wants its next tick."""
    if checker.result is not None:
        return math.inf
    return -math.inf if checker.due_s is None else checker.due_s
