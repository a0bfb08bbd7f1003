import ast
import contextlib
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldproof.model import (
    Condition,
    ConditionError,
    ConditionEvaluationError,
    compile_condition,
    signal_name_fault,
)

TRUE = [
    ("value <= 1.5", 1.5),
    ("abs(value) < 0.2", -0.1),
    ("0 < value and value < 2", 1),
    ("0 < value < 2", 1),
    ("value == 'ACTIVE'", "ACTIVE"),
    ("len(value) == 3", [1, 2, 3]),
    ("value[0] == 4 and value[-1] == 6", [4, 5, 6]),
    ("value in ['IDLE', 'ACTIVE']", "IDLE"),
    ("value in (1, 2)", 2),
    ("value not in [1, 2]", 3),
    ("value is None", None),
    ("value is not True", 1),
    ("not value", 0),
    ("value or False", 3),
    ("(1 if value > 0 else 2) == 2", -1),
    ("min(value, 2) == 2 and max(value, 2) == 3", 3),
    ("max(value) == 9", [1, 9, 3]),
    ("round(value, 1) == 0.3", 0.26),
    ("round(value) == 2", 1.6),
    ("sqrt(value) == 3", 9),
    ("int(value) == 2 and float(value) == 2.5", 2.5),
    ("isnan(value)", math.nan),
    ("isinf(value) and value == inf", math.inf),
    ("value != value", math.nan),
    ("abs(value - pi) < 1e-9", math.pi),
    ("value ** 2 == 9 and value // 2 == 1 and value % 2 == 1", 3),
    ("-value < +value", 1),
    ("  value\n  > 1", 2),
    ("isnan(nan)", 0),
    ("value > 0 and\n value < 2", 1),
]

REFUSED = [
    ("", 0, "is empty"),
    ("value.real", 0, "attributes cannot be read"),
    ("1 + value.real", 4, "attributes cannot be read"),
    ("valeu > 1", 0, "unknown name valeu"),
    ("true == value", 0, "unknown name true"),
    ("__import__('os')", 0, "unknown function __import__"),
    ("abs.real", 0, "attributes cannot be read"),
    ("abs", 0, "abs is a function"),
    ("eval('1')", 0, "unknown function eval"),
    ("(lambda: 1)()", 1, "functions cannot be defined"),
    ("[x for x in value]", 0, "comprehensions are not part of the language"),
    ("sum(x for x in value)", 0, "unknown function sum"),
    ("max(x for x in value)", 3, "comprehensions are not part of the language"),
    ("f'{value}' == 'a'", 0, "format strings are not part of the language"),
    ("'%s' % value", 0, "text cannot be calculated with"),
    ("value * 'ab'", 8, "text cannot be calculated with"),
    ("[0] * value", 0, "a list cannot be calculated with"),
    ("value[0:2]", 6, "an index must be one value, not a range"),
    ("{'a': 1}", 0, "mappings are not part of the language"),
    ("{1, 2}", 0, "sets are not part of the language; write a list"),
    ("(x := 1)", 1, "values cannot be assigned"),
    ("max(*value)", 4, "* cannot unpack"),
    ("round(value, ndigits=1)", 21, "round takes no named arguments"),
    ("sqrt(1, 2)", 0, "sqrt takes 1 argument (got 2)"),
    ("max()", 0, "max takes 1 to 64 arguments (got 0)"),
    ("value & 1", 0, "bits and matrices cannot be worked on"),
    ("~value", 0, "bits cannot be worked on"),
    ("value << 2", 0, "bits and matrices cannot be worked on"),
    ("value is 1", 9, "is compares with None, True or False"),
    ("1j", 0, "this is not part of the language"),
    ("b'a' == value", 0, "this is not part of the language"),
    ("...", 0, "this is not part of the language"),
    ("1" + "0" * 30, 0, "a whole number is beyond 10**18"),
    ("value > ", 7, "is no condition: invalid syntax"),
    ("value = 1", 6, "is no condition: invalid syntax"),
    ("value && 1", 7, "is no condition: invalid syntax"),
    ("  value.x", 2, "attributes cannot be read"),
    ("'é' == value.x", 7, "attributes cannot be read"),
    ("value; value", 5, "is no condition: invalid syntax"),
    ("value == '\\x41'", 10, "cannot contain '\\\\'"),
    ("value\x00", 5, "cannot contain '\\x00'"),
    ("-" * 100 + "1", 0, "is nested deeper than 32"),
    ("(" * 300, 200, "is no condition: too many nested parentheses"),
    ("value " * 200, 0, "is longer than 1000 characters"),
]


