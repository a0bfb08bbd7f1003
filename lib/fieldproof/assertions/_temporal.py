"""What always, never and eventually share: a condition over named signals, followed over time."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field, model_validator

from fieldproof.assertions._checker import WindowedChecker
from fieldproof.assertions._result import FAILED
from fieldproof.assertions._type import WindowedSpec
from fieldproof.kpis import Metrics, brief, number, rounded
from fieldproof.model import (
    ConditionError,
    ConditionEvaluationError,
    Name,
    Problem,
    Signal,
    compile_condition,
    fault,
    faults,
    shown,
    signal_name_fault,
)
from fieldproof.plan import PlanContext, PlannedAssertion
from fieldproof.samples import NO_VALUE, BySubject, PlannedSignal, Sample, Subject

METRICS: Mapping[str, str] = {
    "evaluations": "how often the condition was evaluated",
    "satisfied_at_s": "when it was first satisfied, for as long as asked",
    "longest_hold_s": "the longest it held without a break",
}


class TemporalSpec(WindowedSpec):
    """A condition over several named signals."""

    vehicle: Name | None = Field(default=None, description="Whose signals they are by default.")
    signals: Annotated[dict[str, Signal], Field(min_length=1, max_length=64)] = Field(
        description="What the condition reads, by the names it reads it under."
    )
    condition: str = Field(description="A condition over the signals' names.")

    @model_validator(mode="after")
    def _condition_reads_the_signals(self) -> "TemporalSpec":
        found = list(self._bad_names())
        if found:
            raise faults(type(self).__name__, found)
        try:
            condition = compile_condition(self.condition, self.signals)
        except ConditionError as error:
            path = ("condition",)
            raise fault(error.what, hint=error.hint, offset=error.offset, path=path) from error
        unread = [
            Problem("is not read by the condition", ("signals", name))
            for name in self.signals
            if name not in condition.names
        ]
        if unread:
            raise faults(type(self).__name__, unread)
        return self

    def _bad_names(self) -> Iterator[Problem]:
        for name in self.signals:
            what = signal_name_fault(name)
            if what:
                yield Problem(what, ("signals", name))

    def vehicle_names(self) -> tuple[str, ...]:
        """Return the vehicles of the assertion and of its signals."""
        names = (self.vehicle, *(signal.vehicle for signal in self.signals.values()))
        return tuple(name for name in names if name is not None)


def planned_signals(spec: TemporalSpec, context: PlanContext) -> PlannedAssertion:
    """Return the assertion with its signals resolved."""
    signals = {
        name: context.signal(signal, spec.vehicle, at=("signals", name))
        for name, signal in spec.signals.items()
    }
    watches = [watch for signal in signals.values() for watch in signal.watches()]
    return PlannedAssertion(spec, resolved={"signals": signals}, watches=tuple(watches))


@dataclass(slots=True)
class _Source:
    """The signals that samples of one subject carry, and when the newest of these was."""

    readers: list[tuple[str, Callable[[Sample], Any]]] = field(default_factory=list)
    newest_s: float = -math.inf


class TemporalChecker(WindowedChecker):
    """Evaluates the condition whenever one of the signals is seen, once all have a value.

    Values from before the window are known in it; the condition is evaluated in it only. A sample
    older than the last of its subject is judged with the values at hand, if `late_counts`, and
    then forgotten. The signals of a model that is gone have no value until it is back. What a
    derived class makes of an evaluation it says in `judge`.
    """

    late_counts = True

    def __init__(self, planned: PlannedAssertion) -> None:
        super().__init__(planned)
        assert isinstance(planned.spec, TemporalSpec)
        self.text = planned.spec.condition
        self.held_since_s: float | None = None
        self.evaluations = 0
        self._condition = compile_condition(self.text, planned.spec.signals)
        self._signals = {
            name: PlannedSignal.from_data(data)
            for name, data in planned.resolved["signals"].items()
        }
        self._wanted = len(self._signals)
        self._sources: dict[Subject, _Source] = {}
        for name, signal in self._signals.items():
            source = self._sources.setdefault(signal.subject, _Source())
            source.readers.append((name, signal.reader()))
        self._source = BySubject(self._sources)
        self._values: dict[str, Any] = {}
        self._shown: dict[str, Any] = {}
        self._satisfied_s: float | None = None
        self._longest_s = 0.0
        self._decisive: dict[str, Any] = {}

    def subjects(self) -> tuple[Subject, ...]:
        """The signals' subjects, the errors of reading fields, and models that are gone."""
        errors = [("field_error", *one[1:]) for one in self._sources if one[0] == "value"]
        vanishing = [("gone", one[1]) for one in self._sources if one[0] == "pose"]
        return (*self._sources, *errors, *vanishing)

    def on_sample(self, sample: Sample, t: float) -> None:
        """Take the signals that a sample carries, and evaluate the condition."""
        if sample.kind == "field_error":
            data = sample.data
            what = f"{data['topic']} {data['field']}: {data['message']}"
            self.resolve(FAILED, what, max(t, 0.0), sample.sim)
            return
        if sample.kind == "gone":
            self._forget(self._sources["pose", sample.data["model"]], t)
            return
        source = self._source.of(sample)
        assert source is not None
        late = t < source.newest_s
        if late and not (self.late_counts and self.result is None):
            return
        values = dict(self._values) if late else self._values
        shown = dict(self._shown) if late else self._shown
        changed = False
        for name, read in source.readers:
            value = read(sample)
            if value is not NO_VALUE:
                values[name] = value
                shown[name] = value if type(value) is float else brief(value)
                changed = True
        if not late:
            source.newest_s = t
        if changed and self.after_s <= t <= self.until_s and len(values) == self._wanted:
            self._evaluate(values, shown, sample, t, late=late)

    def judge(self, sample: Sample, t: float, shown: Mapping[str, Any], *, holds: bool) -> None:
        """Give a verdict where an evaluation decides it."""
        raise NotImplementedError

    def decide(
        self, status: str, reason: str, t: float, sim: float | None, shown: Mapping[str, Any]
    ) -> None:
        """Give a verdict with the values that decided it."""
        if self.result is None:
            key = "violation" if status == FAILED else "satisfied"
            self._decisive = {key: {"t_s": t, "sim_s": sim, "values": dict(shown)}}
            self.resolve(status, reason, t, sim)

    def satisfied(self, t: float) -> None:
        """Remember when the condition was first satisfied as asked."""
        if self._satisfied_s is None:
            self._satisfied_s = t

    def hold_lasts(self, t: float) -> None:
        """Learn that a hold, where there is one, lasts up to a time."""
        if self.held_since_s is not None:
            self._longest_s = max(self._longest_s, t - self.held_since_s)

    def on_window_end(self, t: float, when: str) -> None:
        """Fail what was never evaluated; leave the rest to `on_close`."""
        self.hold_lasts(t)
        if self.evaluations:
            self.on_close(t, when)
            return
        unseen = [self._what(name) for name in self._signals if name not in self._values]
        if unseen:
            self.resolve(FAILED, f"{' and '.join(unseen)} had no value {when}", t)
        else:
            self.resolve(FAILED, f"none of its signals was seen in the window {when}", t)

    def on_close(self, t: float, when: str) -> None:
        """Give the verdict of a window in which the condition was evaluated."""
        raise NotImplementedError

    def evidence(self) -> Mapping[str, Any]:
        """How often it was evaluated, the last values, and those that decided."""
        return {
            "evaluations": self.evaluations,
            "last_values": dict(self._shown),
            "held_since_t_s": self.held_since_s,
            **self._decisive,
        }

    def metrics(self) -> Metrics:
        """A number of evaluations, and times in seconds."""
        return {
            "evaluations": (self.evaluations, ""),
            "satisfied_at_s": (self._satisfied_s, "s"),
            "longest_hold_s": (rounded(self._longest_s), "s"),
        }

    def last(self) -> Mapping[str, Any]:
        """Return the newest values as evidence shows them."""
        return self._shown

    def _forget(self, source: _Source, t: float) -> None:
        """Know no value of a model that is gone: it has none, and what was held ends."""
        if t < source.newest_s:
            return
        source.newest_s = t
        for name, _ in source.readers:
            self._values.pop(name, None)
        self.hold_lasts(min(t, self.until_s))
        self.held_since_s = None

    def _evaluate(
        self,
        values: dict[str, Any],
        shown: dict[str, Any],
        sample: Sample,
        t: float,
        *,
        late: bool,
    ) -> None:
        if self.result is None:
            self.note(t, sample, values=shown.copy())
        try:
            holds = self._condition(values)
        except ConditionEvaluationError as error:
            self.decide(FAILED, f"cannot be judged at {number(t)} s: {error}", t, sample.sim, shown)
            return
        self.evaluations += 1
        if self.held_since_s is not None and not late:
            self.hold_lasts(t)
            if not holds:
                self.held_since_s = None
        elif holds and not late:
            self.held_since_s = t
        self.judge(sample, t, shown, holds=holds)

    def _what(self, name: str) -> str:
        signal = self._signals[name]
        where = f"{signal.topic} {signal.field}" if signal.topic else signal.metric
        return f"{name} ({where}{f' of {signal.model}' if signal.model else ''})"


def worded(shown_values: Mapping[str, Any]) -> str:
    """Return values for a sentence, in full: it is the condition that says what they differ by."""
    return ", ".join(
        f"{name} {repr(value).removesuffix('.0') if isinstance(value, float) else shown(value)}"
        for name, value in shown_values.items()
    )
