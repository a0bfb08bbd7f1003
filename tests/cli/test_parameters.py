from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from fieldproof.cli._parameters import parameters, type_words, unit_of
from fieldproof.model import (
    Duration,
    FieldPath,
    Name,
    NonNegativeDuration,
    Placement,
    PositiveDuration,
    TopicName,
    ValueCondition,
    When,
)


class Corner(BaseModel):
    x: float
    y: float


class Entry(BaseModel):
    max_mps: Annotated[float, Field(gt=0, le=30)] = Field(default=1.5, description="Speed.")
    wait: PositiveDuration = Field(default=Duration(250_000_000), description="A pause.")
    places: list[Placement] = Field(default_factory=list, description="Where.")
    corner: Corner | None = None


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (bool, "boolean"),
        (int, "integer"),
        (float, "number"),
        (str, "text"),
        (Any, "anything"),
        (Name, "name"),
        (Name | None, "name"),
        (TopicName, "topic"),
        (FieldPath, "field path"),
        (ValueCondition, "condition"),
        (Duration, "duration"),
        (PositiveDuration, "duration > 0"),
        (NonNegativeDuration | None, "duration >= 0"),
        (Placement, "placement"),
        (When | None, "signal and condition"),
        (Literal["box", "sphere"], "box | sphere"),
        (int | str, "integer or text"),
        (Annotated[int, Field(ge=1, lt=10)], "integer >= 1, < 10"),
        (Annotated[str, Field(max_length=9)], "text of at most 9 characters"),
        (list[Name], "list of name"),
        (tuple[Name, ...], "list of name"),
        (Annotated[list[float], Field(min_length=3, max_length=3)], "list of 3: number"),
        (Annotated[list[float], Field(min_length=1)], "list of at least 1: number"),
        (Annotated[list[float], Field(max_length=8)], "list of 0 to 8: number"),
        (dict[str, int], "mapping"),
        (Corner, "mapping of x, y"),
        (list[Corner], "list of mapping of x, y"),
    ],
)
def test_every_kind_of_field_has_a_type_in_words(annotation, words):
    assert type_words(annotation) == words


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("timeout_s", "s"),
        ("yaw_tolerance_rad", "rad"),
        ("gyro_radps", "rad/s"),
        ("accel_mps2", "m/s2"),
        ("min_hz", "Hz"),
        ("to_pct", "%"),
        ("steps", ""),
        ("s", ""),
        ("on_fail", ""),
    ],
)
def test_the_ending_of_a_key_is_its_unit(name, unit):
    assert unit_of(name) == unit


def test_a_parameter_has_its_default_as_data_its_unit_and_what_it_is_for():
    speed, wait, places, corner = parameters(Entry)
    assert speed.to_data() == {
        "name": "max_mps",
        "type": "number > 0, <= 30",
        "required": False,
        "default": 1.5,
        "unit": "m/s",
        "description": "Speed.",
    }
    assert (wait.default, wait.unit) == (0.25, "s")
    assert (places.type, places.default) == ("list of placement", [])
    assert (corner.default, corner.required) == (None, False)


def test_keys_that_are_told_elsewhere_are_left_out():
    names = [one.name for one in parameters(Entry, leaving_out=["wait", "corner"])]
    assert names == ["max_mps", "places"]
