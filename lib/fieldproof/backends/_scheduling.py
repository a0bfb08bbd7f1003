"""How the processes of a lockstep run share the cores."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def handing_over() -> Iterator[str]:
    """Let this process and all that it starts meanwhile hand the cores over to each other.

    In lockstep one process works while the others wait for it, dozens of times a tick. A fair
    scheduler lets a woken process wait for the running one's share, which costs more than the work
    itself; round robin at the lowest real-time priority wakes it at once (half as fast again on two
    cores). Where that is not permitted, batch scheduling at least spares needless preemptions.
    Nothing that is recorded depends on it.

    Yields:
        the policy in force: `round robin`, `batch` or `as before`.
    """
    before = (os.sched_getscheduler(0), os.sched_getparam(0))
    try:
        yield _choose()
    finally:
        os.sched_setscheduler(0, *before)


def _choose() -> str:
    for name, policy, priority in (("round robin", os.SCHED_RR, 1), ("batch", os.SCHED_BATCH, 0)):
        try:
            os.sched_setscheduler(0, policy, os.sched_param(priority))
        except OSError:
            continue  # not permitted to this user, or in this container
        return name
    return "as before"