@pytest.mark.parametrize(("text", "value"), TRUE, ids=[text for text, _ in TRUE])
def test_a_condition_holds(text, value):
    assert compile_condition(text)({"value": value}) is True


@pytest.mark.parametrize(
    ("text", "offset", "what"), REFUSED, ids=[f"{i}" for i in range(len(REFUSED))]
)
def test_what_the_language_lacks_is_refused_with_its_place(text, offset, what):
    with pytest.raises(ConditionError) as caught:
        compile_condition(text)
    assert (caught.value.what, caught.value.offset) == (what, offset)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("value > 1", "text"),
        ("value > 1", None),
        ("value[3] > 1", [1]),
        ("value[0] > 1", {"0": 1}),
        ("value['a'] > 1", [1]),
        ("1 / value > 1", 0),
        ("value + value == 2", "1"),
        ("value * 3 == [1, 1, 1]", [1]),
        ("value % 1 == 'a'", "%s"),
        ("sqrt(value) > 1", -1),
        ("value ** 0.5 > 1", -1),
        ("len(value) > 1", 5),
        ("int(value) > 1", "9" * 5000),
        ("int(value) > 1", math.inf),
        ("float(value) > 1", "x"),
        ("max(value) > 1", []),
    ],
)
def test_a_value_that_the_condition_cannot_take_is_an_evaluation_error(text, value):
    with pytest.raises(ConditionEvaluationError):
        compile_condition(text)({"value": value})


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("text", ["value == [value]", "value < [1]", "value in [[1], [value]]"])
def test_a_value_that_is_nested_too_deeply_to_compare_is_an_evaluation_error(text):
    with contextlib.suppress(ConditionEvaluationError):
        assert compile_condition(text)({"value": nested(900)}) in {True, False}
    with pytest.raises(ConditionEvaluationError):
        compile_condition("value == other", ["value", "other"])(
            {"value": nested(100_000), "other": nested(100_000)}
        )


def test_what_went_wrong_is_told_in_brief_however_long_the_value():
    with pytest.raises(ConditionEvaluationError) as caught:
        compile_condition("float(value) > 1")({"value": "9x" * 1_000_000})
    assert len(str(caught.value)) < 300


HOSTILE = [
    0, -1, 10**18, 2**4095, 2**5000, 1.5, math.nan, math.inf, -math.inf, True, None, "", "9" * 40,
    "a" * 10_000, [], [1] * 10_000, ["a"], [[1], [2]], {"a": 1}, [math.nan, "a"], nested(50),
]  # fmt: skip
PARTS = st.recursive(
    st.sampled_from(
        ["value", "1", "0", "-1.5", "'a'", "'9'", "[]", "[value]", "None", "True", "nan", "inf"]
    ),
    lambda inner: st.one_of(
        st.tuples(
            inner,
            st.sampled_from(
                ["+", "-", "*", "/", "//", "%", "**", "<", "==", "!=", "in", "and", "or"]
            ),
            inner,
        ).map(lambda part: f"({part[0]} {part[1]} {part[2]})"),
        st.tuples(st.sampled_from(["abs", "sqrt", "len", "float", "int", "isnan"]), inner).map(
            lambda part: f"{part[0]}({part[1]})"
        ),
        st.tuples(st.sampled_from(["min", "max", "round"]), inner, inner).map(
            lambda part: f"{part[0]}({part[1]}, {part[2]})"
        ),
        st.tuples(inner, inner).map(lambda part: f"{part[0]}[{part[1]}]"),
        st.tuples(inner, inner, inner).map(lambda part: f"({part[0]} if {part[1]} else {part[2]})"),
    ),
    max_leaves=12,
)


