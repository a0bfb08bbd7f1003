import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait

from fieldproof.driving.loop._scenario import ScenarioResult, Task, run_scenario

_ENOUGH = 8
"""Scenarios for which another process is worth its start."""


def run_scenarios(
    tasks: Sequence[Task], *, jobs: int, done: Callable[[ScenarioResult], None]
) -> list[ScenarioResult]:
    """Run scenarios and return their results in the order of the tasks.

    A scenario knows nothing of the others, so that the results do not depend on how many run at
    once or in which order.

    Args:
        tasks: one a scenario.
        jobs: how many may run at once; 0 for one a processor, fewer if there is little to do.
        done: told of each result as it comes.

    Raises:
        OSError: A file cannot be written.
    """
    if jobs <= 0:
        jobs = min(os.cpu_count() or 1, max(1, len(tasks) // _ENOUGH))
    jobs = min(jobs, max(1, len(tasks)))
    if jobs == 1:
        results = []
        for task in tasks:
            results.append(run_scenario(task))
            done(results[-1])
        return results
    found: dict[int, ScenarioResult] = {}
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        running: dict[Future[ScenarioResult], int] = {}
        waiting = list(enumerate(tasks))[::-1]
        try:
            while waiting or running:
                while waiting and len(running) < 2 * jobs:
                    place, task = waiting.pop()
                    running[pool.submit(run_scenario, task)] = place
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    result = future.result()
                    found[running.pop(future)] = result
                    done(result)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [found[place] for place in range(len(tasks))]
