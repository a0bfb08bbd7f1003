from dataclasses import dataclass, field

import numpy as np
import pytest

from fieldproof.observe._fields import FieldError, FieldPath

HALF = np.float32(0.5)


@dataclass
class Vector:
    x: float = 1.5
    y: np.float32 = HALF


@dataclass
class Twist:
    linear: Vector = field(default_factory=Vector)
    ranges: np.ndarray = field(default_factory=lambda: np.array([1, 2], dtype=np.float32))
    flags: list[bool] = field(default_factory=lambda: [True])
    names: list[str] = field(default_factory=lambda: ["a"])
    vectors: list[Vector] = field(default_factory=lambda: [Vector()])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("linear.x", 1.5),
        ("linear.y", 0.5),
        ("ranges[1]", 2.0),
        ("ranges", [1.0, 2.0]),
        ("flags[0]", True),
        ("names", ["a"]),
        ("vectors[0].x", 1.5),
    ],
)
def test_a_field_is_read_as_plain_python(path, value):
    got = FieldPath.parse(path).read(Twist())
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("linear.z", ["no field 'z'", "'linear'", "x, y"]),
        ("angular", ["no field 'angular'", "linear"]),
        ("ranges[2]", ["has 2 elements"]),
        ("linear[0]", ["not a list"]),
        ("linear", ["whole Vector"]),
        ("vectors", ["whole Vector"]),
        ("linear.x.y", ["'linear.x'", "no message"]),
        ("linear.__class__", ["no field"]),
    ],
)
def test_a_field_that_is_not_there_is_named_with_what_there_is(path, words):
    with pytest.raises(FieldError) as caught:
        FieldPath.parse(path).read(Twist())
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("path", ["", ".x", "[0]", "a..b", "a[", "a[-1]", "a b", "a.", "a[0"])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(FieldError):
        FieldPath.parse(path).read(Twist())
