import math

import pytest

from fieldproof.samples import KINDS, NO_VALUE, PlannedSignal, Sample, subject_of

POSE = dict.fromkeys(("z", "yaw", "qx", "qy", "qz", "qw"), 0.0)


def pose(model, x, y):
    return Sample.of("pose", sim=1.0, model=model, x=x, y=y, **POSE)


SIGNALS = [
    ({"topic": "/a", "field": "data"}, Sample.of("value", topic="/a", field="data", value=3), 3),
    ({"metric": "sim_time"}, Sample.of("clock", sim=2.5), 2.5),
    ({"metric": "rtf"}, Sample.of("clock", sim=2.5, rtf=0.9), 0.9),
    ({"metric": "y", "model": "ugv1"}, pose("ugv1", 1.0, 2.0), 2.0),
    (
        {
            "metric": "distance_to",
            "model": "ugv1",
            "target": {"x": 4.0, "y": 6.0, "z": 9.0, "yaw": 0},
        },
        pose("ugv1", 1.0, 2.0),
        5.0,
    ),
]


@pytest.mark.parametrize(("data", "sample", "value"), SIGNALS)
def test_a_signal_reads_its_value_from_the_samples_of_its_subject(data, sample, value):
    signal = PlannedSignal.from_data(data)
    assert subject_of(sample) == signal.subject
    assert signal.value_of(sample) == value
    for other_data, other, _ in SIGNALS:
        if PlannedSignal.from_data(other_data).subject != signal.subject:
            assert signal.value_of(other) is NO_VALUE


def test_a_clock_without_a_factor_carries_no_factor():
    assert PlannedSignal.from_data({"metric": "rtf"}).value_of(Sample.of("clock")) is NO_VALUE


def test_the_distance_to_nowhere_is_not_a_number():
    signal = PlannedSignal(metric="distance_to", model="m", target=(0.0, 0.0))
    assert math.isnan(signal.value_of(pose("m", math.nan, 1.0)))


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"topic": "/a"},
        {"metric": "altitude", "model": "m"},
        {"metric": "x"},
        {"metric": "distance_to", "model": "m"},
    ],
)
def test_what_is_no_signal_is_refused(data):
    with pytest.raises(ValueError, match="no signal"):
        PlannedSignal.from_data(data)


def test_every_kind_has_a_subject_that_starts_with_it():
    filler = {str: "s", float: 1.0, int: 1}
    for kind, fields in KINDS.items():
        data = {name: filler[types[0]] if types else None for name, types in fields.items()}
        assert subject_of(Sample.of(kind, **data))[0] == kind
