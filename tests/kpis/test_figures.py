import math

import pytest

from fieldproof.kpis import number


@pytest.mark.parametrize(
    ("value", "others", "text"),
    [
        (1.0, (), "1"),
        (0.12345, (), "0.123"),
        (-0.0001, (), "0"),
        (math.nan, (1.0,), "nan"),
        (math.inf, (1.0,), "inf"),
        (0.99999, (1.0,), "0.99999"),
        (1.0, (0.99999,), "1"),
        (0.30000000000000004, (0.3,), "0.30000000000000004"),
        (0.3, (0.30000000000000004,), "0.3"),
        (0.0004, (0,), "0.0004"),
        (5.0, (5.0,), "5"),
        (4.99996, (None, 5.0, 5.00004), "4.99996"),
        (1e-30, (0,), "1e-30"),
    ],
)
def test_a_figure_has_the_decimals_that_tell_it_from_its_limit(value, others, text):
    assert number(value, *others) == text
