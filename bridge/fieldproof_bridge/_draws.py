from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator, Philox


@dataclass(frozen=True)
class Draws:
    """Random numbers of one holder of a fault on a route, the same in every run with the same seed.

    They are drawn anew for each time, not from a running stream: neither how often a fault was
    asked before nor when it was set changes what it draws at a time.

    Attributes:
        seed: the run's seed.
        vehicle: the vehicle.
        route: the route.
        fault: the fault.
        holder: who holds it.
    """

    seed: int
    vehicle: str
    route: str
    fault: str
    holder: str = ""
    _key: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        text = f"{self.seed}/{self.vehicle}/{self.route}/{self.fault}/{self.holder}"
        key = hashlib.blake2b(text.encode(), digest_size=16).digest()
        object.__setattr__(self, "_key", int.from_bytes(key, "little"))

    def of(self, holder: str) -> Draws:
        """The numbers of another who holds the fault: independent of these."""
        return replace(self, holder=holder)

    def at(self, time_ns: int) -> Generator:
        """A generator of the numbers of a time, nanoseconds."""
        counter = np.array([0, time_ns & (2**64 - 1), 0, 0], dtype=np.uint64)
        return Generator(Philox(key=self._key, counter=counter))
