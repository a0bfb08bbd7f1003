"""What a run observed, one sample at a time, and the JSON lines that keep it."""

from fieldproof.samples._beside import AFTER, interleaved
from fieldproof.samples._lines import (
    SampleParser,
    Truncation,
    format_sample,
    parse_sample,
    parse_samples,
)
from fieldproof.samples._sample import KINDS, Sample, SampleError
from fieldproof.samples._signals import NO_VALUE, PlannedSignal
from fieldproof.samples._subjects import BySubject, Subject, subject_of
from fieldproof.samples._time import NS_PER_S, TimelineOrigin, to_ns

__all__ = [
    "AFTER",
    "KINDS",
    "NO_VALUE",
    "NS_PER_S",
    "BySubject",
    "PlannedSignal",
    "Sample",
    "SampleError",
    "SampleParser",
    "Subject",
    "TimelineOrigin",
    "Truncation",
    "format_sample",
    "interleaved",
    "parse_sample",
    "parse_samples",
    "subject_of",
    "to_ns",
]
