import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fieldproof.assertions._regions import Region, clearance_of
from fieldproof.model import ScenarioError, validated

SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4]]
NOTCHED = [[0, 0], [4, 0], [4, 4], [2, 1], [0, 4]]


def clearance(x, y, z=0.0, **region):
    return clearance_of(validated(Region, region))(x, y, z)


@pytest.mark.parametrize(
    ("region", "place", "metres"),
    [
        ({"polygon": SQUARE}, (1, 2), 1.0),
        ({"polygon": SQUARE}, (4, 2), 0.0),
        ({"polygon": SQUARE}, (0, 0), 0.0),
        ({"polygon": SQUARE}, (5, 2), -1.0),
        ({"polygon": SQUARE}, (7, 8), -5.0),
        ({"polygon": SQUARE[::-1]}, (1, 2), 1.0),
        ({"polygon": [*SQUARE, SQUARE[0]]}, (1, 2), 1.0),
        ({"polygon": NOTCHED}, (2, 2), -2 / math.hypot(3, 2)),
        ({"polygon": NOTCHED}, (2, 1), 0.0),
        ({"polygon": NOTCHED}, (2, 0.5), 0.5),
        ({"polygon": [[0, 0], [1, 3], [2, 0]]}, (0.1 + 0.2, 0.9), 0.0),
        ({"circle": {"x": 1, "y": 1, "radius_m": 2}}, (1, 1), 2.0),
        ({"circle": {"x": 1, "y": 1, "radius_m": 2}}, (3, 1), 0.0),
        ({"circle": {"x": 1, "y": 1, "radius_m": 2}}, (4, 5), -3.0),
        ({"box": {"x_min": 0, "x_max": 4, "y_min": 0, "y_max": 4}}, (1, 3.5), 0.5),
        ({"box": {"x_min": 0, "x_max": 4, "y_min": 0, "y_max": 4}}, (4, 4), 0.0),
        ({"box": {"x_min": 0, "x_max": 4, "y_min": 0, "y_max": 4}}, (7, 8), -5.0),
        ({"circle": {"x": 0, "y": 0, "radius_m": 5}, "z_min": 1, "z_max": 2}, (0, 0, 1.75), 0.25),
        ({"circle": {"x": 0, "y": 0, "radius_m": 5}, "z_min": 1, "z_max": 2}, (0, 0, 2), 0.0),
        ({"circle": {"x": 0, "y": 0, "radius_m": 5}, "z_min": 1, "z_max": 2}, (0, 0, 0), -1.0),
        ({"circle": {"x": 0, "y": 0, "radius_m": 5}, "z_min": 1}, (8, 0, -3), -5.0),
        ({"circle": {"x": 0, "y": 0, "radius_m": 5}, "z_max": 1}, (0, 0, -900), 5.0),
    ],
)
def test_a_clearance_is_how_far_inside_a_place_is(region, place, metres):
    assert clearance(*place, **region) == pytest.approx(metres, abs=1e-12)


@pytest.mark.parametrize(
    "region",
    [
        {"polygon": SQUARE},
        {"circle": {"x": 0, "y": 0, "radius_m": 2}},
        {"box": {"x_min": 0, "x_max": 4, "y_min": 0, "y_max": 4}},
        {"box": {"x_min": 0, "x_max": 4, "y_min": 0, "y_max": 4}, "z_min": 0},
    ],
    ids=["polygon", "circle", "box", "heights"],
)
@pytest.mark.parametrize("place", [(math.nan, 1, 1), (1, math.nan, 1), (1, math.inf, 1)])
def test_a_coordinate_that_is_no_number_is_not_inside(region, place):
    assert not clearance(*place, **region) >= 0


def test_a_height_that_is_no_number_matters_only_where_heights_do():
    assert clearance(1, 1, math.nan, polygon=SQUARE) == 1.0
    assert math.isnan(clearance(1, 1, math.nan, polygon=SQUARE, z_min=0))


@pytest.mark.parametrize(
    ("region", "what"),
    [
        ({}, "must have one of polygon, circle and box"),
        ({"z_min": 1}, "must have one of polygon, circle and box"),
        ({"polygon": SQUARE, "circle": {"x": 0, "y": 0, "radius_m": 1}}, "must have one of"),
        ({"polygon": SQUARE[:2]}, "polygon: must have at least 3 items (got 2)"),
        ({"polygon": [[0, 0], [1, 1], [2, 2]]}, "polygon: encloses no area"),
        ({"polygon": [[0, 0], [2, 2], [2, 0], [0, 2]]}, "cross (give the vertices in order)"),
        ({"polygon": [[0, 0], [1], [2, 0]]}, "polygon[1]"),
        ({"circle": {"x": 0, "y": 0, "radius_m": 0}}, "circle.radius_m: must be positive"),
        ({"circle": {"x": 0, "y": 0}}, "circle.radius_m: is missing"),
        ({"box": {"x_min": 1, "x_max": 1, "y_min": 0, "y_max": 2}}, "must be above x_min (1.0)"),
        ({"box": {"x_min": 0, "x_max": 1, "y_min": 3, "y_max": 2}}, "must be above y_min (3.0)"),
        ({"polygon": SQUARE, "z_min": 2, "z_max": 1}, "z_max: must be above z_min (2.0)"),
    ],
)
def test_what_is_no_region_is_refused(region, what):
    with pytest.raises(ScenarioError) as refusal:
        validated(Region, region)
    assert what in str(refusal.value)


def turns(polygon, x, y):
    """How often a polygon goes round a place, from the angles of its vertices."""
    angles = [math.atan2(b - y, a - x) for a, b in polygon]
    steps = [
        math.remainder(after - before, math.tau)
        for before, after in zip(angles, [*angles[1:], angles[0]], strict=True)
    ]
    return round(sum(steps) / math.tau)


quarters = st.integers(-20, 20).map(lambda n: n / 4)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(quarters, quarters), min_size=3, max_size=7, unique=True), quarters, quarters
)
def test_a_place_is_inside_a_polygon_that_goes_round_it(polygon, x, y):
    try:
        region = validated(Region, {"polygon": [list(one) for one in polygon]})
    except ScenarioError:
        assume(False)
    found = clearance_of(region)(x, y, 0.0)
    nearest = min(
        math.hypot(x - (a + (c - a) * n / 200), y - (b + (d - b) * n / 200))
        for (a, b), (c, d) in zip(polygon, [*polygon[1:], polygon[0]], strict=True)
        for n in range(201)
    )
    assert abs(found) <= nearest + 1e-9
    assert abs(found) >= nearest - 0.06  # half a step of the longest edge
    if abs(found) > 1e-9:
        assert (found > 0) == (turns(polygon, x, y) % 2 == 1)
