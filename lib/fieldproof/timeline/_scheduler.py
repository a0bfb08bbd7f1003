import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fieldproof.model import Duration
from fieldproof.samples import Sample
from fieldproof.timeline._entries import Entry
from fieldproof.timeline._occurrences import (
    CANCELLED,
    ENDED,
    FAILED,
    OK,
    SKIPPED,
    Change,
    Kind,
    Occurrence,
)
from fieldproof.timeline._watching import Watching


@dataclass(slots=True, eq=False)
class _State:
    entry: Entry
    index: int
    missing: set[str] = field(default_factory=set)
    followers: "list[_State]" = field(default_factory=list)
    due_ns: int | None = None
    started: int = 0
    running: Occurrence | None = None
    done: bool = False

    @property
    def repeats_passively(self) -> bool:
        trigger = self.entry.trigger
        return trigger.every_ns is not None and trigger.is_passive


class Scheduler:
    """Decides what of a timeline starts when; holds no clock and starts nothing itself.

    The caller tells it what time it is (`advance`), what was observed (`on_sample`) and what
    ended (`ended`), in the order in which these happened, and starts what `advance` hands out.
    When two happen at the same time, ends and samples come before `advance`. Limits include
    their own moment: a `when` may trigger, and a repeated entry may start, at exactly
    `within_ns` and `until_ns`.

    A repeated entry starts again one period after its previous start was due, or when the
    previous occurrence ends, if that is later. Passive entries start while the rest of the
    timeline goes on, and for the first time also at the moment it stops. An occurrence that
    fails ends the timeline: nothing starts any more and `finished` is true; the caller cancels
    what still runs.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._states = [_State(entry, index) for index, entry in enumerate(entries)]
        by_label = {state.entry.label: state for state in self._states}
        if len(by_label) != len(self._states):
            raise ValueError("two entries of the timeline have the same label")
        self._due: list[tuple[int, int]] = []
        self._passive_due: list[tuple[int, int]] = []
        self._expiring: list[tuple[int, int]] = []
        self._watching = Watching()
        self._running: dict[str, _State] = {}
        self._keeping = 0
        self._rest_ended_ns: int | None = None
        self._now_ns = -1
        self._occurrences: list[Occurrence] = []
        self._changes: list[Change] = []
        self._failure: Occurrence | None = None
        for state in self._states:
            self._arm(state, by_label)
        self._look_at_the_rest()

    @classmethod
    def from_plan(cls, timeline: Iterable[Mapping[str, Any]]) -> "Scheduler":
        """Return the scheduler of an execution plan's timeline.

        Raises:
            ValueError: Two entries have one label, `after` names no entry, or a condition is none.
        """
        return cls(Entry.from_data(data) for data in timeline)

    @property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """Every occurrence that started or was skipped, in the order in which that happened."""
        return tuple(self._occurrences)

    @property
    def running(self) -> tuple[Occurrence, ...]:
        """The occurrences that run, in the order in which they started."""
        return tuple(state.running for state in self._running.values() if state.running)

    @property
    def failure(self) -> Occurrence | None:
        """The first occurrence that failed, which ends the timeline."""
        return self._failure

    @property
    def waiting(self) -> tuple[str, ...]:
        """Labels of the entries that wait for their trigger or their time."""
        return tuple(s.entry.label for s in self._states if not s.done and s.running is None)

    def awaited(self) -> dict[str, str]:
        """Return what each entry of `waiting` waits for, in words."""
        return {
            state.entry.label: state.entry.trigger.awaits(state.due_ns, state.missing)
            for state in self._states
            if not state.done and state.running is None
        }

    @property
    def next_due_ns(self) -> int | None:
        """The next moment at which `advance` will start or skip something; None for never."""
        if self._failure:
            return None
        moments = [due[0][0] for due in (self._due, self._passive_starts()) if due]
        while self._expiring and self._expiring[0][1] not in self._watching:
            heapq.heappop(self._expiring)
        if self._expiring:
            moments.append(self._expiring[0][0] + 1)
        return min(moments, default=None)

    @property
    def finished(self) -> bool:
        """Whether nothing runs and nothing can still start, or an occurrence failed."""
        if self._failure:
            return True
        return not (self._now_ns < 0 or self._running or self._keeping or self._passive_starts())

    def advance(self, t_ns: int) -> list[Occurrence]:
        """Move time to `t_ns` and return the occurrences to start now, the earliest due first.

        Raises:
            ValueError: Time would go backwards.
        """
        self._move(t_ns)
        while self._expiring and self._expiring[0][0] < t_ns:
            _, index = heapq.heappop(self._expiring)
            if index in self._watching:
                self._expire(self._states[index], t_ns)
        self._look_at_the_rest()
        if self._failure:
            return []
        due = [one for one in self._passive_starts() if one[0] <= t_ns]
        if due:
            self._passive_due = sorted(set(self._passive_due).difference(due))
        while self._due and self._due[0][0] <= t_ns:
            due.append(heapq.heappop(self._due))
        return [self._start(self._states[index], due_ns, t_ns) for due_ns, index in sorted(due)]

    def on_sample(self, sample: Sample, t_ns: int) -> None:
        """Trigger the entries whose condition the sample is the first to satisfy.

        An entry whose signal turns out not to be readable fails, as an occurrence does: what it
        waits for can never come. Samples from before the timeline's start do nothing.
        """
        if t_ns < 0 or self._failure:
            return
        answers = self._watching.take(sample, t_ns)
        if answers is None:
            return
        self._now_ns = max(self._now_ns, t_ns)
        for answer in answers:
            state = self._states[answer.index]
            when = state.entry.trigger.when
            assert when is not None
            self._stop_watching(state)
            if answer.error:
                self._give_up(state, FAILED, t_ns, answer.error, "failed")
                self._follow(state, FAILED, t_ns)
            else:
                self._trigger(state, t_ns, f"{when.condition.text} held")
        self._look_at_the_rest()

    def ended(self, label: str, status: str, t_ns: int, detail: str = "") -> None:
        """Record that a running occurrence ended, and trigger or skip what waits for it.

        Args:
            label: The occurrence's label, such as `drive` or `drive#2`.
            status: `ok`, `failed`, `timeout` or `cancelled`.
            t_ns: Nanoseconds after the timeline's start.
            detail: What became of it, for people.

        Raises:
            ValueError: No such occurrence runs, the status is no end, or time would go backwards.
        """
        if status not in ENDED:
            raise ValueError(f"{status!r} is not how an occurrence ends")
        if label not in self._running:
            raise ValueError(f"no occurrence called {label!r} is running")
        self._move(t_ns)
        state = self._running.pop(label)
        occurrence = self._close(state, status, t_ns, detail)
        if status == FAILED:
            self._failure = self._failure or occurrence
        if state.entry.trigger.every_ns is None or not self._repeat(state, t_ns):
            state.done = True
            self._follow(state, status, t_ns)
        self._look_at_the_rest()

    def settle(self, t_ns: int, *, running: str = CANCELLED, detail: str = "") -> None:
        """End the timeline: what runs gets the status `running`, what never ran is skipped.

        Args:
            t_ns: Nanoseconds after the timeline's start.
            running: `cancelled`, or `timeout` when the budget ended the run.
            detail: Why, for the occurrences that ran; empty for a plain sentence.
        """
        self._move(t_ns)
        for state in list(self._running.values()):
            occurrence = self._close(state, running, t_ns, detail or "the timeline ended")
            state.done = True
            self._changes.append(Change("settled", occurrence.label, t_ns, occurrence.detail))
        self._running.clear()
        for state in self._states:
            if not state.done and not state.started:
                self._give_up(state, SKIPPED, t_ns, self._why_never(state), "settled")
            state.done = True
        self._due.clear()
        self._passive_due.clear()
        self._expiring.clear()
        self._watching.clear()
        self._keeping = 0

    def take_changes(self) -> list[Change]:
        """Return what was decided since the last call, in order."""
        changes, self._changes = self._changes, []
        return changes

    def _arm(self, state: _State, by_label: Mapping[str, _State]) -> None:
        trigger = state.entry.trigger
        for label in trigger.after:
            if label not in by_label:
                raise ValueError(f"{state.entry.label} comes after {label}, which is no entry")
            if label not in state.missing:
                by_label[label].followers.append(state)
            state.missing.add(label)
        if trigger.when is not None:
            self._watching.begin(state.index, trigger.when, trigger.within_ns)
            if trigger.within_ns is not None:
                heapq.heappush(self._expiring, (trigger.within_ns, state.index))
                self._keeping += 1
        elif not trigger.after:
            self._set_due(state, trigger.at_ns)

    def _move(self, t_ns: int) -> None:
        if t_ns < 0 or t_ns < self._now_ns:
            raise ValueError(f"time would go back from {self._now_ns} ns to {t_ns} ns")
        self._now_ns = t_ns

    def _stop_watching(self, state: _State) -> None:
        self._watching.end(state.index)
        self._keeping -= state.entry.trigger.within_ns is not None

    def _expire(self, state: _State, t_ns: int) -> None:
        within = Duration(state.entry.trigger.within_ns or 0)
        seen = self._watching.seen(state.index)
        self._stop_watching(state)
        why = f"condition never held within {within.to_number()} s ({seen})"
        self._give_up(state, SKIPPED, t_ns, why, "skipped")
        self._follow(state, SKIPPED, t_ns)

    def _trigger(self, state: _State, t_ns: int, why: str) -> None:
        self._changes.append(Change("triggered", state.entry.label, t_ns, why))
        self._set_due(state, t_ns + state.entry.trigger.at_ns)

    def _set_due(self, state: _State, due_ns: int) -> bool:
        """Queue the next occurrence, unless the entry may no longer start by then."""
        trigger = state.entry.trigger
        if trigger.until_ns is not None and due_ns > trigger.until_ns:
            if not state.started:
                until = Duration(trigger.until_ns).to_number()
                why = f"not due until after {until} s"
                self._give_up(state, SKIPPED, max(self._now_ns, 0), why, "skipped")
            return False
        state.due_ns = due_ns
        if state.repeats_passively:
            heapq.heappush(self._passive_due, (due_ns, state.index))
        else:
            heapq.heappush(self._due, (due_ns, state.index))
            self._keeping += 1
        return True

    def _look_at_the_rest(self) -> None:
        """Note when what is not passive stops: nothing of it runs, or can start by itself."""
        if self._keeping or any(not state.repeats_passively for state in self._running.values()):
            self._rest_ended_ns = None
        elif self._rest_ended_ns is None:
            self._rest_ended_ns = max(self._now_ns, 0)

    def _passive_starts(self) -> list[tuple[int, int]]:
        """The passive entries that will start if nothing changes, as a heap."""
        ended_ns = self._rest_ended_ns
        if ended_ns is None:
            return self._passive_due
        return sorted(
            (due_ns, index)
            for due_ns, index in self._passive_due
            if due_ns <= ended_ns and not self._states[index].started
        )

    def _start(self, state: _State, due_ns: int, t_ns: int) -> Occurrence:
        self._keeping -= not state.repeats_passively
        state.started += 1
        label = state.entry.occurrence_label(state.started)
        occurrence = Occurrence(label, state.entry, state.started, due_ns=due_ns, started_ns=t_ns)
        state.running = occurrence
        self._running[label] = state
        self._occurrences.append(occurrence)
        return occurrence

    def _close(self, state: _State, status: str, t_ns: int, detail: str) -> Occurrence:
        occurrence = state.running
        assert occurrence is not None
        occurrence.status, occurrence.detail, occurrence.ended_ns = status, detail, t_ns
        state.running = None
        return occurrence

    def _repeat(self, state: _State, t_ns: int) -> bool:
        trigger = state.entry.trigger
        if trigger.count is not None and state.started >= trigger.count:
            return False
        assert state.due_ns is not None
        assert trigger.every_ns is not None
        return self._set_due(state, max(state.due_ns + trigger.every_ns, t_ns))

    def _follow(self, state: _State, status: str, t_ns: int) -> None:
        """Trigger the entries that waited for this one last, or skip them and theirs in turn."""
        ended = [(state, status)]
        for leader, how in ended:
            for follower in leader.followers:
                if follower.done:
                    continue
                if how == OK:
                    follower.missing.discard(leader.entry.label)
                    if not follower.missing:
                        after = ", ".join(follower.entry.trigger.after)
                        self._trigger(follower, t_ns, f"{after} ended ok")
                else:
                    why = f"{leader.entry.label} ended {how}"
                    self._give_up(follower, SKIPPED, t_ns, why, "skipped")
                if follower.done:
                    ended.append((follower, SKIPPED))

    def _give_up(
        self,
        state: _State,
        status: str,
        t_ns: int,
        why: str,
        kind: Kind,
    ) -> None:
        """Note that an entry never ran, and why."""
        state.done = True
        label = state.entry.label
        occurrence = Occurrence(label, state.entry, 1, status, why, ended_ns=t_ns)
        self._occurrences.append(occurrence)
        self._changes.append(Change(kind, label, t_ns, why))
        if status == FAILED:
            self._failure = self._failure or occurrence

    def _why_never(self, state: _State) -> str:
        if state.due_ns is not None:
            return "the timeline ended before it was due"
        if state.entry.trigger.when is not None:
            seen = self._watching.seen(state.index)
            return f"condition never held before the timeline ended ({seen})"
        return f"the timeline ended before {', '.join(sorted(state.missing))} did"
