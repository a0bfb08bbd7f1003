from fractions import Fraction


class Schedule:
    """The physics steps at which something happens `rate_hz` times a second.

    The n-th time, from 1, is at the first step not before n / rate, in exact arithmetic: a rate
    whose period is no whole number of steps still holds on average.
    """

    def __init__(self, rate_hz: float, step_ns: int) -> None:
        # As the decimal a person wrote: 0.1 is a tenth.
        period = Fraction(10**9) / (Fraction(str(rate_hz)) * step_ns)
        self._numerator, self._denominator = period.numerator, period.denominator
        self._count = 1
        self.next_step = self._step_of(1)

    def _step_of(self, count: int) -> int:
        return -(-count * self._numerator // self._denominator)

    def advance(self) -> None:
        """Move on to the next time, at a later step."""
        due = self.next_step
        while self.next_step <= due:
            self._count += 1
            self.next_step = self._step_of(self._count)
