"""What the build does when nothing changed, and when a limit did."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.bench.checkout import SCENARIO, Checkout, MeasurementError, built
from tests.bench.machine import Watch

_VERDICT = f"{SCENARIO}-verdict"
_RUN = f"{SCENARIO}-run"


def measure_noop(checkout: Checkout, repetitions: int, say: Callable[[str], None]) -> list[Watch]:
    """Time `nix build .#NAME` when everything is built.

    Raises:
        MeasurementError: it does not build, or builds something each time.
    """
    say("building what is to be there already")
    checkout.build(SCENARIO)
    checkout.build(SCENARIO)
    watches = []
    for _ in range(repetitions):
        with Watch() as watch:
            output = checkout.build(SCENARIO)
        if names := built(output):
            raise MeasurementError(f"with nothing changed, {', '.join(names)} was built")
        watches.append(watch)
    return watches


def measure_limit(checkout: Checkout, repetitions: int, say: Callable[[str], None]) -> list[Watch]:
    """Time `nix build .#NAME` after an edit of a limit, each to a value never used before.

    Each repetition proves that the verdict is new and the run is not: the first was built, the
    second was not, and its store path is the same.

    Raises:
        MeasurementError: it does not build, or something else is built than should be.
    """
    say("building what is to be there already")
    checkout.build(SCENARIO)
    run = checkout.path(f"{SCENARIO}.run")
    gate = (checkout.root / "result").resolve()
    watches = []
    for number in range(1, repetitions + 1):
        say(f"changed limit {number} of {repetitions}")
        # the store remembers every verdict that was ever given: a limit that nobody has had
        checkout.change_limit(f"{50 + time.time_ns() % 10**10 / 1e9:.9f}s")
        with Watch() as watch:
            output = checkout.build(SCENARIO)
        check_only_judged(built(output))
        if checkout.path(f"{SCENARIO}.run") != run:
            raise MeasurementError("a changed limit gave another run")
        before, gate = gate, (checkout.root / "result").resolve()
        if gate == before:
            raise MeasurementError("a changed limit gave the same result")
        watches.append(watch)
    return watches


def check_only_judged(names: list[str]) -> None:
    """Check what was built for a changed limit.

    Raises:
        MeasurementError: the verdict was not, or the run was.
    """
    if _RUN in names:
        raise MeasurementError(f"a changed limit simulated again: {', '.join(names)}")
    if _VERDICT not in names:
        raise MeasurementError(f"a changed limit gave no new verdict: {names or 'nothing'}")
