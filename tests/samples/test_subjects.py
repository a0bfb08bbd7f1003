import pytest

from fieldproof.samples import BySubject, Sample, subject_of

POSE = dict.fromkeys(("x", "y", "z", "yaw", "qx", "qy", "qz", "qw"), 0.0)
SAMPLES = [
    Sample.of("pose", model="ugv1", **POSE),
    Sample.of("pose", model="ugv2", **POSE),
    Sample.of("value", topic="/odom", field="x", value=1),
    Sample.of("value", topic="/odom", field="y", value=1),
    Sample.of("value", topic="/scan", field="x", value=1),
    Sample.of("field_error", topic="/odom", field="x", message="none"),
    Sample.of("rate", topic="/odom", hz=1.0, window_s=1, messages=1),
    Sample.of("lifecycle", node="/odom", state="active"),
    Sample.of("clock"),
]


@pytest.mark.parametrize("kept", range(len(SAMPLES)))
def test_what_is_kept_is_found_by_samples_of_its_subject_and_no_others(kept):
    found = BySubject({subject_of(SAMPLES[kept]): "it"})
    assert [found.of(sample) for sample in SAMPLES] == [
        "it" if place == kept else None for place in range(len(SAMPLES))
    ]


def test_every_subject_has_what_is_its_own():
    found = BySubject({subject_of(sample): place for place, sample in enumerate(SAMPLES)})
    assert [found.of(sample) for sample in SAMPLES] == list(range(len(SAMPLES)))