@settings(max_examples=400, deadline=None)
@given(PARTS, st.sampled_from(HOSTILE))
def test_any_value_is_answered_or_an_evaluation_error_and_nothing_grows(text, value):
    try:
        condition = compile_condition(text)
    except ConditionError:
        return
    with contextlib.suppress(ConditionEvaluationError):
        assert condition({"value": value}) in {True, False}
        result = condition._term({"value": value})
        assert not isinstance(result, int) or result.bit_length() <= 5001
        assert not isinstance(result, str | list) or len(result) <= 10_000


def test_a_name_without_a_value_is_an_evaluation_error():
    with pytest.raises(ConditionEvaluationError, match="no value for 'speed'"):
        compile_condition("speed > 1", ["speed"])({})


@pytest.mark.parametrize(
    "text",
    [
        "9 ** 9 ** 9 > value",
        "((((9 ** 64) ** 64) ** 64) ** 64) > value",
        "value ** 100000 > 1",
        "10.0 ** 400 > value",
        "round(10 ** 18, -10 ** 17) > value",
        "2 ** -10 ** 18 > 1 / value",
    ],
)
def test_a_calculation_cannot_grow_without_bound(text):
    with contextlib.suppress(ConditionEvaluationError):
        compile_condition(text)({"value": 10})


def test_a_condition_knows_the_names_it_reads():
    condition = compile_condition("not lost or abs(speed) < pi", ["lost", "speed", "other"])
    assert condition.names == {"lost", "speed"}
    assert condition({"lost": True, "speed": 0.1, "other": None})


def test_and_and_or_do_not_evaluate_what_they_need_not():
    assert not compile_condition("len(value) > 0 and value[0] > 1")({"value": []})
    assert compile_condition("len(value) == 0 or value[0] > 1")({"value": []})


def test_a_signal_may_be_called_like_a_constant_only_where_it_is_given():
    assert compile_condition("pi > 4", ["pi"])({"pi": 5})


@pytest.mark.parametrize(
    "name", ["abs", "pi", "in", "not", "True", "lambda", "a b", "2x", "é", "a.b", ""]
)
def test_a_signal_cannot_have_a_name_that_means_something_else(name):
    assert signal_name_fault(name)


@pytest.mark.parametrize("name", ["lost", "speed_mps", "value", "x2"])
def test_a_signal_may_have_an_ordinary_name(name):
    assert not signal_name_fault(name)


NUMBERS = st.sampled_from(["value", "1", "2.5", "0", "-3", "pi"])


def combined(inner):
    return st.one_of(
        st.tuples(
            inner,
            st.sampled_from(["+", "-", "*", "<", "<=", "==", "!=", ">", ">=", "and", "or"]),
            inner,
        ).map(lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"),
        inner.map(lambda part: f"(not {part})"),
        inner.map(lambda part: f"abs({part})"),
        st.tuples(inner, inner).map(lambda parts: f"min({parts[0]}, {parts[1]})"),
        st.tuples(inner, inner, inner).map(lambda p: f"({p[0]} if {p[1]} else {p[2]})"),
    )


@given(st.recursive(NUMBERS, combined, max_leaves=12), st.floats(-10, 10))
@settings(max_examples=300, deadline=None)
def test_a_condition_means_what_python_means_by_it(text, value):
    names = {"value": value, "abs": abs, "min": min, "pi": math.pi, "__builtins__": {}}
    expected = bool(eval(compile(ast.parse(text, mode="eval"), "t", "eval"), names))
    assert compile_condition(text)({"value": value}) is expected


@given(
    st.text()
    | st.lists(
        st.sampled_from(
            [
                "value",
                "abs",
                "(",
                ")",
                "[",
                "]",
                ".",
                ",",
                "**",
                "'a'",
                "1",
                "if",
                "else",
                "not",
                "lambda",
                ":",
                "=",
                'f"{',
                "in",
                "is",
                "<",
                "é",
            ]
        )
    ).map(" ".join)
)
@settings(max_examples=500, deadline=None)
def test_any_text_compiles_or_is_refused_with_a_place_in_it(text):
    offset = 0
    try:
        assert isinstance(compile_condition(text), Condition)
    except ConditionError as error:
        offset = error.offset
    assert 0 <= offset <= len(text)
