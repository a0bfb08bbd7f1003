"""The figures that `make bench` measures, and what a list of samples says of each. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Verdict = Literal["aim", "holds", "misses", "undecided", "not measured"]

UNDECIDED = "undecided"
NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and the two marks it is held against.

    Attributes:
        name: what `--only` takes.
        what: for people.
        unit: of the samples and both marks.
        better: whether fewer or more of the unit is better.
        at_least: the mark that has to be reached.
        aim: the mark that is hoped for.
    """

    name: str
    what: str
    unit: str
    better: Literal["less", "more"]
    at_least: float
    aim: float

    def reaches(self, value: float, mark: float) -> bool:
        """Whether a value is as good as a mark; one that equals it is."""
        return value <= mark if self.better == "less" else value >= mark


FIGURES = (
    Figure("noop", "nix build that changes nothing", "s", "less", 0.3, 0.1),
    Figure("limit", "changed limit to new verdict, nothing simulated", "s", "less", 5.0, 1.5),
    Figure("rtf", "lockstep, whole stack", "x real time", "more", 5.0, 10.0),
    Figure("start", "engine start to first tick", "s", "less", 4.0, 2.0),
    Figure("loop", "MuJoCo loop alone, with sensors", "x real time", "more", 50.0, 80.0),
    Figure("validate", "2,000 entries from file to plan", "s", "less", 1.0, 0.5),
    Figure("schedule", "10,000 entries scheduled to their end", "s", "less", 1.0, 0.5),
    Figure("evaluate", "thirteen assertions on a mixed stream", "samples/s", "more", 150e3, 400e3),
    Figure("recorded", "an hour of 100 topics judged from the disk", "s", "less", 30.0, 15.0),
    Figure("spawn", "spawn to the scan that shows it", "scans", "less", 1.0, 1.0),
    Figure("smoke", "smoke suite simulated, judged and written", "ms", "less", 50.0, 25.0),
    Figure("suite", "1,000 driving scenarios with all files", "s", "less", 60.0, 30.0),
    Figure("openloop", "trajectories of 30 points measured", "samples/s", "more", 20e3, 30e3),
    Figure("evidence", "live runs equal to the hermetic one", "runs", "more", 20.0, 100.0),
)


@dataclass(frozen=True, slots=True)
class Summary:
    """Middle and ends of some samples, in their unit."""

    median: float
    least: float
    most: float
    count: int

    @classmethod
    def of(cls, samples: Sequence[float]) -> Summary:
        """Summarise at least one sample.

        Raises:
            ValueError: there is none.
        """
        if not samples:
            raise ValueError("nothing was measured")
        return cls(statistics.median(samples), min(samples), max(samples), len(samples))


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a figure.

    Attributes:
        figure: which.
        verdict: `aim` and `holds` are good, `undecided` means too few runs to say.
        value: the median of the samples, or the number of equal runs; None if not measured.
        samples: in the order in which they were taken.
        others: cores that other processes kept busy meanwhile, if known.
        note: why it was not measured, or what else there is to say.
    """

    figure: Figure
    verdict: Verdict
    value: float | None = None
    samples: tuple[float, ...] = ()
    others: float | None = None
    note: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether the figure holds; None where that is not known."""
        known = {"aim": True, "holds": True, "misses": False}
        return known.get(self.verdict)

    def to_data(self) -> dict[str, Any]:
        """The result as JSON data."""
        summary = Summary.of(self.samples) if self.samples else None
        return {
            "name": self.figure.name,
            "what": self.figure.what,
            "value": self.value,
            "unit": self.figure.unit,
            "better": self.figure.better,
            "at_least": self.figure.at_least,
            "aim": self.figure.aim,
            "holds": self.holds,
            "verdict": self.verdict,
            "median": summary.median if summary else None,
            "min": summary.least if summary else None,
            "max": summary.most if summary else None,
            "repetitions": len(self.samples),
            "samples": list(self.samples),
            "others_cores": self.others,
            "note": self.note,
        }


def judge(figure: Figure, samples: Sequence[float], *, others: float | None = None) -> Result:
    """Hold the median of the samples against the marks.

    Raises:
        ValueError: there is no sample.
    """
    median = Summary.of(samples).median
    verdict: Verdict = "misses"
    if figure.reaches(median, figure.aim):
        verdict = "aim"
    elif figure.reaches(median, figure.at_least):
        verdict = "holds"
    return Result(figure, verdict, median, tuple(samples), others)


def judge_equality(
    figure: Figure, digests: Sequence[str], reference: str, *, others: float | None = None
) -> Result:
    """Count the digests that equal the reference: one that does not is a miss, however many do.

    Fewer than the mark asks for, all equal, decide nothing.

    Raises:
        ValueError: there is no digest.
    """
    samples = tuple(float(digest == reference) for digest in digests)
    equal = Summary.of(samples).count - samples.count(0.0)
    verdict: Verdict = "undecided"
    if equal < len(samples):
        verdict = "misses"
    elif figure.reaches(equal, figure.aim):
        verdict = "aim"
    elif figure.reaches(equal, figure.at_least):
        verdict = "holds"
    note = f"{equal} of {len(samples)} are equal"
    if verdict == "undecided":
        note += f", {figure.at_least:g} are needed to say that it holds"
    return Result(figure, verdict, float(equal), samples, others, note)


def not_measured(figure: Figure, why: str) -> Result:
    """The result of a figure that could not be had."""
    return Result(figure, "not measured", note=why)
