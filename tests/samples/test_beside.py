import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldproof.samples import AFTER, Sample, SampleError, interleaved


def clock(number):
    return Sample.of("clock", sim=float(number % 3), number=number)


def used(number, **place):
    what = {"container": "ugv1", "role": "vehicle", "cpu_pct": 1.0, "memory_mb": 1.0}
    return Sample.of("resource", sim=0.0, number=number, **what, **place)


@settings(deadline=None)
@given(st.lists(st.booleans(), max_size=30))
def test_two_streams_that_were_parted_become_the_one_that_they_were(is_beside):
    """Live, a sample gets its place from how many of the stream were written before it."""
    live, stream, beside = [], [], []
    for number, parted in enumerate(is_beside):
        if parted:
            beside.append(used(number, **{AFTER: len(stream)}))
        else:
            stream.append(clock(number))
        live.append((beside if parted else stream)[-1])
    assert list(interleaved(stream, beside)) == live


@settings(deadline=None)
@given(st.integers(0, 5), st.lists(st.integers(0, 9), max_size=6))
def test_nothing_is_lost_whatever_the_places(length, places):
    stream = [clock(n) for n in range(length)]
    beside = [used(n, **{AFTER: place}) for n, place in enumerate(places)]
    together = list(interleaved(stream, beside))
    assert [s for s in together if s.kind == "clock"] == stream
    assert [s for s in together if s.kind == "resource"] == beside


def test_what_follows_a_cut_comes_last():
    together = list(interleaved([clock(0)], [used(0, after=1), used(1, after=7)]))
    assert [sample.kind for sample in together] == ["clock", "resource", "resource"]


@pytest.mark.parametrize("place", [{}, {AFTER: -1}, {AFTER: 1.0}, {AFTER: True}, {AFTER: None}])
def test_a_sample_without_a_place_is_refused(place):
    with pytest.raises(SampleError, match="must have 'after'"):
        list(interleaved([clock(0)], [used(0, **place)]))
