"""Two streams of samples as one: what repeats, and what was measured beside it."""

from collections.abc import Iterable, Iterator
from typing import Final

from fieldproof.samples._sample import Sample, SampleError

AFTER: Final = "after"
"""The field of a sample beside a stream that says how many of the stream's samples came before."""


def interleaved(stream: Iterable[Sample], beside: Iterable[Sample]) -> Iterator[Sample]:
    """Yield the samples of both in the order in which the run had them.

    What depends on the host, such as the use of resources, is kept in a file of its own, so that
    the stream of an exact run repeats to the byte. Its place in the stream is kept as a number,
    not as a time: times of a stream may stand still or come out of order, numbers do not.

    Args:
        stream: the samples of samples.jsonl, from the first.
        beside: samples that carry `AFTER`, in the order in which they were taken. Those that come
            after more samples than there are, as when the stream was cut, come last.

    Raises:
        SampleError: One of `beside` does not say where it belongs.
    """
    waiting = iter(beside)
    place, sample = _next(waiting)
    if sample is not None:
        for count, passing in enumerate(stream):
            while sample is not None and place <= count:
                yield sample
                place, sample = _next(waiting)
            yield passing
    else:
        yield from stream
    while sample is not None:
        yield sample
        _, sample = _next(waiting)


def _next(waiting: Iterator[Sample]) -> tuple[int, Sample | None]:
    sample = next(waiting, None)
    if sample is None:
        return 0, None
    place = sample.data.get(AFTER)
    if type(place) is not int or place < 0:
        raise SampleError(f"a {sample.kind} sample must have {AFTER!r}, a number of samples")
    return place, sample
