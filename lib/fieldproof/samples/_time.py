from dataclasses import dataclass, field

from fieldproof.samples._sample import Sample, SampleError

NS_PER_S = 1_000_000_000


def to_ns(seconds: float) -> int:
    """Return seconds as whole nanoseconds, the nearest."""
    return round(seconds * NS_PER_S)


@dataclass(frozen=True, slots=True)
class TimelineOrigin:
    """The moment the timeline started, and the clock that counts from it.

    Attributes:
        mode: The run's time mode: `lockstep`, `sim` or `realtime`.
        wall: Seconds of the Unix epoch at the start; None in lockstep.
        sim: Seconds of simulation time at the start; None when it was not known.
    """

    mode: str
    wall: float | None
    sim: float | None
    _ns: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        clock = self.sim if self.mode == "lockstep" else self.wall
        object.__setattr__(self, "_ns", to_ns(clock or 0.0))

    @classmethod
    def of(cls, start: Sample, mode: str) -> "TimelineOrigin":
        """Return the origin that a `timeline` sample with event `start` sets.

        Raises:
            SampleError: It lacks the clock that the mode counts on.
        """
        if (start.sim if mode == "lockstep" else start.wall) is None:
            clock = "sim" if mode == "lockstep" else "wall"
            raise SampleError(f"the timeline's start must have {clock} in mode {mode}")
        return cls(mode, start.wall, start.sim)

    def t_ns(self, sample: Sample) -> int | None:
        """Return nanoseconds from the origin to the sample, negative before it.

        In lockstep they are simulation time, otherwise wall time, to a microsecond (a double
        holds no more of the epoch). None when the sample lacks that clock.
        """
        if self.mode == "lockstep":
            if sample.sim is None or self.sim is None:
                return None
            return round(sample.sim * NS_PER_S) - self._ns
        if sample.wall is None or self.wall is None:
            return None
        return round((sample.wall - self.wall) * 1_000_000) * 1000
