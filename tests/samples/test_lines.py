import itertools
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldproof.samples import (
    KINDS,
    Sample,
    SampleError,
    SampleParser,
    TimelineOrigin,
    Truncation,
    format_sample,
    parse_sample,
    parse_samples,
)

POSE = dict.fromkeys(("x", "y", "z", "yaw", "qx", "qy", "qz", "qw"), 0.5)
# making arbitrary JSON takes as long as the machine lets it
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
numbers = st.floats() | st.integers(-(2**60), 2**60)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=4).filter(lambda key: key != "$float"), inner, max_size=3
        )
    ),
    max_leaves=8,
)
times = st.none() | st.floats(allow_nan=False, allow_infinity=False)


def same(left, right):
    return repr(left) == repr(right)


def value(content, **times_of):
    return Sample.of("value", topic="/t", field="f", value=content, **times_of)


@PATIENT
@given(json_values, times, times)
def test_a_sample_survives_its_line_to_the_bit(content, wall, sim):
    sample = value(content, wall=wall, sim=sim)
    line = format_sample(sample)
    parsed = parse_sample(line)
    assert (parsed.kind, parsed.wall, parsed.sim) == ("value", wall, sim)
    assert format_sample(parsed) == line
    assert line.count("\n") == 1


@PATIENT
@given(numbers)
def test_numbers_keep_type_sign_and_every_bit(number):
    assert same(parse_sample(format_sample(value(number))).data["value"], number)


def test_a_line_is_canonical_whatever_the_order_of_its_fields():
    forward = Sample.from_data({"kind": "clock", "wall": None, "sim": 1.0, "a": 1, "b": 2})
    backward = Sample.from_data({"b": 2, "a": 1, "sim": 1.0, "wall": None, "kind": "clock"})
    assert format_sample(forward) == format_sample(backward)
    assert format_sample(forward) == '{"a":1,"b":2,"kind":"clock","sim":1.0,"wall":null}\n'


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf], ids=str)
def test_what_json_has_no_number_for_is_tagged(number):
    line = format_sample(value([number]))
    assert "NaN" not in line
    assert "Infinity" not in line
    assert same(parse_sample(line).data["value"], [number])


def test_text_that_utf_8_cannot_hold_is_escaped():
    sample = value("\ud800 and \U0001f600")
    line = format_sample(sample)
    assert "\\ud800 and \U0001f600" in line
    assert parse_sample(line.encode()) == sample


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("", "not JSON"),
        ("[]", "not a JSON object"),
        ("{", "not JSON"),
        ('{"kind":"clock"}', "must have 'wall'"),
        ('{"kind":"clock","wall":null}', "must have 'sim'"),
        ('{"kind":"klock","wall":null,"sim":1}', "no sample kind is called 'klock'"),
        ('{"kind":["clock"],"wall":null,"sim":1}', "no sample kind"),
        ('{"kind":"clock","kind":"clock","wall":null,"sim":1}', "twice"),
        ('{"kind":"clock","wall":null,"sim":NaN}', "NaN is not JSON"),
        ('{"kind":"clock","wall":null,"sim":1e999}', "finite"),
        ('{"kind":"clock","wall":true,"sim":1}', "finite"),
        ('{"kind":"clock","wall":"1","sim":1}', "finite"),
        ('{"kind":"pose","wall":null,"sim":1,"model":"a"}', "must have 'x'"),
        ('{"kind":"rate","wall":null,"sim":1,"topic":"/a","hz":"1"}', "'hz' of a rate sample"),
        ('{"kind":"value","wall":null,"sim":1,"value":{"$float":"one"}}', "$float"),
        ('{"kind":"value","wall":null,"sim":1,"value":{"$float":"nan","a":1}}', "$float"),
        ('{"kind":"value","wall":null,"sim":1,"value":{"$float":["nan"]}}', "$float"),
        ('{"kind":"clock","wall":null,"sim":1' + "0" * 400 + "}", "too large"),
        ('{"kind":"clock","wall":null,"sim":1' + "0" * 5000 + "}", "not JSON"),
        ("[" * 100_000, "nested"),
        (b"\xff", "UTF-8"),
    ],
)
def test_what_is_no_sample_is_refused_with_its_fault(line, what):
    with pytest.raises(SampleError) as refusal:
        parse_sample(line)
    assert what in str(refusal.value)


def test_data_without_a_json_form_is_refused():
    with pytest.raises(SampleError):
        format_sample(value(object()))
    with pytest.raises(SampleError):
        format_sample(Sample("clock", None, 1.0, {"sim": 2.0}))


def test_a_boolean_is_no_number():
    with pytest.raises(SampleError):
        Sample.of("pose", model="a", **{**POSE, "x": True})


@pytest.mark.parametrize(
    "kind", sorted(set(KINDS) - {"clock", "ready", "subscribed", "recording", "error", "stopped"})
)
def test_each_kind_names_a_field_that_is_missing(kind):
    with pytest.raises(SampleError, match=f"a {kind} sample must have"):
        Sample.of(kind)


@PATIENT
@given(st.lists(json_values, max_size=6), st.lists(st.integers(0, 400), max_size=8), st.booleans())
def test_the_cuts_between_chunks_do_not_matter(contents, cuts, newline_at_end):
    samples = [value(content, sim=1.0) for content in contents]
    stream = "".join(map(format_sample, samples)).encode()
    if not newline_at_end:
        stream = stream[:-1]
    edges = sorted({0, len(stream), *(min(cut, len(stream)) for cut in cuts)})
    chunks = [stream[start:end] for start, end in itertools.pairwise(edges)]
    assert same(list(parse_samples(chunks)), same_samples(samples))


def same_samples(samples):
    return [parse_sample(format_sample(sample)) for sample in samples]


def test_a_stream_cut_within_its_last_line_says_where():
    first, second = format_sample(value(1)).encode(), format_sample(value("two")).encode()
    for kept in range(1, len(second) - 1):
        *samples, cut = parse_samples([first + second[:kept]])
        assert samples == [value(1)]
        assert cut == Truncation(line=2, offset=len(first), size=kept)


def test_a_broken_line_within_the_stream_is_refused_with_its_number():
    parser = SampleParser()
    with pytest.raises(SampleError) as refusal:
        parser.feed(format_sample(value(1)).encode() + b"{]\n")
    assert refusal.value.line == 2


def test_samples_before_a_broken_line_can_be_had():
    chunk = format_sample(value(1)).encode() + b"{]\n"
    found = SampleParser().each(chunk)
    assert next(found) == value(1)
    with pytest.raises(SampleError, match="line 2"):
        next(found)


def test_timeline_time_is_simulation_time_in_lockstep_and_wall_time_otherwise():
    start = Sample.of("timeline", event="start", wall=1.7e9 + 0.5, sim=0.35)
    sample = Sample.of("clock", wall=1.7e9 + 1.75, sim=12.05)
    assert TimelineOrigin.of(start, "lockstep").t_ns(sample) == 11_700_000_000
    assert TimelineOrigin.of(start, "realtime").t_ns(sample) == 1_250_000_000
    assert TimelineOrigin.of(start, "lockstep").t_ns(Sample.of("clock", wall=1.0)) is None
    with pytest.raises(SampleError, match="must have sim"):
        TimelineOrigin.of(Sample.of("timeline", event="start", wall=1.0), "lockstep")
