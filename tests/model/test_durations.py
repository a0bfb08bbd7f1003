from decimal import ROUND_HALF_EVEN

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from fieldproof.model import Duration, Strict, validated


class Holder(Strict):
    d: Duration


@pytest.mark.parametrize(
    ("written", "ns"),
    [
        ("30s", 30 * 10**9),
        ("250ms", 250 * 10**6),
        ("1m", 60 * 10**9),
        ("2h", 7200 * 10**9),
        ("1.5s", 1_500_000_000),
        (".5s", 500_000_000),
        ("2 s", 2 * 10**9),
        ("0s", 0),
        ("-1s", -(10**9)),
        ("0.000000001s", 1),
        (0, 0),
        (5, 5 * 10**9),
        (0.1, 100_000_000),
        (1e-9, 1),
        (2.5e-9, 2),
        (3.5e-9, 4),
        (3_600_000, 3_600_000 * 10**9),
    ],
)
def test_a_duration_is_exact_in_nanoseconds(written, ns):
    assert Duration.parse(written) == Duration(ns)
    assert validated(Holder, {"d": written}).d.ns == ns


@pytest.mark.parametrize(
    "written",
    [
        "",
        "s",
        "5",
        "1:30",
        "1m30s",
        "5 min",
        "1e3s",
        "5S",
        "٣s",
        "1 000s",
        "inf",
        "5s\n",
        "1000.1h",
        "9" * 40 + "s",
        True,
        None,
        [],
        {},
        float("nan"),
        float("inf"),
        10**30,
        1e300,
    ],
)
def test_what_is_no_duration_is_refused(written):
    with pytest.raises(PydanticCustomError):
        Duration.parse(written)


@given(st.integers(0, 3_600_000 * 10**9))
def test_a_duration_survives_the_way_through_json(ns):
    holder = Holder(d=Duration(ns))
    assert Holder.model_validate_json(holder.model_dump_json()) == holder


@given(st.decimals(0, 59_000, places=9), st.sampled_from(["ms", "s", "m"]))
def test_a_text_means_its_digits_and_not_the_float_next_to_them(number, unit):
    scale = {"ms": 10**6, "s": 10**9, "m": 60 * 10**9}[unit]
    expected = int((number * scale).to_integral_value(ROUND_HALF_EVEN))
    assert Duration.parse(f"{number:f}{unit}").ns == expected


def test_a_duration_in_the_record_is_a_whole_number_where_it_can_be():
    assert Duration.parse("2s").to_number() == 2
    assert isinstance(Duration.parse("2s").to_number(), int)
    assert str(Duration.parse("1500ms")) == "1.5s"
