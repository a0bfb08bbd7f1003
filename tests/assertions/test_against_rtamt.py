"""always, never and eventually against rtamt, an independent monitor of signal temporal logic.

rtamt's discrete time is a sample a second; the robustness at time 0 is positive where the formula
holds. Values and thresholds are chosen so that it is never 0. A hold of k seconds is one of the
k samples from its first: the sample that ends it comes after it.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .streams import assertion, end, evaluator, pose, start
from .test_against_reference import many, some

rtamt = pytest.importorskip("rtamt", reason="rtamt is not installed: agreement stays unproved")

STEPS = 12


def robustness(formula, a, b):
    spec = rtamt.StlDiscreteTimeOfflineSpecification()
    for name in "ab":
        spec.declare_var(name, "float")
    spec.spec = formula
    spec.parse()
    data = {
        "time": list(range(len(a))),
        "a": [float(one) for one in a],
        "b": [float(one) for one in b],
    }
    return spec.evaluate(data)[0][1]


def passes(kind, condition, a, b, **spec):
    signals = {"a": {"metric": "x"}, "b": {"metric": "y"}}
    one = assertion(kind, vehicle="ugv1", signals=signals, condition=condition, **spec)
    judge = evaluator(one)
    judge.feed(start())
    for t, (left, right) in enumerate(zip(a, b, strict=True)):
        judge.feed(pose(t, float(left), float(right)))
    judge.feed(end(len(a)))
    return judge.results()[0].status == "passed"


signal = st.lists(st.integers(-3, 3), min_size=STEPS, max_size=STEPS)
windows = st.tuples(st.integers(0, 6), st.integers(1, 5)).map(lambda one: (one[0], sum(one)))


@some
@given(signal, signal, windows)
def test_always(a, b, window):
    first, last = window
    expected = robustness(f"always[{first}:{last}](a >= b - 0.5)", a, b) > 0
    found = passes("always", "a >= b - 0.5", a, b, after_s=first, within_s=last)
    assert found == expected


@some
@given(signal, signal, windows)
def test_never(a, b, window):
    first, last = window
    expected = robustness(f"always[{first}:{last}](not(a >= b + 0.5))", a, b) > 0
    assert passes("never", "a >= b + 0.5", a, b, after_s=first, within_s=last) == expected


@some
@given(signal, signal, windows)
def test_eventually(a, b, window):
    first, last = window
    expected = robustness(f"eventually[{first}:{last}](a >= b + 0.5)", a, b) > 0
    assert passes("eventually", "a >= b + 0.5", a, b, after_s=first, within_s=last) == expected


@many
@given(signal, signal, windows, st.integers(1, 4))
def test_eventually_for_some_time(a, b, window, held):
    first, last = window
    if held > last - first:
        last = first + held
    formula = f"eventually[{first}:{last - held}](always[0:{held - 1}](a <= b + 0.5))"
    expected = robustness(formula, a, b) > 0
    found = passes("eventually", "a <= b + 0.5", a, b, after_s=first, within_s=last, for_s=held)
    assert found == expected
