import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait

from fieldproof.driving.agents import working_folder
from fieldproof.driving.loop._files import remove_leftovers
from fieldproof.driving.loop._runner import BrokenRunnerError, Runner
from fieldproof.driving.loop._scenario import ScenarioResult, Task, names_of
from fieldproof.runs import UnwritableRunError

_ENOUGH = 8
"""Scenarios for which another process is worth its start."""
_LOOK_S = 0.2


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of the scenarios of a suite.

    Attributes:
        results: of the scenarios that were run to their end, in the order of the tasks.
        missing: ids of the others, in that order.
        broken: why there are others, as a sentence; empty if there are none, or if somebody asked
            for the end.
    """

    results: tuple[ScenarioResult, ...]
    missing: tuple[str, ...] = ()
    broken: str = ""


def run_scenarios(
    tasks: Sequence[Task],
    *,
    jobs: int,
    done: Callable[[ScenarioResult], None],
    asked: Callable[[], bool] = lambda: False,
) -> Ran:
    """Run scenarios, each in a process below this one, and return what came of them.

    A scenario knows nothing of the others, so that the results do not depend on how many run at
    once or in which order. When a process ends without a result, or does not answer, or when
    somebody asks for the end, the scenarios that have not ended are given up, and all that they
    started and wrote goes.

    Args:
        tasks: one a scenario.
        jobs: how many may run at once; 0 for one a processor, fewer if there is little to do.
        done: told of each result as it comes.
        asked: whether somebody asks for the end; asked a few times a second.

    Raises:
        UnwritableRunError: A file cannot be written.
        OSError: A process cannot be started.
    """
    if jobs <= 0:
        jobs = min(os.cpu_count() or 1, max(1, len(tasks) // _ENOUGH))
    found: dict[int, ScenarioResult] = {}
    with working_folder() as folder:
        mark = tasks[0].mark if tasks else {}
        pool = _Pool(tasks, {**os.environ, **mark, "TMPDIR": str(folder)})
        try:
            pool.fill(min(jobs, len(tasks)))
            while pool.is_busy and not pool.broken and not asked():
                for place, result in pool.take():
                    found[place] = result
                    done(result)
        finally:
            pool.end()
    missing = [task for place, task in enumerate(tasks) if place not in found]
    for task in missing:
        remove_leftovers(task.folder, names_of(task.scenario.id))
    return Ran(
        tuple(found[place] for place in sorted(found)),
        tuple(task.scenario.id for task in missing),
        pool.broken,
    )


class _Pool:
    """Processes that run scenarios, and the scenarios that none has got yet.

    Attributes:
        broken: why a scenario could not be carried out, as a sentence; empty while all goes well.
    """

    def __init__(self, tasks: Sequence[Task], environment: Mapping[str, str]) -> None:
        self._tasks, self._environment = tasks, environment
        self._waiting = list(range(len(tasks)))[::-1]
        self._runners: list[Runner] = []
        self.broken = ""

    @property
    def is_busy(self) -> bool:
        """Whether there is a scenario that has not ended."""
        return any(one.place is not None for one in self._runners)

    def fill(self, count: int) -> None:
        """Start processes, each with a scenario."""
        for _ in range(count):
            runner = Runner(self._environment)
            self._runners.append(runner)
            self._next(runner)

    def take(self) -> list[tuple[int, ScenarioResult]]:
        """Wait a moment and return what came, with the places of the tasks."""
        found = []
        busy = [one for one in self._runners if one.place is not None]
        ready = wait([one.pipe for one in busy], _LOOK_S)
        for runner in busy:
            place = runner.place
            assert place is not None
            try:
                if runner.pipe not in ready:
                    runner.check()
                    continue
                result = runner.result()
            except BrokenRunnerError as error:
                self._break(place, str(error))
                continue
            if isinstance(result, ScenarioResult):
                found.append((place, result))
                self._next(runner)
            elif result.path is None:
                self._break(place, f"could not go on: {result.reason}")
            else:
                raise UnwritableRunError(result.path, result.reason)
        return found

    def end(self) -> None:
        """End all processes, those that are busy with everything below them."""
        for runner in self._runners:
            if runner.place is None:
                runner.close()
            else:
                runner.kill()

    def _next(self, runner: Runner) -> None:
        if self._waiting and not self.broken:
            place = self._waiting.pop()
            try:
                runner.start(place, self._tasks[place])
            except BrokenRunnerError as error:
                self._break(place, str(error))

    def _break(self, place: int, what: str) -> None:
        scenario = self._tasks[place].scenario.id
        self.broken = self.broken or f"the process that ran the scenario {scenario} {what}"
